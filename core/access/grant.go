package access

import (
	"slices"
	"time"

	"tilth/core/fault"
	"tilth/core/record"
)

// GrantTarget is the kind of record that a share grant covers.
type GrantTarget string

// The targets of share grants. A farm includes all of its fields, also later ones.
const (
	GrantAll   GrantTarget = "all"
	GrantFarm  GrantTarget = "farm"
	GrantField GrantTarget = "field"
)

// GrantStatus is the state of a share grant.
type GrantStatus string

// The states of a share grant: pending → accepted | declined; pending and accepted →
// revoked; and expired, which is never stored: it follows from the date.
const (
	GrantPending  GrantStatus = "pending"
	GrantAccepted GrantStatus = "accepted"
	GrantDeclined GrantStatus = "declined"
	GrantRevoked  GrantStatus = "revoked"
	GrantExpired  GrantStatus = "expired"
)

// GrantStatuses are all states.
var GrantStatuses = []GrantStatus{GrantPending, GrantAccepted, GrantDeclined, GrantRevoked, GrantExpired}

// GrantableSlugs are the permissions that a grant may contain, in display order. All but those in orderable only permit viewing.
var GrantableSlugs = []Slug{
	Farms.View.slug, Fields.View.slug, Seasons.View.slug, Cultivations.View.slug, Fertilizations.View.slug, Assessments.View.slug,
	ProfileOrders.View.slug, ProfileOrders.Create.slug, VIMaps.View.slug, VIMaps.Create.slug,
	ZoningMaps.View.slug, ZoningMaps.Create.slug, ElevationMaps.View.slug, ElevationMaps.Create.slug, SoilMaps.View.slug, SoilMaps.Create.slug,
	AOIs.View.slug, StratificationMaps.View.slug, SamplePlans.View.slug, Samples.View.slug,
}

// orderable are the permissions to order products of the shared fields, for a season and at the cost of the grantee.
var orderable = map[Slug]string{ProfileOrders.Create.slug: "profiles", VIMaps.Create.slug: "maps", ZoningMaps.Create.slug: "maps", ElevationMaps.Create.slug: "maps", SoilMaps.Create.slug: "maps"}

// DefaultGrantSlugs returns the permissions of a grant that names none.
func DefaultGrantSlugs() []Slug { return slices.Clone(GrantableSlugs[:5]) }

// Named is a reference to a record by id and name.
type Named struct {
	ID   int64
	Name string
}

// Party is one of the two companies of a grant.
type Party struct {
	ID   int64
	UUID string
	Name string
}

// Grant lets one company read records of another, and order profiles and maps of its fields where the grant permits it.
type Grant struct {
	ID        int64 `audit:"-"`
	Grantor   Party `audit:"-"`
	Grantee   Party
	Target    GrantTarget
	Farm      *Named // where the target is a farm
	Field     *Named // where the target is a field
	Slugs     []Slug
	Status    GrantStatus // as stored, see State
	EndsOn    *time.Time  // civil date, the last day on which the grant is valid
	CreatedAt time.Time   `audit:"-"`
	UpdatedAt time.Time   `audit:"-"`
	CreatedBy *Named      `audit:"-"`
	record.External
}

// Check returns what is wrong with a new grant, and puts its slugs into display order.
// The use case checks that its target and its grantee exist.
func (g *Grant) Check(today time.Time) fault.Fields {
	f := fault.Fields{}
	if slices.Contains([]GrantTarget{GrantField, GrantFarm, GrantAll}, g.Target) {
		named(f, "farm_id", g.Farm, g.Target == GrantFarm)
		named(f, "field_id", g.Field, g.Target == GrantField)
	} else {
		f.Addf("target", "%q is not one of: field, farm, all.", g.Target)
	}
	g.External.Check(f)
	if g.EndsOn != nil && g.EndsOn.Before(today) {
		f.Add("ends_on", "The last day of a grant must not have passed.")
	}
	for _, slug := range g.Slugs {
		if !slices.Contains(GrantableSlugs, slug) {
			f.Addf("slugs", "%q cannot be shared; a grant can give: %s.", slug, fault.List(GrantableSlugs))
		}
	}
	for _, slug := range g.Slugs {
		if what, ok := orderable[slug]; ok && !slices.Contains(g.Slugs, Fields.View.slug) {
			f.Addf("slugs", "Whoever may order %s for a field must also see the field. Fix: give %s together with %s.", what, Fields.View.slug, slug)
		}
	}
	if len(g.Slugs) == 0 {
		f.Addf("slugs", "Give at least one of: %s.", fault.List(GrantableSlugs))
	}
	g.Slugs = slices.DeleteFunc(slices.Clone(GrantableSlugs), func(s Slug) bool { return !slices.Contains(g.Slugs, s) })
	return f
}

func named(f fault.Fields, field string, record *Named, required bool) {
	switch {
	case required && record == nil:
		f.Add(field, "This field is required for this target.")
	case !required && record != nil:
		f.Add(field, "Leave this out for this target.")
	}
}

// State returns the status on a day: a pending or accepted grant has expired once its last day has passed.
func (g *Grant) State(today time.Time) GrantStatus {
	open := g.Status == GrantPending || g.Status == GrantAccepted
	if open && g.EndsOn != nil && g.EndsOn.Before(today) {
		return GrantExpired
	}
	return g.Status
}

// Over reports whether the grant is declined, revoked or expired.
func (g *Grant) Over(today time.Time) bool {
	s := g.State(today)
	return s != GrantPending && s != GrantAccepted
}

// Accept accepts a pending grant. Faults: Conflict (share_grant_state).
func (g *Grant) Accept(today time.Time) error { return g.move(today, GrantAccepted, GrantPending) }

// Decline declines a pending grant. Faults: Conflict (share_grant_state).
func (g *Grant) Decline(today time.Time) error { return g.move(today, GrantDeclined, GrantPending) }

// Revoke ends a pending or accepted grant. Faults: Conflict (share_grant_state).
func (g *Grant) Revoke(today time.Time) error {
	return g.move(today, GrantRevoked, GrantPending, GrantAccepted)
}

func (g *Grant) move(today time.Time, to GrantStatus, from ...GrantStatus) error {
	if now := g.State(today); !slices.Contains(from, now) {
		return fault.Newf(fault.Conflict, "share_grant_state", "This grant is %s; it can no longer become %s.", now, to).
			With("status", string(now))
	}
	g.Status = to
	return nil
}

// Seen returns the grant as a company sees it: the grantee of one that has ended no longer sees the farm or field.
func (g Grant) Seen(by int64, today time.Time) Grant {
	if by == g.Grantee.ID && g.Over(today) {
		g.Farm, g.Field = nil, nil
	}
	g.Status = g.State(today)
	return g
}
