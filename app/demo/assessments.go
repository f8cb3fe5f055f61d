package demo

import (
	"context"
	"encoding/json"
	"math"

	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/ports"
)

// entry describes an assessment of the demonstration.
type entry struct {
	key      string
	field    string
	year     int
	sections string // JSON
	declared map[string]any
	submit   bool
}

// entries are the assessments: one still being entered, and those of one field in two years, submitted and signed.
var entries = []entry{
	{
		key: "draft", field: "North pivot", year: 2025,
		sections: `{
			"crop": {"crop_type": "maize", "harvested_yield": {"value": 11.8, "unit": "t/ha"}},
			"soil": {"soil_class": "high_activity_clay"},
			"fertilizers": [{"product": "urea", "rate": {"value": 320, "unit": "kg/ha"}}],
			"fuel_energy": [{"carrier": "diesel", "amount": {"value": 2600, "unit": "l"}}]}`,
	},
	{
		key: "2024", field: "Terrace", year: 2024, submit: true,
		sections: `{
			"crop": {"crop_type": "oilseed_rape", "harvested_yield": {"value": 2.9, "unit": "t/ha"}},
			"soil": {"soil_class": "high_activity_clay"},
			"land_management": {"tillage": "full", "carbon_inputs": "medium"},
			"residues": {"management": [{"practice": "incorporated", "share_pct": 100}]},
			"fertilizers": [
				{"product": "urea", "rate": {"value": 180, "unit": "kg/ha"}},
				{"product": "ammonium_nitrate", "rate": {"value": 210, "unit": "kg/ha"}}],
			"fuel_energy": [{"carrier": "diesel", "amount": {"value": 2350, "unit": "l"}}]}`,
		declared: map[string]any{"crop_protection": "none", "organic_inputs": "none", "irrigation": "none"},
	},
	{
		key: "2025", field: "Terrace", year: 2025, submit: true,
		sections: `{
			"crop": {"crop_type": "barley", "harvested_yield": {"value": 5.1, "unit": "t/ha"}},
			"soil": {"soil_class": "high_activity_clay"},
			"land_management": {"tillage": "reduced", "carbon_inputs": "medium"},
			"residues": {"management": [{"practice": "incorporated", "share_pct": 60}, {"practice": "removed", "share_pct": 40}]},
			"fertilizers": [{"product": "ammonium_nitrate", "rate": {"value": 260, "unit": "kg/ha"}}],
			"fuel_energy": [{"carrier": "diesel", "amount": {"value": 1900, "unit": "l"}}]}`,
		declared: map[string]any{"crop_protection": "none", "organic_inputs": "none", "irrigation": "none"},
	},
}

// statement is what the owner of the demonstration signs.
const statement = "I compared the entries with the records of the demonstration farm, which are invented."

// assessments enters, submits and signs the assessments.
func (f *furnishing) assessments(ctx context.Context) error {
	for _, e := range entries {
		if err := f.assess(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (f *furnishing) assess(ctx context.Context, e entry) error {
	field, ok := f.field(e.field)
	if !ok {
		return nil
	}
	is, there, err := f.assessed(ctx, e)
	if err != nil {
		return err
	}
	if !there {
		inStore := func(tx ports.Repos) ports.Records[assessment.Assessment] { return tx.Assessments }
		same := func(a assessment.Assessment) bool { return a.External == keyOf("assessment-"+e.key) }
		if gone, err := deleted(ctx, f.Loader, f.owner, inStore, ports.Query{}, same); err != nil || gone {
			return err
		}
	}
	if !there {
		draft := ghgapp.AssessmentDraft{Record: assessment.Assessment{
			ResourceType: assessment.OfField, ResourceID: field.ID, Year: &e.year, External: keyOf("assessment-" + e.key),
			GrowingArea:        map[string]any{"value": math.Round(100*field.Boundary.AreaHa()) / 100, "unit": "ha"},
			AverageTemperature: map[string]any{"value": 12.4, "unit": "celsius"},
			ClimateRegion:      "warm_temperate_dry", FarmCountry: "spain", DataQuality: "mix_of_actual_and_estimated_data",
		}}
		if err := json.Unmarshal([]byte(e.sections), &draft.Sections); err != nil {
			return err
		}
		if e.declared != nil {
			draft.Declarations, draft.Declared = e.declared, true
		}
		made, err := f.Assessments.Create(ctx, f.editor, draft)
		if err != nil {
			return err
		}
		is = made.Assessment
	}
	if !e.submit || is.SubmittedVersion > 1 || is.HasUnsubmittedChanges {
		return nil // the user continues it
	}
	if is.SubmittedVersion == 0 {
		if _, err := f.Assessments.Submit(ctx, f.editor, is.ID); err != nil {
			return err
		}
	}
	return f.sign(ctx, f.owner, is.ID)
}

// assessed returns an assessment of the demonstration; there is false where it has not been entered.
func (f *furnishing) assessed(ctx context.Context, e entry) (is assessment.Assessment, there bool, err error) {
	have, err := f.Assessments.List(ctx, f.owner, false, ports.Query{Filters: []ports.Filter{{Name: "external_id", Value: keyOf("assessment-" + e.key).ExternalID}}})
	if err != nil {
		return is, false, err
	}
	for one, err := range have.Each {
		return one, true, err
	}
	return is, false, nil
}

// sign has a person sign the first version of an assessment, unless that person already has.
func (f *furnishing) sign(ctx context.Context, who access.Principal, id int64) error {
	_, err := f.Assessments.Sign(ctx, who, id, 1, func() (string, error) { return statement, nil })
	if known, ok := fault.As(err); ok && known.Code == "already_signed" {
		return nil
	}
	return err
}
