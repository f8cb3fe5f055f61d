package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/stratification/link"
)

// PlanLinks are the signed links of the sample plans of a company, except those of a deleted area of interest. The filters
// are plan (the id of the plan), plan_uuid and kind.
type PlanLinks interface {
	Readable[link.Link]
	List[link.Link, Query]
	// Insert stores a new link and fills in its id. Faults: NotFound.
	Insert(ctx context.Context, scope access.Scope, l *link.Link) error
	// Latest returns the newest link of a plan, kind and round that is not revoked. Faults: NotFound.
	Latest(ctx context.Context, scope access.Scope, like link.Link) (link.Link, error)
	// Revoke ends a link. Faults: NotFound, also for one that is revoked.
	Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error
}

// PlanLinkKeeper finds links of all companies, for those who hold the paper.
type PlanLinkKeeper interface {
	// ByID returns a link, including revoked and expired ones. Faults: NotFound.
	ByID(ctx context.Context, id int64) (link.Link, error)
}
