package assessment

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"tilth/core/agronomy"
	"tilth/core/farm"
	"tilth/core/fault"
)

// Source is a record that a proposal comes from.
type Source struct {
	Resource string // farm, field, cultivation, crop, fertilization
	ID       int64
	Name     string
}

// Proposal is a value that other records give for a member of an assessment.
type Proposal struct {
	Path     string // growing_area, crop.crop_type, fertilizers, section_declarations.irrigation
	Section  string // its section, or general
	Current  any    // nil: nothing yet
	Proposed any
	Sources  []Source
}

// Filled tells that there is something already, which only an overwrite replaces.
func (p *Proposal) Filled() bool { return p.Current != nil }

// Same tells that what is there is what is proposed.
func (p *Proposal) Same() bool { return reflect.DeepEqual(p.Current, p.Proposed) }

// Question is what the records leave open, with the answers there are.
type Question struct {
	Path    string
	Message string
	Choices []CropChoice
}

// CropChoice is one crop that the fields grow in the year.
type CropChoice struct {
	CropID   int64
	Name     string
	CropType string // its key in an assessment; empty: the catalog has none
	Sources  []Source
}

// Prefill is what other records give for an assessment.
type Prefill struct {
	Proposals []Proposal
	Questions []Question
	Notes     []Finding // what the records hold that cannot be taken over, and why
}

// Known is what the records of farm management tell of the farm or field of an assessment.
type Known struct {
	Farm   farm.Farm
	Fields []farm.Field // the field, or all of the farm's
	// Cultivations are those of the fields whose season's harvest_year is the assessment
	// year, Crops their entries of the catalog by id, Fertilizations their applications.
	Cultivations   []farm.Cultivation
	Crops          map[int64]farm.Crop
	Fertilizations []farm.Fertilization
	CropID         int64 // the crop the caller chose; 0: none
}

// Prefillable are the sections that other records can fill in.
var Prefillable = []string{secGeneral, secCrop, secFertilizers, secOrganic, secIrrigation}

// Prefill works out what the records tell. An assessment is of one crop: where the fields grow several in the year, and
// neither the caller nor the assessment says which, it asks, and proposes nothing that depends on the answer.
func (t *Table) Prefill(a *Assessment, sheet Sheet, k Known) Prefill {
	p := prefiller{table: t, a: a, sheet: sheet, known: k}
	p.country()
	if p.chooseCrop() {
		p.area()
		p.applications()
	}
	p.irrigation()
	return p.out
}

type prefiller struct {
	table        *Table
	a            *Assessment
	sheet        Sheet
	known        Known
	cultivations []farm.Cultivation // of the crop
	areas        map[int64]float64  // ha of the fields that grow it, by id; without those of unknown area
	totalHa      float64            // of all of them; 0 where one is not known
	out          Prefill
}

func (p *prefiller) propose(section, path string, current, proposed any, sources ...Source) {
	if v := reflect.ValueOf(current); v.IsValid() && v.IsZero() {
		current = nil
	}
	p.out.Proposals = append(p.out.Proposals, Proposal{path, section, current, proposed, sources})
}

func (p *prefiller) note(code, path, format string, args ...any) {
	p.out.Notes = append(p.out.Notes, Finding{code, path, fmt.Sprintf(format, args...)})
}

func (p *prefiller) country() {
	if c := p.known.Farm.Country; c != "" {
		p.propose(secGeneral, keyCountry, p.a.FarmCountry, c, Source{"farm", p.known.Farm.ID, p.known.Farm.Name})
	}
}

// chooseCrop finds the one crop, proposes its type, and tells whether there is one.
func (p *prefiller) chooseCrop() bool {
	choices := p.choices()
	entered := p.sheet.first(secCrop).text("crop_type")
	switch {
	case len(choices) == 0:
		p.note("no_cultivations", secCrop, "No cultivation of the %s is in a season whose harvest_year is %d.", p.a.ResourceType, *p.a.Year)
		return false
	case p.known.CropID != 0:
		choices = slices.DeleteFunc(choices, func(c CropChoice) bool { return c.CropID != p.known.CropID })
	case entered != "" && len(types(choices)) > 1:
		if of := slices.DeleteFunc(slices.Clone(choices), func(c CropChoice) bool { return c.CropType != entered }); len(of) > 0 {
			choices = of
		}
	}
	if len(types(choices)) > 1 {
		p.out.Questions = append(p.out.Questions, Question{
			Path: "crop.crop_type", Choices: choices,
			Message: "Several crops grow here in the year, and an assessment is of one; say which by crop_id.",
		})
		return false
	}
	for _, c := range p.known.Cultivations {
		if slices.ContainsFunc(choices, func(choice CropChoice) bool { return choice.CropID == c.Crop.ID }) {
			p.cultivations = append(p.cultivations, c)
		}
	}
	var sources []Source
	for _, c := range choices {
		sources = append(append(sources, Source{"crop", c.CropID, c.Name}), c.Sources...)
	}
	if crop := choices[0].CropType; crop == "" {
		p.note("no_crop_type", "crop.crop_type", "The catalog has no crop type of an assessment for %s; choose one.", choices[0].Name)
	} else {
		p.propose(secCrop, "crop.crop_type", entered, crop, sources...)
	}
	return true
}

// choices returns the crops of the year's cultivations, in order of their ids.
func (p *prefiller) choices() []CropChoice {
	crop, _ := p.table.Section(secCrop)
	allowed := crop.field("crop_type").Enum
	byCrop := map[int64]*CropChoice{}
	for _, c := range p.known.Cultivations {
		choice := byCrop[c.Crop.ID]
		if choice == nil {
			choice = &CropChoice{CropID: c.Crop.ID, Name: c.Crop.Name}
			if word := p.known.Crops[c.Crop.ID].GHGCropType; slices.Contains(allowed, word) {
				choice.CropType = word
			}
			byCrop[c.Crop.ID] = choice
		}
		choice.Sources = append(choice.Sources, Source{"cultivation", c.ID, c.Field.Name + ", " + c.Season.Name})
	}
	var out []CropChoice
	for _, id := range slices.Sorted(maps.Keys(byCrop)) {
		out = append(out, *byCrop[id])
	}
	return out
}

// types returns the different crop types of choices; crops without one are each their own.
func types(choices []CropChoice) map[string]bool {
	out := map[string]bool{}
	for _, c := range choices {
		out[cmp.Or(c.CropType, fmt.Sprint("crop ", c.CropID))] = true
	}
	return out
}

// area proposes the area of the fields that grow the crop: as mapped, else as declared.
func (p *prefiller) area() {
	p.areas = map[int64]float64{}
	var sources []Source
	whole := true
	for _, f := range p.known.Fields {
		if !slices.ContainsFunc(p.cultivations, func(c farm.Cultivation) bool { return c.Field.ID == f.ID }) {
			continue
		}
		switch m2 := f.AreaM2(); {
		case m2 > 0:
			p.areas[f.ID] = float64(m2) / squareMetresPerHectare
		case f.DeclaredAreaHa != nil:
			p.areas[f.ID] = *f.DeclaredAreaHa
		default:
			whole = false
			p.note("no_area", keyArea, "The field %q has neither a boundary nor a declared area.", f.Name)
		}
		sources = append(sources, Source{"field", f.ID, f.Name})
	}
	sum := 0.0
	for _, id := range slices.Sorted(maps.Keys(p.areas)) {
		sum += p.areas[id]
	}
	if sum = math.Round(sum*squareMetresPerHectare) / squareMetresPerHectare; !whole || sum <= 0 {
		return
	}
	p.totalHa = sum
	p.propose(secGeneral, keyArea, p.a.GrowingArea, map[string]any{"value": sum, "unit": "ha"}, sources...)
}

const squareMetresPerHectare = 10_000

// applications proposes the fertilizers and organic inputs: an item an application.
func (p *prefiller) applications() {
	fields := map[int64]int64{}
	for _, c := range p.cultivations {
		fields[c.ID] = c.Field.ID
	}
	items := map[string][]any{}
	sources := map[string][]Source{}
	for _, f := range p.known.Fertilizations {
		field, ofCrop := fields[f.Cultivation.ID]
		if !ofCrop {
			continue
		}
		section, item, problem := p.application(f, field)
		if problem == "" {
			item, problem = p.sound(section, item, f)
		}
		if problem != "" {
			p.note("not_taken", section, "The fertilization %d (%s) is not taken over: %s", f.ID, f.Cultivation.Name, problem)
			continue
		}
		items[section] = append(items[section], item)
		sources[section] = append(sources[section], Source{"fertilization", f.ID, f.Cultivation.Name})
	}
	for _, section := range []string{secFertilizers, secOrganic} {
		switch list := items[section]; {
		case len(list) > MaxItems:
			p.note("too_many", section, "The records hold %d applications; a section takes %d.", len(list), MaxItems)
		case len(list) > 0:
			p.propose(section, section, p.list(section), list, sources[section]...)
		}
	}
}

// list returns the items of a section as they are compared and shown; nil for none.
func (p *prefiller) list(section string) (out []any) {
	for _, row := range p.sheet[section] {
		out = append(out, map[string]any(row.Values))
	}
	return out
}

// application returns the item of one application. A rate per area is per treated hectare, and the treated share of the
// growing area goes with it; an organic input has no member for the share, so its rate is scaled by it instead.
func (p *prefiller) application(f farm.Fertilization, field int64) (section string, item map[string]any, problem string) {
	product, known := agronomy.FindProduct(f.Product)
	section = secFertilizers
	if product.Organic {
		section = secOrganic
	}
	switch {
	case !known:
		return section, nil, "it does not say which product."
	case f.Amount == nil:
		return section, nil, "it has no amount."
	}
	rate, ok := rateOf(*f.Amount, f.DensityKgPerL, product.Organic)
	if !ok {
		return section, nil, "its amount in " + string(f.Amount.Unit) + " needs the density of the product."
	}
	share := 1.0
	if rate.Unit.PerArea() {
		if share, problem = p.share(f, field); problem != "" {
			return section, nil, problem
		}
	}
	item = map[string]any{}
	if product.Organic {
		rate.Value = significant(rate.Value * share)
		item["type"] = f.Product
	} else {
		item["product"] = f.Product
		if share < 1 {
			item["applied_area_pct"] = significant(share * 100)
		}
	}
	item["rate"] = map[string]any{"value": rate.Value, "unit": string(rate.Unit)}
	p.contents(item, f, product, rate)
	return section, item, ""
}

// rateOf brings an amount to a unit that a section takes: volumes other than l/ha (and m3/ha of organic inputs) by their
// density, which was needed to record them.
func rateOf(a agronomy.Amount, density *float64, organic bool) (agronomy.Amount, bool) {
	switch a.Unit {
	case agronomy.M3PerHa:
		if organic {
			return a, true
		}
		return agronomy.Amount{Value: a.Value * agronomy.LitrePerM3, Unit: agronomy.LPerHa}, true
	case agronomy.GalPerAcre:
		return agronomy.Amount{Value: significant(a.Value * agronomy.LitrePerGallon / agronomy.HectarePerAcre), Unit: agronomy.LPerHa}, true
	case agronomy.Litre, agronomy.M3:
		if density == nil {
			return a, false
		}
		litres := a.Value
		if a.Unit == agronomy.M3 {
			litres *= agronomy.LitrePerM3
		}
		return agronomy.Amount{Value: significant(litres * *density), Unit: agronomy.Kg}, true
	}
	return a, true
}

// share is the treated area over the growing area of the crop, at most 1.
func (p *prefiller) share(f farm.Fertilization, field int64) (share float64, problem string) {
	if f.TreatedAreaHa == nil && len(p.known.Fields) == 1 {
		return 1, ""
	}
	treated, known := p.areas[field]
	if f.TreatedAreaHa != nil {
		treated, known = *f.TreatedAreaHa, true
	}
	if !known || p.totalHa <= 0 {
		return 0, "the area it was spread on, or that of all the fields, is not known."
	}
	return min(1, treated/p.totalHa), ""
}

func (p *prefiller) contents(item map[string]any, f farm.Fertilization, product agronomy.Product, rate agronomy.Amount) {
	put := func(key string, value *float64, per float64) {
		if value != nil {
			item[key] = significant(*value * per)
		}
	}
	put("n_pct", f.Nutrients.N, 1)
	if rate.Unit.Volume() {
		put("density_kg_l", f.DensityKgPerL, 1)
	}
	if product.Organic {
		put("dry_matter_pct", f.DryMatterPct, 1)
		return
	}
	phosphorus, potassium := 1.0, 1.0
	if f.NutrientBasis == farm.BasisElemental {
		phosphorus, potassium = agronomy.P2O5PerP, agronomy.K2OPerK
	}
	put("p2o5_pct", f.Nutrients.P2O5, phosphorus)
	put("k2o_pct", f.Nutrients.K2O, potassium)
	for key, word := range map[string]string{"inhibitor": f.Inhibitor, "method": f.ApplicationMethod} {
		if word != "" {
			item[key] = word
		}
	}
	if f.AppliedOn != nil {
		item["date"] = f.AppliedOn.Format(time.DateOnly)
	}
}

// significant rounds to nine digits, which hides what binary fractions add.
func significant(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 9-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// sound holds an item against the section and leaves out members it refuses; without its product or rate it is no item.
func (p *prefiller) sound(section string, item map[string]any, f farm.Fertilization) (map[string]any, string) {
	row, wrong := p.table.CheckItem(section, item)
	for _, member := range slices.Sorted(maps.Keys(wrong)) {
		if member == "product" || member == "type" || member == "rate" || member == fault.NonField {
			return nil, messagesOf(wrong)
		}
		delete(item, member)
		p.note("member_left_out", section, "The member %s of the fertilization %d is left out: %s", member, f.ID, messagesOf(fault.Fields{member: wrong[member]}))
	}
	if len(wrong) > 0 {
		row, wrong = p.table.CheckItem(section, item)
	}
	return row.Values, messagesOf(wrong)
}

func messagesOf(f fault.Fields) string {
	var out []string
	for _, problem := range Problems(f) {
		out = append(out, problem.Message)
	}
	return strings.Join(out, " ")
}

// irrigation proposes to declare that there is none where the records say so of every field. Of one that is irrigated
// they do not say how.
func (p *prefiller) irrigation() {
	var sources []Source
	for _, f := range p.known.Fields {
		if f.Irrigated == nil {
			return
		}
		if *f.Irrigated {
			p.note("irrigated", secIrrigation, "The field %q is irrigated; the records hold neither the method nor the volume of water.", f.Name)
			return
		}
		sources = append(sources, Source{"field", f.ID, f.Name})
	}
	if len(sources) == 0 {
		return
	}
	var current any = p.list(secIrrigation)
	if p.a.Declarations.None(secIrrigation) {
		current = DeclaredNone
	}
	p.propose(secIrrigation, declarationColumns+"."+secIrrigation, current, DeclaredNone, sources...)
}
