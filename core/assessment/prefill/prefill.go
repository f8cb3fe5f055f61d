// Package prefill works out what the records of farm management contribute to an assessment: proposals, and questions
// where they leave something open. Nothing is guessed.
package prefill

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"tilth/core/assessment"
	"tilth/core/farm"
)

// Members and sections that are proposed.
const (
	general        = "general"
	keyCountry     = "farm_country"
	keyArea        = "growing_area"
	secCrop        = "crop"
	secFertilizers = "fertilizers"
	secOrganic     = "organic_inputs"
	secIrrigation  = "irrigation"
	declarations   = "section_declarations"
)

// Source is a record that a proposal comes from.
type Source struct {
	Resource string // farm, field, cultivation, crop, fertilization
	ID       int64
	Name     string
}

// Proposal is a value that other records provide for a member of an assessment.
type Proposal struct {
	Path     string // growing_area, crop.crop_type, fertilizers, section_declarations.irrigation
	Section  string // its section, or general
	Current  any    // nil: nothing yet
	Proposed any
	Sources  []Source
}

// Filled reports whether there is a value already, which only an overwrite replaces.
func (p *Proposal) Filled() bool { return p.Current != nil }

// Same reports whether the current value is the proposed one.
func (p *Proposal) Same() bool { return reflect.DeepEqual(p.Current, p.Proposed) }

// Question is what the records leave open, with the possible answers.
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

// Prefill is what other records provide for an assessment.
type Prefill struct {
	Proposals []Proposal
	Questions []Question
	Notes     []assessment.Finding // what the records hold that cannot be taken over, and why
}

// Known is what the records of farm management state about the farm or field of an assessment.
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
var Prefillable = []string{general, secCrop, secFertilizers, secOrganic, secIrrigation}

// Propose works out what can be proposed from the records. An assessment is of one crop: where the fields grow several in the
// year, and neither the caller nor the assessment states which, it asks, and proposes nothing that depends on the answer.
func Propose(t *assessment.Table, a *assessment.Assessment, sheet assessment.Sheet, k Known) Prefill {
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
	table        *assessment.Table
	a            *assessment.Assessment
	sheet        assessment.Sheet
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
	p.out.Notes = append(p.out.Notes, assessment.Finding{Code: code, Path: path, Message: fmt.Sprintf(format, args...)})
}

func (p *prefiller) country() {
	if c := p.known.Farm.Country; c != "" {
		p.propose(general, keyCountry, p.a.FarmCountry, c, Source{"farm", p.known.Farm.ID, p.known.Farm.Name})
	}
}

// chooseCrop finds the one crop, proposes its type, and reports whether there is one.
func (p *prefiller) chooseCrop() bool {
	choices := p.choices()
	entered := p.sheet.CropType()
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
			Message: "Several crops grow here in the year, and an assessment covers one; state which with crop_id.",
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
		p.note("no_crop_type", "crop.crop_type", "The catalog has no assessment crop type for %s; choose one.", choices[0].Name)
	} else {
		p.propose(secCrop, "crop.crop_type", entered, crop, sources...)
	}
	return true
}

// choices returns the crops of the year's cultivations, in order of their ids.
func (p *prefiller) choices() []CropChoice {
	crop, _ := p.table.Section(secCrop)
	allowed := crop.Fields[slices.IndexFunc(crop.Fields, func(f assessment.Field) bool { return f.Key == "crop_type" })].Enum
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
	p.propose(general, keyArea, p.a.GrowingArea, map[string]any{"value": sum, "unit": "ha"}, sources...)
}

const squareMetresPerHectare = 10_000

// irrigation proposes to declare that there is none where the records say so of every field. For an irrigated field
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
		current = assessment.DeclaredNone
	}
	p.propose(secIrrigation, declarations+"."+secIrrigation, current, assessment.DeclaredNone, sources...)
}
