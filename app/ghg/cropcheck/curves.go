package cropcheck

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/cropcheck"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/ports"
)

// MaxOwnCurves is the maximum number of a company's curves that are listed.
const MaxOwnCurves = 100

// maxCurveSteps bounds the comparisons of one request.
const maxCurveSteps = 4_000_000_000

// Reasons why a labelled season is left out of curves.
const (
	leftSeveralCrops = "several_crops"     // it is not known which one the series shows
	leftRunning      = "season_not_over"   // its series is not complete yet
	leftNoProfile    = "no_active_profile" // nothing was ordered, or the order brought nothing
	leftTooFew       = "too_few_points"
	leftNoBoundary   = "no_boundary"
	leftTooMany      = "beyond_the_limit"
)

// Curves holds the use cases of the curves that a company makes from its own labelled fields.
type Curves struct{ app.Deps }

// List returns the company's curves, newest first; the newest are in force.
func (c *Curves) List(ctx context.Context, who access.Principal) ([]cropcheck.Own, error) {
	return app.Read(ctx, c.Deps, who, access.ViewCropCurves, func(ctx context.Context, tx ports.Repos) ([]cropcheck.Own, error) {
		return tx.OwnCurves.Newest(ctx, who.Scope(false), MaxOwnCurves)
	})
}

// Make makes curves from the ended seasons for which one crop was entered and a profile is active, and puts them in force
// for the company; a preview stores nothing. Faults: Invalid (too_few_labelled, too_many_labelled).
func (c *Curves) Make(ctx context.Context, who access.Principal, preview bool) (cropcheck.Own, error) {
	type labelled struct {
		seasons []cropcheck.LabelledSeason
		leftOut map[string]int
	}
	now, scope := c.Clock.Now(), who.Scope(false)
	found, err := app.Read(ctx, c.Deps, who, access.MakeCropCurves, func(ctx context.Context, tx ports.Repos) (out labelled, err error) {
		out.seasons, out.leftOut, err = labelledSeasons(ctx, tx, scope, now)
		return out, err
	})
	if err != nil {
		return cropcheck.Own{}, err
	}
	own, err := cropcheck.MakeOwn(effort.Of(ctx, maxCurveSteps), found.seasons)
	if errors.Is(err, effort.ErrSpent) {
		return own, fault.New(fault.Invalid, "too_many_labelled", "There are too many labelled seasons and crops for one request.")
	}
	if err != nil {
		return own, err
	}
	own.LeftOut, own.CreatedAt = found.leftOut, now
	if who.UserID > 0 {
		own.CreatedBy = &record.Ref{ID: who.UserID}
	}
	if preview {
		return own, nil
	}
	return own, app.Do(ctx, c.Deps, who, access.MakeCropCurves, func(ctx context.Context, tx ports.Repos) error {
		if err := tx.OwnCurves.Insert(ctx, scope, &own); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, audit.By(who, now).Of(audit.Create, ownCurvesName, own.ID, nil))
	})
}

// ownCurvesName is the name of the resource in the audit trail.
const ownCurvesName = "crop_curves"

// Remove takes curves out of force; the previous ones are in force again. Faults: NotFound.
func (c *Curves) Remove(ctx context.Context, who access.Principal, id int64) error {
	return app.Do(ctx, c.Deps, who, access.MakeCropCurves, func(ctx context.Context, tx ports.Repos) error {
		now := c.Clock.Now()
		if err := tx.OwnCurves.Remove(ctx, who.Scope(false), id, now); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, audit.By(who, now).Of(audit.Delete, ownCurvesName, id, nil))
	})
}

// labelledSeasons returns the seasons of a company's fields whose crop and series are known, and counts those left out.
// A season is labelled by the slug of its crop.
func labelledSeasons(ctx context.Context, tx ports.Repos, scope access.Scope, now time.Time) ([]cropcheck.LabelledSeason, map[string]int, error) {
	land, err := landOf(ctx, tx, scope)
	if err != nil {
		return nil, nil, err
	}
	var out []cropcheck.LabelledSeason
	leftOut := map[string]int{}
	for _, grown := range land.grown() {
		season, crops := land.seasons[grown.seasonID], grown.crops
		order, ordered := land.orders[[2]int64{grown.fieldID, grown.seasonID}]
		switch {
		case len(crops) > 1:
			leftOut[leftSeveralCrops]++
		case !now.After(season.EndDate):
			leftOut[leftRunning]++
		case !ordered:
			leftOut[leftNoProfile]++
		case len(out) == cropcheck.MaxOwnSamples:
			leftOut[leftTooMany]++
		default:
			s, reason, err := labelledSeason(ctx, tx, scope, order)
			if err != nil {
				return nil, nil, err
			}
			if reason != "" {
				leftOut[reason]++
				continue
			}
			s.Class, s.From, s.To = land.crops[crops[0]].Slug, season.StartDate, season.EndDate
			out = append(out, s)
		}
	}
	return out, leftOut, nil
}

// labelledSeason reads the series of an order, or returns the reason why it is of no use.
func labelledSeason(ctx context.Context, tx ports.Repos, scope access.Scope, order vegetation.OrderState) (s cropcheck.LabelledSeason, reason string, err error) {
	stored, err := tx.Orders.Series(ctx, scope, order.ID, vegetation.Reading{Index: ndvi})
	if err != nil || len(stored.Observations) < cropcheck.MinObservations {
		return s, leftTooFew, err
	}
	field, err := tx.Fields.Get(ctx, scope, order.FieldID)
	if err != nil || field.Boundary == nil {
		return s, leftNoBoundary, err
	}
	observed := make([]cropcheck.Observation, len(stored.Observations))
	for i, o := range stored.Observations {
		observed[i] = cropcheck.Observation{Date: o.Date, NDVI: o.Value, Coverage: o.Coverage}
	}
	centre := field.Boundary.Centroid()
	s.FieldID, s.Place = order.FieldID, cropcheck.Place{Lon: centre.X, Lat: centre.Y}
	s.Series, err = cropcheck.NewSeries(false, observed)
	return s, "", err
}

// grownSeason holds the crops of a field in a season.
type grownSeason struct {
	fieldID, seasonID int64
	crops             []int64
}

// grown returns the seasons of fields with their crops, in the order of ids.
func (l verificationLand) grown() []grownSeason {
	var out []grownSeason
	at := map[[2]int64]int{}
	for _, field := range slices.Sorted(maps.Keys(l.cultivations)) {
		for _, c := range l.cultivations[field] {
			key := [2]int64{field, c.Season.ID}
			i, ok := at[key]
			if !ok {
				i, at[key] = len(out), len(out)
				out = append(out, grownSeason{fieldID: field, seasonID: c.Season.ID})
			}
			if !slices.Contains(out[i].crops, c.Crop.ID) {
				out[i].crops = append(out[i].crops, c.Crop.ID)
			}
		}
	}
	return out
}

// ownEdition returns the company's curves in force for a crop at a place.
func ownEdition(own []cropcheck.Own, place cropcheck.Place, crop farm.Crop) (cropcheck.Edition, bool) {
	if len(own) == 0 || !own[0].Set.Has([]string{crop.Slug}) {
		return cropcheck.Edition{}, false
	}
	return cropcheck.Of(place, []cropcheck.Edition{own[0].Edition()})
}
