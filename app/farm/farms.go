package farm

import (
	"context"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/country"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// NewFarms makes the use cases of farms.
func NewFarms(deps app.Deps) *Records[farm.Farm] {
	return NewRecords(deps, Rules[farm.Farm]{
		Access: access.Farms,
		Repo:   func(tx ports.Repos) ports.Records[farm.Farm] { return tx.Farms },
		Meta:   func(r *farm.Farm) *record.Meta { return &r.Meta },
		Check:  checkFarm,
		Empty:  emptyFarm,
		Remove: removeFarms,
		Revive: reviveFarm,
	})
}

// emptyFarm refuses a farm that has fields or assessments, or that is shared with others. The farm is locked, so whoever would add one waits.
func emptyFarm(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Farm) error {
	fields, err := tx.Fields.IDsOfFarm(ctx, scope, r.ID)
	if err != nil {
		return err
	}
	assessments, err := tx.Assessments.Count(ctx, scope, ports.Query{Filters: []ports.Filter{{Name: "farm", Value: r.ID}}})
	if err != nil {
		return err
	}
	var shares int64
	for _, open := range []access.GrantStatus{access.GrantPending, access.GrantAccepted} {
		n, err := tx.Grants.Count(ctx, scope, ports.GrantQuery{Given: true, Farm: r.ID, Status: open})
		if err != nil {
			return err
		}
		shares += n
	}
	if len(fields) == 0 && assessments == 0 && shares == 0 {
		return nil
	}
	return fault.Newf(fault.Conflict, "not_empty", "The farm has %d fields, %d assessments and %d shares. Fix: delete them first, or send the request without empty.",
		len(fields), assessments, shares)
}

func removeFarms(ctx context.Context, tx ports.Repos, scope access.Scope, farms []*farm.Farm, at time.Time) error {
	var fields []int64
	for _, r := range farms {
		of, err := tx.Fields.IDsOfFarm(ctx, scope, r.ID)
		if err != nil {
			return err
		}
		fields = append(fields, of...)
	}
	if len(fields) == 0 {
		return nil
	}
	if err := emptyFields(ctx, tx, scope, fields, at); err != nil {
		return err
	}
	if _, err := tx.Fields.SoftDelete(ctx, scope, fields, at); err != nil {
		return err
	}
	return forgetOverlaps(ctx, tx, scope, fields, at)
}

func checkFarm(r *farm.Farm) fault.Fields {
	f := r.Check()
	if r.Country != "" && !country.Known(r.Country) {
		f.Addf("country", "%q is not a country key; keys are snake_case names such as spain, united_states, cote_divoire.", r.Country)
	}
	if r.Timezone != "" {
		if _, err := time.LoadLocation(r.Timezone); err != nil || r.Timezone == "Local" {
			f.Addf("timezone", "%q is not an IANA time zone; write it as Europe/Madrid.", r.Timezone)
		}
	}
	return f
}
