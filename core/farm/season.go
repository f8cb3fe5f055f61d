package farm

import (
	"time"

	"tilth/core/fault"
	"tilth/core/record"
)

// SeasonKinds are the kinds of growing season.
var SeasonKinds = []string{"annual", "winter", "summer", "perennial_year", "other"}

// MaxSeasonDays bounds a season: three years with a leap day.
const MaxSeasonDays = 1096

// Season is a span of days in which crops grow. It may cross the turn of the year and overlap other seasons.
type Season struct {
	record.Meta
	Name        string
	StartDate   time.Time // civil date (midnight UTC)
	EndDate     time.Time // civil date, inclusive
	HarvestYear int       // 0 on input: the year of the end
	Kind        string
	IsClosed    bool
	record.External
}

// Normalise sets the defaults.
func (r *Season) Normalise() {
	if r.HarvestYear == 0 && !r.EndDate.IsZero() {
		r.HarvestYear = r.EndDate.Year()
	}
}

// Check returns what is wrong with the record itself.
func (r *Season) Check() fault.Fields {
	f := fault.Fields{}
	f.RequiredText("name", r.Name, 255)
	checkSeasonYear(f, "start_date", r.StartDate)
	checkSeasonYear(f, "end_date", r.EndDate)
	if !r.StartDate.IsZero() && !r.EndDate.IsZero() {
		days := int(r.EndDate.Sub(r.StartDate).Hours()/24) + 1
		switch {
		case days < 1:
			f.Add("end_date", "The season must not end before it starts.")
		case days > MaxSeasonDays:
			f.Addf("end_date", "A season lasts at most %d days; this one has %d.", MaxSeasonDays, days)
		}
	}
	if r.HarvestYear != 0 && (r.HarvestYear < 1900 || r.HarvestYear > 2200) {
		f.Add("harvest_year", "A year from 1900 to 2200.")
	}
	choice(f, "kind", r.Kind, SeasonKinds)
	r.External.Check(f)
	return f
}

func checkSeasonYear(f fault.Fields, field string, d time.Time) {
	switch {
	case d.IsZero():
		f.Add(field, "This field is required.")
	case d.Year() < 1900 || d.Year() > 2200:
		f.Add(field, "A date from 1900-01-01 to 2200-12-31.")
	}
}

// SameDates reports whether two seasons span the same days.
func (r *Season) SameDates(o *Season) bool {
	return r.StartDate.Equal(o.StartDate) && r.EndDate.Equal(o.EndDate)
}
