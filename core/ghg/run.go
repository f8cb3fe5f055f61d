package ghg

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tilth/core/country"
	"tilth/core/fault"
	"tilth/core/ghg/numbers"
)

// Options of a calculation.
type Options struct {
	Trace bool // the steps one by one
	// Conversions of what was entered to the input; begin puts them before the steps of a trace.
	Conversions []TraceLine
}

// EngineID and EngineVersion name this engine in results.
const (
	EngineID      = "ipcc2019-tier1-ar6"
	EngineVersion = "1.3"
)

// inputNumbers are the limits of the numbers of an input.
var inputNumbers = numbers.Of(reflect.TypeFor[Input]())

// Calculate returns the emissions and removals of an assessment by the Tier 1 method of the IPCC with the factors of a
// set. What is not entered is not counted, with a warning where it ought to be. What is entered and cannot be computed
// is an Invalid fault that names the section, the item and the field; so are amounts that are negative or not finite,
// and shares above 100 per cent.
func Calculate(in Input, set *FactorSet, options Options) (Result, error) {
	if err := inputNumbers.Wrong(reflect.ValueOf(&in).Elem()).Err(); err != nil {
		return Result{}, err
	}
	r := newRun(&in, set, options.Trace)
	defer r.release()
	r.begin(options.Conversions)
	r.general()
	r.fertilizers()
	r.organicInputs()
	r.residues()
	r.rice()
	r.organicSoil()
	r.soilCarbon()
	r.landUseBiomass()
	r.perennials()
	r.cropProtection()
	r.seeds()
	r.fuelEnergy()
	r.irrigation()
	r.machinery()
	r.transport()
	if r.err != nil {
		return Result{}, r.err
	}
	r.finish()
	if v := r.result.High + r.result.Removed; math.IsNaN(v) || math.IsInf(v, 0) {
		return Result{}, fault.New(fault.Invalid, "result_not_finite", "The result is not a finite number: an amount of the assessment is out of all bounds.")
	}
	return r.result, nil
}

// Digest is the SHA-256 of the JSON form of an input, in hexadecimal: equal inputs have equal digests on any machine.
func (in Input) Digest() (string, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return "", fmt.Errorf("encode the snapshot as JSON: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// run is one calculation. The first error stops it: every later step does nothing.
type run struct {
	in      *Input
	set     *FactorSet
	tracing bool
	err     error

	section  string
	index    int
	itemName string
	base     string // what values are read from, where it is not the item
	area     quantity
	straw    quantity // the crop's own that stays on a flooded field, kg dm
	residue  residueMass

	lines    []sum
	removals []sum
	moves    []move
	moved    []move // of all lines, by the rank of their factor; zero between uses
	scratch  [maxArguments]float64
	origins  []origin         // while tracing
	made     map[string]int32 // members of the snapshot that a conversion made, with its step
	result   Result
}

// noItem is the index of sections that are not lists.
const noItem = -1

// runs keeps working memory for later calculations: a dashboard makes thousands. No part of it ends up in a result.
var runs = sync.Pool{New: func() any { return new(run) }}

func newRun(in *Input, set *FactorSet, tracing bool) *run {
	r, _ := runs.Get().(*run)
	*r = run{
		in: in, set: set, tracing: tracing, index: noItem,
		moves: r.moves[:0], lines: r.lines[:0], removals: r.removals[:0], moved: r.moved,
		origins: r.origins[:0],
	}
	r.area = r.of(in.General.AreaHa, "general.area_ha")
	if need := set.ranged + 1; len(r.moved) < need { // one for a measured interval
		r.moved = make([]move, need)
	}
	return r
}

func (r *run) release() {
	r.in, r.set, r.made, r.result = nil, nil, nil, Result{}
	runs.Put(r)
}

// at sets the place in the input that the next steps belong to.
func (r *run) at(section string, index int) {
	r.section, r.index, r.itemName, r.base = section, index, "", ""
}

// general checks what every step may need.
func (r *run) general() {
	r.at("general", noItem)
	if r.in.General.AreaHa <= 0 {
		r.warn(WarnNoArea, "The growing area is not stated: nothing per hectare is counted.")
	}
	if r.in.General.Year == 0 {
		r.warn(WarnNoYear, "The assessment year is not stated: no change of land and no growth of trees is counted.")
	}
	if r.in.General.Country == "" {
		r.warn(WarnNoCountry, "The country is not stated: the figures of the world are used.")
	}
	r.at("crop", noItem)
	if r.in.Crop.YieldKg == nil && r.in.Crop.FarmGateYieldKg == nil {
		r.warn(WarnNoYield, "The yield is not stated: there is no figure per tonne.")
	}
	if r.in.Crop.Type == "generic" {
		r.warn(WarnGenericCrop, "The crop has no rows of its own: those of a generic crop are used.")
	}
}

func (r *run) cycles() quantity {
	if n := r.in.Crop.GrowingCycles; n > 0 {
		return r.of(float64(n), "crop.growing_cycles")
	}
	return r.constant(1, "one growing cycle where none is stated")
}

// zone returns the climate region. It refuses an unknown or a missing one, so that only a step that needs the zone fails.
func (r *run) zone() ClimateRegion {
	zone, ok := r.set.climate[r.in.General.ClimateRegion]
	if !ok {
		r.fail(sectionGeneral, "climate_region", "The climate region "+strconv.Quote(r.in.General.ClimateRegion)+" is not known: give one of the ten IPCC zones.")
	}
	return zone
}

// country returns the regions of the country of the farm; those of the world where none is stated.
func (r *run) country() country.Regions {
	if r.in.General.Country == "" {
		return country.Regions{Rice: world, Production: world}
	}
	c, ok := r.set.countries[r.in.General.Country]
	if !ok {
		r.fail(sectionGeneral, "farm_country", "The country "+strconv.Quote(r.in.General.Country)+" is not known: give a country key.")
	}
	return c
}

// factor is the row of a term for an input value and its conditions.
func (r *run) factor(section, field string, values ...string) quantity {
	if r.err != nil {
		return quantity{}
	}
	row, ok := r.set.mapping.Find(section, field, values...)
	if !ok {
		return r.missing(section, field, append(values, "")[0])
	}
	return r.resolved(row)
}

// entered is the value of a member of the current item, else the default of the section.
func (r *run) entered(value *float64, member, field string, values ...string) quantity {
	if value != nil {
		return r.given(*value, member)
	}
	return assume(r.factor(r.section, field, values...))
}

// resolved is the factor, or the number, that a row of the mapping leads to.
func (r *run) resolved(row MappingRow) quantity {
	if r.err != nil {
		return quantity{}
	}
	t := &r.set.targets[row.place]
	switch {
	case t.factor != nil:
		return r.cell(row, t.factor)
	case t.literal:
		return r.constant(t.value, "stated with "+row.Value+" ("+row.Section+", "+row.Field+")")
	case t.zones != nil:
		zone := r.zone()
		if r.err != nil {
			return quantity{}
		}
		return r.cell(row, t.zones[zone.Key])
	case t.grid:
		return r.grid()
	}
	return r.missing(row.Section, row.Field, row.Value)
}

// grid is the electricity of the country, else that of the world, with a warning.
func (r *run) grid() quantity {
	country := cmp.Or(r.in.General.Country, "none")
	row, ok := r.set.mapping.Find(sectionGeneral, "farm_country/grid", country)
	if !ok {
		return r.missing(sectionGeneral, "farm_country/grid", country)
	}
	if row.Key == "grid.world" {
		r.warn(WarnGridWorld, "There is no figure for the electricity of the country: that of the world is used.")
	}
	return r.cell(row, r.set.targets[row.place].factor)
}

// cell returns a row of the tables, or what an empty cell of its table stands for.
func (r *run) cell(row MappingRow, f *Factor) quantity {
	if !f.Empty {
		q := quantity{v: f.Value, factor: f, link: &r.set.mapping.rows[row.place]}
		if f.Ranged {
			start := len(r.moves)
			r.moves = append(r.moves, move{f, f.Lower, f.Upper})
			q.moves = r.moves[start : start+1 : start+1]
		}
		return q
	}
	if f.residue {
		return quantity{factor: f, link: &r.set.mapping.rows[row.place]} // rule.residue_empty_cell: the term is left out
	}
	return r.fail(row.Section, row.Field, "The source has no value for "+f.Key+": "+f.Note+".")
}

// unknown refuses an input value that the mapping does not have.
func (r *run) unknown(field, value string) quantity { return r.missing(r.section, field, value) }

func (r *run) missing(section, field, value string) quantity {
	return r.fail(section, field, "There is no factor for "+strconv.Quote(value)+" ("+section+", "+field+").")
}

// refuse stops the calculation at a field of the current item.
func (r *run) refuse(field, message string) quantity { return r.fail(r.section, field, message) }

// fail stops the calculation at the input of a term ("product" of "product/n"), in the
// current item where the section is the current one.
func (r *run) fail(section, term, message string) quantity {
	if r.err != nil {
		return quantity{}
	}
	field, _, _ := strings.Cut(term, "/")
	fields := fault.Fields{field: []string{message}}
	if section == r.section && r.index >= 0 {
		fields = fault.Fields{strconv.Itoa(r.index): fields}
	}
	r.err = fault.Fields{section: fields}.Err()
	return quantity{}
}

func (r *run) warn(code, message string) {
	if r.err != nil {
		return
	}
	w := Warning{Code: code, Item: r.item(), Message: message}
	if !slices.Contains(r.result.Warnings, w) {
		r.result.Warnings = append(r.result.Warnings, w)
	}
}

// memo adds biogenic CO2 to the line of what is burnt, outside its CO2e and the totals.
func (r *run) memo(model, label string, co2 quantity) {
	if r.err != nil || co2.v == 0 {
		return
	}
	r.result.BiogenicCO2 += co2.v
	lines, at := lineAt(r.lines, Line{Model: model, Label: label, Section: r.section, Scope: 1, Category: categories[label]})
	r.lines = lines
	lines[at].line.BiogenicCO2 += co2.v
}
