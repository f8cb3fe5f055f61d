package farm

import (
	"net/http"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
)

// SeasonWrite is the writable form of a season.
type SeasonWrite struct {
	form.OfCompany
	Name        string      `json:"name" minLength:"1" maxLength:"255" doc:"Name of the season; several may have the same."`
	StartDate   member.Date `json:"start_date" doc:"First day. Fixed once a profile of the season is active."`
	EndDate     member.Date `json:"end_date" doc:"Last day; at most 1096 days in all. Fixed once a profile of the season is active."`
	HarvestYear *int        `json:"harvest_year" required:"false" minimum:"1900" maximum:"2200" doc:"Default: the year of the end."`
	Kind        *string     `json:"kind" required:"false" enum:"annual,winter,summer,perennial_year,other" doc:"Which part of the year it is; null: not stated."`
	IsClosed    bool        `json:"is_closed" required:"false" doc:"Whether you are done with the season; a mark for people, which nothing enforces."`
	form.External
}

// Season is a season in answers.
type Season struct {
	form.Meta
	SeasonWrite
}

func registerSeasons(a *rest.API, records *farmapp.Records[farm.Season]) {
	write := func(r farm.Season) SeasonWrite {
		year := r.HarvestYear
		return SeasonWrite{
			OfCompany: form.CompanyOf(r.Meta), Name: r.Name, StartDate: member.DateOf(r.StartDate), EndDate: member.DateOf(r.EndDate),
			HarvestYear: &year, Kind: form.OrNull(r.Kind), IsClosed: r.IsClosed, External: form.ExternalOf(r.External),
		}
	}
	registerRecords(a, records, rest.Resource[SeasonWrite, Season]{
		Plural: "seasons", Shareable: true, Faults: []int{http.StatusBadRequest},
		Description: "A season is a span of days in which crops grow; it may cross the year and overlap others.",
		Filters:     form.WithExternalID(form.ListParams("A part of the name, whatever its case.", "name", "start_date", "end_date")),
		OddBulk:     bulkRefused,
	}, form.Mapping[farm.Season, SeasonWrite, Season]{
		Apply: func(_ *effort.Budget, b SeasonWrite, r *farm.Season) fault.Fields {
			b.Apply(&r.Meta)
			r.Name, r.StartDate, r.EndDate, r.HarvestYear = b.Name, b.StartDate.Time(), b.EndDate.Time(), form.OrZero(b.HarvestYear)
			r.Kind, r.IsClosed, r.External = form.OrZero(b.Kind), b.IsClosed, b.External.Record()
			return nil
		},
		Write: write,
		Show:  func(r farm.Season) Season { return Season{form.MetaOf(r.Meta), write(r)} },
	})
}
