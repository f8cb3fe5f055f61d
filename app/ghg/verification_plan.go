package ghg

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/cropcheck"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/core/verification"
	"tilth/ports"
)

// verificationPlan is what a check has to look at, or why there is nothing to look at.
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
	field    verification.Field // pending with a reason where it cannot be looked at
	boundary geo.MultiPolygon
	digest   string // of the boundary
	season   farm.Season
	place    cropcheck.Place
	order    *vegetation.OrderState // active, of the season
	curves   cropcheck.Set
}

// plan reads what the check needs to know.
func (w *VerificationWorker) plan(ctx context.Context, run task.Run[ports.Repos], said declaredCrops) (verificationPlan, error) {
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
			return make([]farm.Field, len(ids)), false, nil // their number is all that matters
		}
	}
	found, err := tx.Fields.GetMany(ctx, scope, ids)
	for _, id := range slices.Sorted(maps.Keys(found)) {
		fields = append(fields, found[id])
	}
	return fields, a.ResourceType == assessment.OfField && len(fields) == 0, err
}

// verificationLand is the records of a company that tell which season to look at.
type verificationLand struct {
	cultivations map[int64][]farm.Cultivation // by field
	seasons      map[int64]farm.Season
	crops        map[int64]farm.Crop
	orders       map[[2]int64]vegetation.OrderState // active, by field and season
}

// landOf reads them in one query each.
func landOf(ctx context.Context, tx ports.Repos, scope access.Scope, a *assessment.Assessment) (verificationLand, error) {
	l := verificationLand{cultivations: map[int64][]farm.Cultivation{}, orders: map[[2]int64]vegetation.OrderState{}}
	of := ports.Filter{Name: string(a.ResourceType), Value: a.ResourceID} // both lists are filtered by farm and by field
	seasons, crops := map[int64]bool{}, map[int64]bool{}
	for c, err := range tx.Cultivations.Each(ctx, scope, ports.Query{Filters: []ports.Filter{of}}) {
		if err != nil {
			return l, err
		}
		l.cultivations[c.Field.ID] = append(l.cultivations[c.Field.ID], c)
		seasons[c.Season.ID], crops[c.Crop.ID] = true, true
	}
	active := ports.Filter{Name: "status", Value: string(vegetation.Active)}
	for o, err := range tx.Orders.Each(ctx, scope, ports.Query{Filters: []ports.Filter{of, active}}) {
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

func (w *VerificationWorker) targets(ctx context.Context, run task.Run[ports.Repos], said declaredCrops, fields []farm.Field) ([]verificationTarget, error) {
	l, err := landOf(ctx, run.Tx, run.Scope, &said.assessment)
	if err != nil {
		return nil, err
	}
	editions, err := w.Curves.InForce(ctx, run.Tx.Curves)
	if err != nil {
		return nil, err
	}
	out := make([]verificationTarget, len(fields))
	for i, f := range fields {
		out[i] = l.target(said, f, editions, run.Now)
	}
	return out, nil
}
