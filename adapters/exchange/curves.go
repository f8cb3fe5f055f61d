package exchange

import (
	"bytes"
	_ "embed"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"tilth/core/cropcheck"
)

// The curves that Tilth comes with: medians that `tilth curves build` computed from labelled
// MOD13Q1 series of Mato Grosso, 2000–2016, part of the samples of Camara et al. 2019, Land
// use and land cover sample data for Mato Grosso, PANGAEA, 899706. MOD13Q1 is by NASA LP DAAC.
//
//go:embed curves_mato_grosso.csv
var builtInCurves []byte

// builtInScope is shown wherever a verdict rests on the curves that Tilth comes with.
const builtInScope = "The curves are of double-cropping systems of Mato Grosso, Brazil, seen at 250 m; they say nothing about other regions."

// fileScope is shown wherever a verdict rests on curves of a file.
const fileScope = "The curves apply to the region and sensor they were made from; the confidence was calibrated on Mato Grosso, Brazil, at 250 m."

// builtInExtent is the box of the labelled samples, outwards to half degrees.
var builtInExtent = cropcheck.Extent{West: -60.5, South: -17.5, East: -51.5, North: -9.5}

// matoGrossoYear is the growing year of a curves file that has no column `start`: that of the
// samples of Mato Grosso, whose first composite begins on 14 September.
var matoGrossoYear = cropcheck.GrowingYear{Month: time.September, Day: 14}

// Curves reads and writes the files of crop verification.
type Curves struct{}

// BuiltIn returns the curves that Tilth comes with.
func (Curves) BuiltIn() (cropcheck.Set, error) {
	s, err := Curves{}.ReadCurves(bytes.NewReader(builtInCurves))
	if err != nil {
		return s, err
	}
	extent := builtInExtent
	s.Scope, s.Extent = builtInScope, &extent
	return s, nil
}

// startLayout is how a growing year's first day is written: 09-14.
const startLayout = "01-02"

var curveColumns = []string{"class", "start", "step", "day", "ndvi_median", "ndvi_p25", "ndvi_p75", "evi_median", "n", "max_distance", "max_shape", "max_distance_evi", "max_shape_evi"}

// eviColumns are left out of curves without EVI.
var eviColumns = []string{"evi_median", "max_distance_evi", "max_shape_evi"}

// ReadCurves reads curves: CSV with a header and one line per step. `class`, `day` (since the beginning of the growing
// year) and `ndvi_median` are required; `start` is the growing year's first day, the same on all lines, written as 09-14,
// which is also the default; the set has EVI where every line has `evi_median`. The caps of a class are on its lines:
// `max_distance` and `max_shape` by NDVI, `max_distance_evi` and `max_shape_evi` by NDVI and EVI. Faults: Invalid, with
// the line if the fault is in a line.
func (Curves) ReadCurves(r io.Reader) (cropcheck.Set, error) {
	var curves []cropcheck.Curve
	at := map[string]int{}
	year, lines, hasEVI := matoGrossoYear, 0, true
	err := readTable(r, []string{"class", "day", "ndvi_median"}, func(row *row) error {
		class := row.text("class")
		step := cropcheck.Step{
			Day: row.integer("day"), NDVI: row.number("ndvi_median"), P25: row.optional("ndvi_p25"), P75: row.optional("ndvi_p75"),
			EVI: row.optional("evi_median"), N: int(row.optional("n")),
		}
		y := matoGrossoYear
		if row.get("start") != "" {
			d := parsed(row, "start", "day such as 09-14", func(text string) (time.Time, error) { return time.Parse(startLayout, text) })
			y = cropcheck.GrowingYear{Month: d.Month(), Day: d.Day()}
		}
		if lines++; lines > 1 && y != year {
			return errors.New("start is not that of the lines above; the curves of a file share their growing year")
		}
		year, hasEVI = y, hasEVI && row.get("evi_median") != ""
		i, ok := at[class]
		if !ok {
			i, at[class] = len(curves), len(curves)
			curves = append(curves, cropcheck.Curve{Class: class, CapNDVI: readCap(row, ""), CapBoth: readCap(row, "_evi")})
		}
		curves[i].Steps = append(curves[i].Steps, step)
		return nil
	})
	if err != nil {
		return cropcheck.Set{}, err
	}
	s, err := cropcheck.NewSet(year, hasEVI, curves)
	if err == nil {
		s.Scope = fileScope
	}
	return s, err
}

// readCap reads the cap of a line; nil where it has none.
func readCap(row *row, indices string) *cropcheck.Cap {
	if row.get("max_distance"+indices) == "" {
		return nil
	}
	return &cropcheck.Cap{Distance: row.number("max_distance" + indices), Shape: row.number("max_shape" + indices)}
}

// WriteCurves writes curves as ReadCurves reads them, indices to four decimals.
func (Curves) WriteCurves(w io.Writer, s cropcheck.Set) error {
	columns := curveColumns
	if !s.HasEVI {
		columns = slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return slices.Contains(eviColumns, c) })
	}
	out := newSheet(w, columns)
	start := time.Date(2001, s.Year.Month, s.Year.Day, 0, 0, 0, 0, time.UTC).Format(startLayout)
	index := func(v float64) figure { return figure(strconv.FormatFloat(v, 'f', 4, 64)) }
	caps := func(c *cropcheck.Cap) []any {
		if c == nil {
			return []any{"", ""}
		}
		return []any{index(c.Distance), index(c.Shape)}
	}
	for _, c := range s.Curves {
		for i, step := range c.Steps {
			line := []any{c.Class, start, i, step.Day, index(step.NDVI), index(step.P25), index(step.P75)}
			if s.HasEVI {
				line = append(line, index(step.EVI))
			}
			line = append(append(line, step.N), caps(c.CapNDVI)...)
			if s.HasEVI {
				line = append(line, caps(c.CapBoth)...)
			}
			_ = out.line(line...) // end returns the first error
		}
	}
	return out.end()
}
