package cropcheck

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/cropcheck"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/core/verification"
	"tilth/ports"
)

// verificationPlan is what a check has to examine, or the reason why there is nothing to examine.
type verificationPlan struct {
	reason  verification.Reason
	text    string
	targets []verificationTarget
}

func nothingToVerify(reason verification.Reason, text string) verificationPlan {
	return verificationPlan{reason: reason, text: text}
}

// verificationTarget is one field of a check.
type verificationTarget struct {
	field    verification.Field // pending, with a reason, if it cannot be examined
	boundary geo.MultiPolygon
	digest   string // of the boundary
	season   farm.Season
	place    cropcheck.Place
	order    *vegetation.OrderState // active, of the season
	curves   cropcheck.Set
}

// plan reads what the check needs to know.
func (w *Worker) plan(ctx context.Context, run task.Run[ports.Repos], said declaredCrops) (verificationPlan, error) {
	switch {
	case said.assessment.Year == nil:
		return nothingToVerify(verification.ReasonNoYear, "The assessment states no year."), nil
	case said.cropType == "":
		return nothingToVerify(verification.ReasonNoCrop, "The assessment states no crop."), nil
	}
	fields, gone, err := fieldsOf(ctx, run.Tx, run.Scope, &said.assessment)
	switch {
	case err != nil:
		return verificationPlan{}, err
	case gone:
		return nothingToVerify(verification.ReasonGone, "The farm or field of the assessment is deleted."), nil
	case len(fields) == 0:
		return nothingToVerify(verification.ReasonNoField, "The farm has no fields."), nil
	case len(fields) > verification.MaxFields:
		text := fmt.Sprintf("The farm has %d fields; farms of up to %d are checked.", len(fields), verification.MaxFields)
		return nothingToVerify(verification.ReasonManyFields, text), nil
	}
	targets, err := w.targets(ctx, run, said, fields)
	return verificationPlan{targets: targets}, err
}

// fieldsOf returns the live fields of an assessment in the order of ids; gone reports that its
// farm or field is deleted.
func fieldsOf(ctx context.Context, tx ports.Repos, scope access.Scope, a *assessment.Assessment) (fields []farm.Field, gone bool, err error) {
	ids := []int64{a.ResourceID}
	if a.ResourceType == assessment.OfFarm {
		farms, err := tx.Farms.GetMany(ctx, scope, ids)
		if err != nil || len(farms) == 0 {
			return nil, err == nil, err
		}
		if ids, err = tx.Fields.IDsOfFarm(ctx, scope, a.ResourceID); err != nil {
			return nil, false, err
		}
		if len(ids) > verification.MaxFields {
			return make([]farm.Field, len(ids)), false, nil // only their number matters
		}
	}
	found, err := tx.Fields.GetMany(ctx, scope, ids)
	for _, id := range slices.Sorted(maps.Keys(found)) {
		fields = append(fields, found[id])
	}
	return fields, a.ResourceType == assessment.OfField && len(fields) == 0, err
}

// verificationLand holds the records of a company that determine which season to examine.
type verificationLand struct {
	cultivations map[int64][]farm.Cultivation // by field
	seasons      map[int64]farm.Season
	crops        map[int64]farm.Crop
	orders       map[[2]int64]vegetation.OrderState // active, by field and season
}

// landOf reads these records, one query for each kind. of filters both cultivations and orders,
// such as by farm or by field.
func landOf(ctx context.Context, tx ports.Repos, scope access.Scope, of ...ports.Filter) (verificationLand, error) {
	l := verificationLand{cultivations: map[int64][]farm.Cultivation{}, orders: map[[2]int64]vegetation.OrderState{}}
	seasons, crops := map[int64]bool{}, map[int64]bool{}
	for c, err := range tx.Cultivations.Each(ctx, scope, ports.Query{Filters: of}) {
		if err != nil {
			return l, err
		}
		l.cultivations[c.Field.ID] = append(l.cultivations[c.Field.ID], c)
		seasons[c.Season.ID], crops[c.Crop.ID] = true, true
	}
	active := ports.Filter{Name: "status", Value: string(vegetation.Active)}
	for o, err := range tx.Orders.Each(ctx, scope, ports.Query{Filters: append(slices.Clone(of), active)}) {
		if err != nil {
			return l, err
		}
		l.orders[[2]int64{o.FieldID, o.SeasonID}] = o
	}
	var err error
	if l.seasons, err = tx.Seasons.GetMany(ctx, scope, slices.Sorted(maps.Keys(seasons))); err != nil {
		return l, err
	}
	l.crops, err = tx.Crops.GetMany(ctx, slices.Sorted(maps.Keys(crops)))
	return l, err
}

func (w *Worker) targets(ctx context.Context, run task.Run[ports.Repos], said declaredCrops, fields []farm.Field) ([]verificationTarget, error) {
	l, err := landOf(ctx, run.Tx, run.Scope, ports.Filter{Name: string(said.assessment.ResourceType), Value: said.assessment.ResourceID})
	if err != nil {
		return nil, err
	}
	editions, err := w.Curves.InForce(ctx, run.Tx.Curves)
	if err != nil {
		return nil, err
	}
	own, err := run.Tx.OwnCurves.Newest(ctx, run.Scope, 1)
	if err != nil {
		return nil, err
	}
	out := make([]verificationTarget, len(fields))
	for i, f := range fields {
		out[i] = l.target(said, f, curvesInForce{own, editions}, run.Now)
	}
	return out, nil
}

// curvesInForce are the curves for a check: the company's own, the newest first, and those of regions.
type curvesInForce struct {
	own      []cropcheck.Own
	editions []cropcheck.Edition
}

// The indices that curves may hold.
const (
	ndvi = "NDVI"
	evi  = "EVI"
)

// target returns what there is to examine for a field, or the reason why there is nothing.
func (l verificationLand) target(said declaredCrops, f farm.Field, curves curvesInForce, now time.Time) verificationTarget {
	t := verificationTarget{field: verification.Field{FieldID: f.ID, FieldName: f.Name, Verdict: verification.Pending}}
	no := func(reason verification.Reason, text string) verificationTarget {
		t.field.Reason, t.field.Text = reason, text
		return t
	}
	var grown []verification.Grown
	for _, c := range l.cultivations[f.ID] {
		grown = append(grown, verification.Grown{Cultivation: c, Season: l.seasons[c.Season.ID], Crop: l.crops[c.Crop.ID]})
	}
	chosen, reason, text := verification.Choose(*said.assessment.Year, said.cropType, grown)
	if reason != "" {
		return no(reason, text)
	}
	t.season = chosen.Season
	t.field.CultivationID, t.field.SeasonID, t.field.SeasonName = chosen.Cultivation.ID, chosen.Season.ID, chosen.Season.Name
	t.field.CropName, t.field.Declared = chosen.Crop.Name, chosen.Crop.CurveClasses
	if f.Boundary == nil {
		return no(verification.ReasonNoBoundary, "The field has no boundary.")
	}
	centre := f.Boundary.Centroid()
	t.boundary, t.place = f.Boundary.Geometry(), cropcheck.Place{Lon: centre.X, Lat: centre.Y}
	t.digest = boundaryDigest(t.boundary)
	edition, ok := ownEdition(curves.own, t.place, chosen.Crop)
	if ok {
		t.field.Declared = []string{chosen.Crop.Slug}
	} else if edition, ok = cropcheck.Of(t.place, curves.editions); !ok {
		return no(verification.Reason(cropcheck.ReasonNoCoverage), "No curve for crop and region: "+curveScopes(curves.editions))
	}
	t.field.Region, t.field.CurvesVersion, t.field.Scope, t.curves = edition.Region, edition.Version, edition.Set.Scope, edition.Set
	if !edition.Set.Has(t.field.Declared) {
		return no(verification.Reason(cropcheck.ReasonNoCurve), "No curve for crop and region: there is no curve for "+chosen.Crop.Name+". "+edition.Set.Scope)
	}
	if now.Before(t.season.StartDate) {
		return no(verification.ReasonNotBegun, "The season has not begun.")
	}
	if o, ok := l.orders[[2]int64{f.ID, t.season.ID}]; ok {
		t.order = &o
	}
	return t
}

// curveScopes lists the places that the existing curves are valid for.
func curveScopes(editions []cropcheck.Edition) string {
	text := "the existing curves apply to other places."
	for _, e := range editions {
		if e.Set.Scope != "" {
			text += " " + e.Set.Scope
		}
	}
	return text
}

// boundaryDigest returns a digest for comparing boundaries.
func boundaryDigest(m geo.MultiPolygon) string {
	sum := sha256.Sum256(fmt.Append(nil, m))
	return hex.EncodeToString(sum[:16])
}

// look judges a field: on the ordered profile of its season if one is active, on an earlier computation if that still
// holds, or on a series computed now. An error means that an imagery source (or the database) is unavailable.
func (w *Worker) look(ctx context.Context, scope access.Scope, began verification.Record, t *verificationTarget) error {
	if t.field.Reason != "" {
		return nil
	}
	seen, err := w.seen(ctx, scope, began, t)
	if known := (*fault.Error)(nil); errors.As(err, &known) && (known.Kind == fault.Invalid || known.Kind == fault.NotFound) {
		t.field.Reason, t.field.Text = verification.ReasonImagery, known.Message
		return nil
	}
	if err != nil {
		return err
	}
	t.field.Series = seen
	judged, err := cropcheck.NewSeries(seen.HasEVI, seen.Dates)
	if err != nil {
		t.field.Reason, t.field.Text = verification.ReasonImagery, err.Error()
		return nil
	}
	t.field.Judged(cropcheck.Check(cropcheck.Subject{Series: judged, Declared: t.field.Declared, Place: &t.place}, t.curves))
	return nil
}

// seen returns the series of a target.
func (w *Worker) seen(ctx context.Context, scope access.Scope, began verification.Record, t *verificationTarget) (*verification.Series, error) {
	wantsEVI := t.curves.HasEVI
	if t.order != nil {
		if ordered, err := w.ordered(ctx, scope, t, wantsEVI); err != nil || ordered != nil {
			return ordered, err
		}
	}
	if old := verification.SeriesOf(began.Evidence.Fields, t.field.FieldID); old.Reusable(t.season.StartDate, t.season.EndDate, t.digest, wantsEVI, began.StartedAt) {
		return old, nil
	}
	first, err := w.compute(ctx, t, ndvi)
	if err != nil {
		return nil, err
	}
	var second *vegetation.Series
	if wantsEVI {
		computed, err := w.compute(ctx, t, evi)
		if err != nil {
			return nil, err
		}
		second = &computed
	}
	out := verification.NewSeries(t.season.StartDate, t.season.EndDate, first, second)
	out.Boundary, out.ComputedAt = t.digest, w.Clock.Now()
	return &out, nil
}

// ordered returns the series of the active order of the field and season; nil if it lacks any of
// the indices that the curves need.
func (w *Worker) ordered(ctx context.Context, scope access.Scope, t *verificationTarget, wantsEVI bool) (out *verification.Series, err error) {
	return app.In(ctx, w.Store.Read, func(ctx context.Context, tx ports.Repos) (out *verification.Series, err error) {
		first, err := tx.Orders.Series(ctx, scope, t.order.ID, vegetation.Reading{Index: ndvi})
		if err != nil || len(first.Observations)+len(first.Rejected) == 0 {
			return out, err
		}
		var second *vegetation.Series
		if wantsEVI {
			stored, err := tx.Orders.Series(ctx, scope, t.order.ID, vegetation.Reading{Index: evi})
			if err != nil || len(stored.Observations)+len(stored.Rejected) == 0 {
				return out, err
			}
			second = &stored
		}
		s := verification.NewSeries(t.order.StartDate, t.order.EndDate, first, second)
		s.OrderID, s.ComputedAt = t.order.ID, t.order.UpdatedAt
		out = &s
		return out, nil
	})
}

func (w *Worker) compute(ctx context.Context, t *verificationTarget, code string) (vegetation.Series, error) {
	index, err := vegetation.ParseIndex(code)
	if err != nil {
		return vegetation.Series{}, err
	}
	return w.Computer.Compute(ctx, satellite.SeriesRequest{
		Boundary: t.boundary, From: t.season.StartDate, To: t.season.EndDate, Index: index, Mask: vegetation.MaskStandard,
	})
}
