package cropcheck

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/record"
)

// OwnRegion names, in evidence, curves that a company made of its own labelled fields.
const OwnRegion = "own"

// MaxOwnSamples bounds the labelled seasons that a company's curves are made of.
const MaxOwnSamples = 2000

// Own is curves of a company's own labelled fields, by NDVI, with how they perform on blocks that they are not made of.
type Own struct {
	ID        int64
	Set       Set
	Figures   Figures
	LeftOut   map[string]int // labelled seasons that were not used, by reason
	CreatedAt time.Time
	CreatedBy *record.Ref
}

// Edition returns the curves under the name that evidence uses for them.
func (o Own) Edition() Edition {
	return Edition{Region: OwnRegion, Version: strconv.FormatInt(o.ID, 10), Set: o.Set, ImportedAt: o.CreatedAt}
}

// LabelledSeason is a season of a field with its known crop.
type LabelledSeason struct {
	FieldID  int64
	Class    string
	From, To time.Time // the season
	Place    Place
	Series   Series
}

// ownScope is shown wherever a verdict rests on a company's own curves.
const ownScope = "The curves come from the company's own labelled fields; the confidence was calibrated on Mato Grosso, Brazil, at 250 m."

// ownMargin is the distance from its labelled fields, in degrees, up to which a company's curves are used: about the
// block that the figures keep apart.
const ownMargin = 0.5

// MakeOwn makes curves of labelled seasons. The growing year begins where the seasons do; where they begin on different
// days, on the most frequent one. Faults: Invalid (too_few_labelled) where no class has enough series for a cap; the
// error of the budget where that is exhausted.
func MakeOwn(budget *effort.Budget, seasons []LabelledSeason) (Own, error) {
	tooFew := fault.Newf(fault.Invalid, "too_few_labelled",
		"No crop has %d labelled seasons with a profile, in at least two places. Enter cultivations of seasons that have ended, and order their profiles.", MinCapped)
	if len(seasons) == 0 {
		return Own{}, tooFew
	}
	year := usualYear(seasons)
	samples := make([]Sample, len(seasons))
	extent := Extent{West: 180, South: 90, East: -180, North: -90}
	for i, s := range seasons {
		middle := s.From.Add(s.To.Sub(s.From) / 2).Truncate(24 * time.Hour)
		samples[i] = Sample{ID: strconv.FormatInt(s.FieldID, 10), Class: s.Class, Start: year.begin(middle), Place: s.Place, Series: s.Series}
		samples[i].Series.HasEVI = false
		extent.West, extent.East = min(extent.West, s.Place.Lon), max(extent.East, s.Place.Lon)
		extent.South, extent.North = min(extent.South, s.Place.Lat), max(extent.North, s.Place.Lat)
	}
	set, err := Build(budget, samples)
	if err != nil {
		return Own{}, err
	}
	if !slices.ContainsFunc(set.Curves, func(c Curve) bool { return c.CapNDVI != nil }) {
		return Own{}, tooFew
	}
	set.Scope = ownScope
	set.Extent = &Extent{
		West: max(extent.West-ownMargin, -180), South: max(extent.South-ownMargin, -90),
		East: min(extent.East+ownMargin, 180), North: min(extent.North+ownMargin, 90),
	}
	held, err := CrossValidate(budget, samples)
	return Own{Set: set, Figures: FiguresOf(held)}, err
}

// usualYear returns the day on which most seasons begin, the earliest of equal ones; 29 February counts as the day
// before.
func usualYear(seasons []LabelledSeason) GrowingYear {
	starts := map[GrowingYear]int{}
	for _, s := range seasons {
		g := GrowingYear{s.From.Month(), s.From.Day()}
		if g == (GrowingYear{time.February, 29}) {
			g.Day = 28
		}
		starts[g]++
	}
	return slices.MaxFunc(slices.SortedFunc(maps.Keys(starts), GrowingYear.compare), func(a, b GrowingYear) int { return cmp.Compare(starts[a], starts[b]) })
}

// Share is a count as a share of all, to four decimals; 0 of none.
func Share(n, all int) float64 {
	if all == 0 {
		return 0
	}
	return math.Round(10_000*float64(n)/float64(all)) / 10_000
}
