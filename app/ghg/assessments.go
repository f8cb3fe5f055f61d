package ghg

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/climate"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/ports"
)

// Assessments holds the use cases of assessments.
type Assessments struct {
	app.Deps
	Table   *assessment.Table
	Engines ports.Engines
	Climate *climate.File // the operator's; nil: there is none

	Sheets    ports.ImpactSheets
	Documents ports.Documents

	Log *slog.Logger
}

// Whole is an assessment with the contents of its sections.
type Whole = ports.EnteredAssessment

// MayView refuses a caller who may not view assessments.
func (a *Assessments) MayView(ctx context.Context, who access.Principal) error {
	return a.Gate.Require(ctx, who, access.Assessments.View)
}

// List returns the caller's assessments, or those shared with it, without their sections.
func (a *Assessments) List(ctx context.Context, who access.Principal, shared bool, q ports.Query) (app.List[assessment.Assessment], error) {
	ask := app.Ask{Who: who, Need: access.Assessments.View, Shared: shared}
	return app.ListIn(ctx, a.Deps, ask, q, func(tx ports.Repos) ports.Assessments { return tx.Assessments })
}

// Retrieve returns one assessment. Faults: NotFound.
func (a *Assessments) Retrieve(ctx context.Context, who access.Principal, shared bool, id int64) (Whole, error) {
	return app.Read(ctx, a.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (Whole, error) {
		return readWhole(ctx, tx, who.Scope(shared), id)
	})
}

// readWhole returns an assessment with its sections.
func readWhole(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (out Whole, err error) {
	if out.Assessment, err = tx.Assessments.Get(ctx, scope, id); err == nil {
		out.Sheet, err = tx.Assessments.Sheet(ctx, scope, id)
	}
	return out, err
}

// lockWhole returns an assessment with its sections, under its lock.
func lockWhole(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (out Whole, err error) {
	if out.Assessment, err = tx.Assessments.GetForUpdate(ctx, scope, id); err == nil {
		out.Sheet, err = tx.Assessments.Sheet(ctx, scope, id)
	}
	return out, err
}

// resource is the farm or field of an assessment.
type resource struct {
	live   bool
	place  *geo.Position // the centre of the field, or the location that a farm states; nil: not known
	name   string        // empty where it is deleted
	areaHa float64       // of the field's boundary, or of all the farm's fields; 0 where none is drawn
}

// resourceOf looks up the farm or field of an assessment.
func resourceOf(ctx context.Context, tx ports.Repos, scope access.Scope, r *assessment.Assessment) (out resource, err error) {
	switch ids := []int64{r.ResourceID}; r.ResourceType {
	case assessment.OfFarm:
		var found map[int64]farm.Farm
		found, err = tx.Farms.GetMany(ctx, scope, ids)
		record, live := found[r.ResourceID]
		out = resource{live, record.Location, record.Name, record.TotalAreaHa}
	case assessment.OfField:
		var found map[int64]farm.Field
		found, err = tx.Fields.GetMany(ctx, scope, ids)
		record, live := found[r.ResourceID]
		out = resource{live, centreOf(record), record.Name, float64(record.AreaM2()) / squareMetresPerHectare}
	}
	return out, err
}

const squareMetresPerHectare = 10_000

// facts returns what the rules need to know besides the assessment, and the name of its farm or field.
func (a *Assessments) facts(ctx context.Context, tx ports.Repos, scope access.Scope, whole *Whole) (assessment.Facts, string, error) {
	of, err := resourceOf(ctx, tx, scope, &whole.Assessment)
	out := assessment.Facts{Now: a.Clock.Now(), ResourceLive: of.live}
	if of.areaHa > 0 {
		out.MappedAreaHa = &of.areaHa
	}
	if err == nil {
		out.Sampled, err = sampled(ctx, tx, scope, whole)
	}
	if err == nil && a.Climate != nil && whole.Sheet.WantsClimate() {
		out.Climate, err = a.climate(ctx, tx, scope, whole, of)
	}
	return out, of.name, err
}

// climate returns the climate in the operator's file at the location of an assessment; nil if the location is not known, or no cell is near.
func (a *Assessments) climate(ctx context.Context, tx ports.Repos, scope access.Scope, whole *Whole, of resource) (*climate.Found, error) {
	if of.live && of.place == nil && whole.ResourceType == assessment.OfFarm {
		ids, err := tx.Fields.IDsOfFarm(ctx, scope, whole.ResourceID)
		if err != nil {
			return nil, err
		}
		fields, err := tx.Fields.GetMany(ctx, scope, ids)
		if err != nil {
			return nil, err
		}
		of.place = centreOf(slices.Collect(maps.Values(fields))...)
	}
	if of.place == nil {
		return nil, nil
	}
	return a.Climate.Near(*of.place), nil
}

// centreOf returns the centre of the largest field that has a boundary; nil if none has.
func centreOf(fields ...farm.Field) *geo.Position {
	largest := int64(-1)
	var out *geo.Position
	slices.SortFunc(fields, func(x, y farm.Field) int { return cmp.Compare(x.ID, y.ID) })
	for i := range fields {
		if b, area := fields[i].Boundary, fields[i].AreaM2(); b != nil && area > largest {
			largest, out = area, new(b.Centroid())
		}
	}
	return out
}

// Details is an assessment in its detail view.
type Details struct {
	Whole
	Group *assessment.Group // nil: all groups
}

// Details returns an assessment for its detail view. If required fields are enforced, missing or invalid
// ones of the group are refused. Faults: NotFound, Invalid (group; what is missing).
func (a *Assessments) Details(ctx context.Context, who access.Principal, shared bool, id int64, group string, enforce bool) (Details, error) {
	return app.Read(ctx, a.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (out Details, err error) {
		if out.Whole, err = readWhole(ctx, tx, who.Scope(shared), id); err != nil {
			return out, err
		}
		if group != "" {
			view, err := a.Table.View(group)
			if err != nil {
				return out, err
			}
			out.Group = &view
		}
		if !enforce {
			return out, nil
		}
		// The farm or field is looked up in the scope of its own company: perhaps only the assessment is shared.
		facts, _, err := a.facts(ctx, tx, access.Own(out.CompanyID), &out.Whole)
		if err != nil {
			return out, err
		}
		missing, err := a.Table.Enforce(group, &out.Assessment, out.Sheet, facts)
		if err != nil {
			return out, err
		}
		return out, missing.Err()
	})
}
