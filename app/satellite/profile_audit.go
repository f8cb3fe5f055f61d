package satellite

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Reorder is the action of taking up an order that had failed.
const Reorder audit.Action = "reorder"

// placedProfile is an order as the audit trail tells of it.
type placedProfile struct {
	Field, Season      access.Named
	IndexCode          string
	StartDate, EndDate time.Time
	AreaM2             int64
}

// auditProfile notes an order placed, or taken up again after it had failed. A caller who finds the
// order open changes nothing, and is not noted.
func auditProfile(ctx context.Context, tx ports.Repos, who access.Principal, s vegetation.OrderState, now time.Time) error {
	action := audit.Create
	if s.CreatedAt.Before(s.UpdatedAt) {
		action = Reorder
	}
	what := placedProfile{
		Field: access.Named{ID: s.FieldID}, Season: access.Named{ID: s.SeasonID}, IndexCode: s.Index,
		StartDate: s.StartDate, EndDate: s.EndDate, AreaM2: s.AreaM2,
	}
	return tx.Audit.Add(ctx, audit.By(who, now).Of(action, access.ProfileOrders.Name, s.ID, audit.Diff(nil, &what)))
}
