package farm

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tilth/core/agronomy"
	"tilth/core/batch"
)

// Grown is a cultivation with its season.
type Grown struct {
	Cultivation
	Season Season
}

// Name returns the name that distinguishes a cultivation from the others of its field, in any installation: the days of its season, and its crop.
func (g Grown) Name() string {
	return g.Season.StartDate.Format(time.DateOnly) + "/" + g.Season.EndDate.Format(time.DateOnly) + "/" + g.Crop.Name
}

// Application is what a file says was applied, or is to be applied, to a field.
type Application struct {
	Record  Fertilization // without its cultivation
	Cut     bool          // the name of its product may be cut off
	Planned bool          // nothing says that it was done
	Sown    string        // the name of the cultivation, as [Grown.Name]; empty: not known
	Step    float64       // the smallest difference between rates that the file can express, in kilograms or litres per hectare
}

// Applied is the outcome of an application.
type Applied struct {
	FertilizationID int64 // 0: none, or one that would be made
	Product         string
	On              *time.Time
	Outcome         batch.Outcome // Create, Update or Skip
	Reason          string        // why it is not imported
}

// Among returns the cultivation of a field that an application belongs to; said is the one that the file says grows
// there, or 0. Where none is certain, why says so.
func (a Application) Among(grown []Grown, said int64) (id int64, why string) {
	named := slices.DeleteFunc(slices.Clone(grown), func(g Grown) bool { return a.Sown == "" || g.Name() != a.Sown })
	if len(named) == 0 {
		named = slices.DeleteFunc(slices.Clone(grown), func(g Grown) bool { return !a.within(g.Season) })
	}
	if slices.ContainsFunc(named, func(g Grown) bool { return g.ID == said }) {
		return said, ""
	}
	const sow = " Fix: create the cultivation, or name the season (season_id), and import the file again."
	switch {
	case len(named) == 1:
		return named[0].ID, ""
	case len(named) > 1:
		var names []string
		for _, g := range named {
			names = append(names, g.Crop.Name+" in "+g.Season.Name)
		}
		return 0, "It may belong to " + strings.Join(names, " or to ") + ". Fix: enter it as a fertilization of the right one."
	case a.Sown != "":
		return 0, fmt.Sprintf("The field has no cultivation %q.", a.Sown) + sow
	case a.Record.AppliedOn == nil:
		return 0, "The field has no cultivation." + sow
	}
	return 0, "The field has no cultivation in a season that includes " + a.Record.AppliedOn.Format(time.DateOnly) + "." + sow
}

// within reports whether an application may belong to a season; one without a day may belong to any.
func (a Application) within(s Season) bool {
	on := a.Record.AppliedOn
	return on == nil || !on.Before(s.StartDate) && !on.After(s.EndDate)
}

// Says reports whether a fertilization matches what the file says.
func (a Application) Says(f *Fertilization) bool {
	want := &a.Record
	return f.Cultivation.ID == want.Cultivation.ID && f.Product == want.Product && a.calls(f.ProductName) && sameDay(f.AppliedOn, want.AppliedOn) && a.rates(f)
}

// Find returns the fertilization that stands for an application, among the existing ones that are not taken: the one
// with its external id, or else one that says the same; nil where there is none.
func (a Application) Find(there []Fertilization, taken map[int64]bool) *Fertilization {
	for _, is := range []func(f *Fertilization) bool{
		func(f *Fertilization) bool { return a.Record.ExternalID != "" && f.ExternalID == a.Record.ExternalID },
		a.Says,
	} {
		for i := range there {
			if f := &there[i]; !taken[f.ID] && is(f) {
				return f
			}
		}
	}
	return nil
}

func (a Application) calls(name string) bool {
	want, have := oneLine(a.Record.ProductName), oneLine(name)
	return want == have || a.Cut && want != "" && strings.HasPrefix(have, want)
}

func sameDay(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

// rates reports whether a fertilization has the rate that the file says; a total is compared per hectare of the area that it was applied to.
func (a Application) rates(f *Fertilization) bool {
	want, wantVolume, known := a.Record.Rate()
	have, haveVolume, ok := f.Rate()
	if !known || !ok {
		return known == ok
	}
	const rounding = 0.51 // of a step, with what binary fractions add
	return wantVolume == haveVolume && math.Abs(want-have) <= rounding*a.Step
}

// Over returns a fertilization with what the file says; what the file does not say is kept.
func (a Application) Over(f Fertilization) Fertilization {
	want := &a.Record
	f.Cultivation, f.Product, f.AppliedOn = want.Cultivation, want.Product, want.AppliedOn
	if !a.calls(f.ProductName) {
		f.ProductName = want.ProductName
	}
	if want.Amount != nil && !a.rates(&f) {
		f.Amount, f.TreatedAreaHa = want.Amount, nil
	}
	if f.DensityKgPerL == nil {
		f.DensityKgPerL = want.DensityKgPerL
	}
	return f
}

// ProductNamed returns the product of the catalog with a key or a name; a name that may be cut off stands for the only
// product whose name begins with it.
func ProductNamed(name string, cut bool) (agronomy.Product, bool) {
	word := strings.ToLower(oneLine(name))
	var begun []agronomy.Product
	for _, key := range agronomy.ProductKeys() {
		p, _ := agronomy.FindProduct(key)
		called := strings.ToLower(p.Name)
		if word == key || word == called {
			return p, true
		}
		if cut && word != "" && strings.HasPrefix(called, word) {
			begun = append(begun, p)
		}
	}
	if len(begun) == 1 {
		return begun[0], true
	}
	return agronomy.Product{}, false
}
