// Package engine holds the engines that compute greenhouse-gas results behind
// ports.Engine: the built-in one with its embedded factor sets, and a client of an
// external engine.
package engine

import (
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"

	"tilth/core/country"
	"tilth/core/ghg"
)

//go:embed data/*.csv
var data embed.FS

// Editions of the built-in factor sets. A changed number is a new version: results keep
// the digest of what they were computed with.
var editions = []struct{ id, version, gwp string }{
	{ghg.IPCC2019, "2026.5", "ar6"},
	{ghg.IPCC2006, "2026.5", "ar5"},
}

// Files of the data folder that hold no factor rows.
const (
	mappingFile = "mapping.csv"
	climateFile = "climate_regions.csv"
)

// tables are the rows of all editions, and sets makes each edition when it is first asked for: most processes never ask for the
// older one.
var (
	tables = sync.OnceValues(func() (ghg.FactorTables, error) { return readTables(data) })
	sets   = editionsOf(tables)
)

func editionsOf(tables func() (ghg.FactorTables, error)) map[string]func() (*ghg.FactorSet, error) {
	out := make(map[string]func() (*ghg.FactorSet, error), len(editions))
	for _, e := range editions {
		out[e.id] = sync.OnceValues(func() (*ghg.FactorSet, error) {
			t, err := tables()
			if err != nil {
				return nil, err
			}
			t.ID, t.Version, t.GWP = e.id, e.version, e.gwp
			return ghg.NewFactorSet(t)
		})
	}
	return out
}

// FactorSet returns a built-in factor set by its id.
func FactorSet(id string) (*ghg.FactorSet, error) {
	set, known := sets[id]
	if !known {
		return nil, fmt.Errorf("there is no factor set %q", id)
	}
	return set()
}

// Mapping returns the values that an assessment may hold and the factors they lead to in
// the default factor set.
func Mapping() (*ghg.Mapping, error) {
	set, err := FactorSet(ghg.IPCC2019)
	if err != nil {
		return nil, err
	}
	return set.Mapping(), nil
}

func readTables(files fs.FS) (ghg.FactorTables, error) {
	t := ghg.FactorTables{Countries: country.EachRegions()}
	names, err := fs.Glob(files, "data/*.csv") // in the order of their names
	if err != nil {
		return t, err
	}
	for _, name := range names {
		if err := eachRow(files, name, func(row func(string) string) error { return add(&t, path.Base(name), row) }); err != nil {
			return t, fmt.Errorf("%s: %w", name, err)
		}
	}
	return t, nil
}

func add(t *ghg.FactorTables, file string, row func(string) string) error {
	switch file {
	case mappingFile:
		t.Mapping = append(t.Mapping, ghg.MappingRow{
			Section: row("section"), Field: row("field"), Value: row("enum_value"), Key: row("factor_key"), Note: row("note"),
		})
	case climateFile:
		t.Climate = append(t.Climate, ghg.ClimateRegion{
			Key: row("key"), Moisture: row("ef1_moisture"), PerennialClass: row("perennial_class"), OrganicSoilClass: row("organic_soil_class"),
		})
	default:
		f, err := factor(row)
		if err != nil {
			return err
		}
		t.Factors = append(t.Factors, f)
	}
	return nil
}

func factor(row func(string) string) (ghg.Factor, error) {
	f := ghg.Factor{Key: row("key"), Unit: row("unit"), Source: row("source"), Status: row("status"), Note: row("note")}
	if f.Status != ghg.Verified && f.Status != ghg.Unverified {
		return f, fmt.Errorf("%s: status %q is neither verified nor unverified", f.Key, f.Status)
	}
	f.Empty = row("value") == ""
	f.Ranged = !f.Empty && (row("lower") != "" || row("upper") != "")
	for _, figure := range []struct {
		column string
		stated bool
		at     *float64
	}{{"value", !f.Empty, &f.Value}, {"lower", f.Ranged, &f.Lower}, {"upper", f.Ranged, &f.Upper}} {
		if !figure.stated {
			continue
		}
		var err error
		if *figure.at, err = strconv.ParseFloat(strings.TrimSpace(row(figure.column)), 64); err != nil {
			return f, fmt.Errorf("%s: %s: %w", f.Key, figure.column, err)
		}
	}
	if f.Ranged && (f.Lower > f.Value || f.Upper < f.Value) {
		return f, fmt.Errorf("%s: the value %g lies outside its range %g to %g", f.Key, f.Value, f.Lower, f.Upper)
	}
	return f, nil
}

// eachRow reads a table and passes each row to take, as a function from column name to text.
func eachRow(files fs.FS, name string, take func(func(string) string) error) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return err
	}
	column := map[string]int{}
	for i, head := range rows[0] {
		column[head] = i
	}
	for _, cells := range rows[1:] {
		if err := take(func(head string) string { return cells[column[head]] }); err != nil {
			return err
		}
	}
	return nil
}
