package cropcheck

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/core/cropcheck"
)

// unseen is a set of series of a class that has no curve.
type unseen struct {
	name   string
	series []cropcheck.Series
}

// firstDay is the first day of the growing year of Mato Grosso.
var firstDay = time.Date(2016, time.September, 14, 0, 0, 0, 0, time.UTC)

// yearOf makes a series of a growing year from values of NDVI and EVI that are every days apart.
func yearOf(every float64, ndvi, evi []float64) cropcheck.Series {
	s := cropcheck.Series{HasEVI: true}
	for i := range ndvi {
		if !math.IsNaN(ndvi[i]) {
			day := firstDay.AddDate(0, 0, int(math.Round(float64(i)*every)))
			s.Observations = append(s.Observations, cropcheck.Observation{Date: day, NDVI: ndvi[i], EVI: evi[i], Coverage: 1})
		}
	}
	return s
}

// months is the number of composites in a year of East Africa.
const months = 12

// elsewhere reads labelled series of East Africa: monthly composites of Sentinel-2 from December on, with each month at its
// place in the growing year, so that September to November come first. Series that lack more than two months are left out.
func elsewhere(samples, series io.Reader) ([]unseen, error) {
	labels, err := column(samples, "sample_id", "sampling_label")
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(series).ReadAll()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	type year struct{ ndvi, evi []float64 }
	byID := map[string]*year{}
	for _, line := range lines[1:] {
		id := line[at["sample_id"]]
		if byID[id] == nil {
			byID[id] = &year{}
		}
		reflectance := func(band string) float64 {
			dn, err := strconv.ParseFloat(line[at[band]], 64)
			if err != nil {
				return math.NaN() // no clear observation
			}
			return dn / 10_000
		}
		blue, red, nir := reflectance("B02"), reflectance("B04"), reflectance("B08")
		byID[id].ndvi = append(byID[id].ndvi, (nir-red)/(nir+red))
		byID[id].evi = append(byID[id].evi, 2.5*(nir-red)/(nir+6*red-7.5*blue+1))
	}
	byLabel := map[string][]cropcheck.Series{}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		y := byID[id]
		if len(y.ndvi) != months {
			return nil, fmt.Errorf("%s has %d months", id, len(y.ndvi))
		}
		fromSeptember := func(v []float64) []float64 { return append(slices.Clone(v[9:]), v[:9]...) }
		if s := yearOf(365.0/months, fromSeptember(y.ndvi), fromSeptember(y.evi)); len(s.Observations) >= months-2 {
			byLabel[labels[id]] = append(byLabel[labels[id]], s)
		}
	}
	var out []unseen
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		out = append(out, unseen{"East Africa: " + strings.ReplaceAll(label, "_", " "), byLabel[label]})
	}
	return out, nil
}

// column reads a column of a table by the column of its keys.
func column(r io.Reader, key, value string) (map[string]string, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	k, v := slices.Index(lines[0], key), slices.Index(lines[0], value)
	out := map[string]string{}
	for _, line := range lines[1:] {
		out[line[k]] = line[v]
	}
	return out, nil
}

// outOfSeason returns the labelled crops as if they had grown that many days later in the year.
func outOfSeason(samples []cropcheck.Sample, days int) unseen {
	out := unseen{name: fmt.Sprintf("Mato Grosso: crops %d days late", days)}
	for _, s := range samples {
		if natural(s.Class) {
			continue
		}
		moved := cropcheck.Series{HasEVI: s.Series.HasEVI}
		for _, o := range s.Series.Observations {
			day := (int(o.Date.Sub(s.Start)/(24*time.Hour)) + days) % 368 // 23 composites of 16 days
			o.Date = firstDay.AddDate(0, 0, day)
			moved.Observations = append(moved.Observations, o)
		}
		slices.SortFunc(moved.Observations, func(a, b cropcheck.Observation) int { return a.Date.Compare(b.Date) })
		out.series = append(out.series, moved)
	}
	return out
}

// natural reports whether a class of Mato Grosso is not a crop.
func natural(class string) bool { return class == "Cerrado" || class == "Pasture" }

// madeUp returns flat years: open water, bare ground, and evergreen canopies with a weak season.
func madeUp() []unseen {
	flat := func(ndvi, evi, season float64) cropcheck.Series {
		var n, e []float64
		for i := range 23 {
			wave := season * math.Sin(2*math.Pi*float64(i)/23)
			n, e = append(n, ndvi+wave), append(e, evi+wave)
		}
		return yearOf(16, n, e)
	}
	water, bare, green := unseen{name: "Made up: water"}, unseen{name: "Made up: bare ground"}, unseen{name: "Made up: evergreen canopy"}
	for _, season := range []float64{0, 0.02, 0.04} {
		for _, v := range []float64{-0.3, -0.2, -0.1} {
			water.series = append(water.series, flat(v, v/2, season/4))
		}
		for _, v := range []float64{0.05, 0.1, 0.15} {
			bare.series = append(bare.series, flat(v, 0.8*v, season))
		}
		for _, v := range []float64{0.8, 0.84, 0.88} {
			for _, e := range []float64{0.45, 0.5, 0.55} {
				green.series = append(green.series, flat(v, e, season))
			}
		}
	}
	return []unseen{water, bare, green}
}

// rejection is the result for series whose class has no curve.
type rejection struct {
	name     string
	n        int
	none     float64 // the share that resembles none
	verified float64 // the share that is verified as any crop of the catalog
}

// reject judges unseen series by curves.
func reject(all []unseen, curves cropcheck.Set, crops [][]string, withEVI bool) []rejection {
	var out []rejection
	for _, u := range all {
		r := rejection{name: u.name, n: len(u.series)}
		for _, s := range u.series {
			s.HasEVI = withEVI
			if cropcheck.Resembles(curves.Rank(s)) == cropcheck.ResemblesNone { // fails under every declaration
				r.none++
			} else if slices.ContainsFunc(crops, func(declared []string) bool {
				return cropcheck.Check(cropcheck.Subject{Series: s, Declared: declared}, curves).Verdict == cropcheck.Verified
			}) {
				r.verified++
			}
		}
		r.none, r.verified = r.none/float64(r.n), r.verified/float64(r.n)
		out = append(out, r)
	}
	return out
}

// kinds are the land uses of Mato Grosso that look different from each other.
var kinds = []struct {
	name string
	is   func(class string) bool
}{
	{"Cerrado and pasture", natural},
	{"Crops", func(class string) bool { return !natural(class) }},
}

// rejectKinds judges the held-out series of each kind as if no curve of the kind existed.
func rejectKinds(all []cropcheck.HeldOut) []rejection {
	var out []rejection
	for _, kind := range kinds {
		own := slices.DeleteFunc(slices.Clone(all), func(h cropcheck.HeldOut) bool { return !kind.is(h.Sample.Class) })
		out = append(out, rejection{name: "Mato Grosso: " + strings.ToLower(kind.name) + ", without curves of their kind", n: len(own), none: share(own, withoutKind)})
	}
	return out
}
