package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"tilth/core/assessment/climate"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/ghg"
)

// ClimateColumns are the columns of a climate file; it may also have a column station.
var ClimateColumns = []string{"latitude", "longitude", "month", "temperature_c", "precipitation_mm", "pet_mm", "source"}

const (
	monthsOfYear     = 12
	maxClimateCells  = 200_000
	maxClimateSource = 300 // characters
)

// ReadClimate reads a climate file: CSV with a header and one line per month of a cell or station, in any order. Its climate
// holds up to maxKm from a cell. Faults: Invalid, naming the line or the cell.
func ReadClimate(r io.Reader, maxKm float64) (*climate.File, error) {
	sum := sha256.New()
	f := climateFile{places: map[geo.Position]int{}}
	if err := readTable(io.TeeReader(r, sum), ClimateColumns, f.add); err != nil {
		return nil, err
	}
	cells := make([]climate.Cell, len(f.cells))
	for i, c := range f.cells {
		for n, line := range c.lines {
			if line == 0 {
				return nil, fault.Field("file", fmt.Sprintf("The cell %g, %g has no month %d.", c.At.Y, c.At.X, n+1))
			}
		}
		cells[i] = c.Cell
	}
	if len(cells) == 0 {
		return nil, fault.Field("file", "The file has no lines below its header.")
	}
	return climate.New(hex.EncodeToString(sum.Sum(nil)), maxKm, cells), nil
}

type climateFile struct {
	places map[geo.Position]int
	cells  []climateCell
}

// climateCell is a cell with the lines of its months; 0: not read yet.
type climateCell struct {
	climate.Cell
	lines [monthsOfYear]int
}

// add takes a line.
func (f *climateFile) add(r *row) error {
	at := geo.Position{X: r.number("longitude"), Y: r.number("latitude")}
	month, source, station := r.integer("month"), r.text("source"), r.get("station")
	values := ghg.ClimateMonth{TemperatureC: r.number("temperature_c"), PrecipitationMm: r.number("precipitation_mm"), PETMm: r.number("pet_mm")}
	if r.err != nil {
		return r.err
	}
	within := func(v, low, high float64) bool { return v >= low && v <= high } // NaN is not
	switch {
	case !within(at.Y, -90, 90) || !within(at.X, -180, 180):
		return errors.New("latitude must be -90 to 90 degrees, longitude -180 to 180")
	case month < 1 || month > monthsOfYear:
		return fmt.Errorf("month %d: it must be 1 to 12", month)
	case !within(values.TemperatureC, ghg.MinMonthC, ghg.MaxMonthC):
		return fmt.Errorf("temperature_c must be %g to %g", ghg.MinMonthC, ghg.MaxMonthC)
	case !within(values.PrecipitationMm, 0, ghg.MaxMonthMm) || !within(values.PETMm, 0, ghg.MaxMonthMm):
		return fmt.Errorf("precipitation_mm and pet_mm must be 0 to %g", ghg.MaxMonthMm)
	case len(source) > maxClimateSource || len(station) > maxClimateSource:
		return fmt.Errorf("source and station may have at most %d characters", maxClimateSource)
	}
	i, known := f.places[at]
	if !known {
		if i = len(f.cells); i == maxClimateCells {
			return fmt.Errorf("the file has more than %d cells; cut it to where it is needed", maxClimateCells)
		}
		f.places[at] = i
		f.cells = append(f.cells, climateCell{Cell: climate.Cell{At: at, Station: station, Source: source, Months: make([]ghg.ClimateMonth, monthsOfYear)}})
	}
	c := &f.cells[i]
	switch {
	case c.lines[month-1] != 0:
		return fmt.Errorf("month %d of the cell %g, %g is already on line %d", month, at.Y, at.X, c.lines[month-1])
	case c.Source != source || c.Station != station:
		return fmt.Errorf("the cell %g, %g has another source or station on a line above", at.Y, at.X)
	}
	c.lines[month-1], c.Months[month-1] = r.lines.At(0), values
	return nil
}
