package ghg

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/prefill"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

// PrefillOptions are the options of a prefill.
type PrefillOptions struct {
	Apply     bool     // write the proposals
	Overwrite bool     // also where a value is already filled in
	Sections  []string // keys of [prefill.Prefillable]; none: all of them
	CropID    int64    // which of several crops; 0: not said
}

// Prefilled holds what other records provide for an assessment, and what was written.
type Prefilled struct {
	Whole // the assessment as it stands now
	prefill.Prefill
	Applied []string // paths
}

// prefillNeeds are the permissions of a prefill.
var prefillNeeds = []access.Permission{access.Assessments.Edit, access.Fields.View, access.Cultivations.View, access.Fertilizations.View}

// Prefill proposes what the company's farm records contain about the farm or field in the assessment year,
// and writes it if asked to: what is already filled in stays, unless it is to be overwritten. Faults:
// NotFound, Invalid (sections, crop_id, assessment_year).
func (a *Assessments) Prefill(ctx context.Context, who access.Principal, id int64, decode func() (PrefillOptions, error)) (Prefilled, error) {
	var out Prefilled
	if err := a.Gate.Require(ctx, who, prefillNeeds...); err != nil {
		return out, err
	}
	var options PrefillOptions
	propose := func(ctx context.Context, tx ports.Repos, whole Whole) (err error) {
		if options, err = decode(); err != nil {
			return err
		}
		out = Prefilled{Whole: whole}
		out.Prefill, err = a.proposed(ctx, tx, who.Scope(false), whole, options)
		return err
	}
	err := a.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		whole, err := readWhole(ctx, tx, who.Scope(false), id)
		if err == nil {
			err = propose(ctx, tx, whole)
		}
		return err
	})
	if err != nil || !options.Apply {
		return out, err
	}
	whole, err := a.change(ctx, who, id, func(ctx context.Context, tx ports.Repos, e *assessmentEdit) error {
		if err := propose(ctx, tx, e.before); err != nil {
			return err
		}
		draft := AssessmentDraft{Record: e.before.Assessment, Sections: map[string]any{}}
		for _, p := range out.Proposals {
			if p.Same() || p.Filled() && !options.Overwrite {
				continue
			}
			out.Applied = append(out.Applied, p.Path)
			putProposal(&draft, e.before, p)
		}
		return a.apply(ctx, tx, who.Scope(false), e, draft)
	})
	if err == nil {
		out.Whole = whole
	}
	return out, err
}

// putProposal puts a proposal at its path in the draft.
func putProposal(draft *AssessmentDraft, before Whole, p prefill.Proposal) {
	switch _, member, nested := strings.Cut(p.Path, "."); {
	case p.Path == "growing_area":
		draft.Record.GrowingArea, _ = p.Proposed.(map[string]any)
	case p.Path == "farm_country":
		draft.Record.FarmCountry, _ = p.Proposed.(string)
	case strings.HasPrefix(p.Path, "section_declarations."):
		words := declared(before.Declarations)
		words[member] = cmp.Or(words[member], p.Proposed)
		draft.Declarations, draft.Declared = words, true
		draft.Sections[member] = nil // the entries there give way to the declaration
	case nested:
		values := maps.Clone(map[string]any(valuesOf(before.Sheet[p.Section])))
		if values == nil {
			values = map[string]any{}
		}
		values[member] = p.Proposed
		draft.Sections[p.Section] = values
	default:
		draft.Sections[p.Path] = p.Proposed
	}
}

func checkPrefillSections(sections []string) error {
	for _, key := range sections {
		if !slices.Contains(prefill.Prefillable, key) {
			return fault.Field("sections", key+" is not one of "+strings.Join(prefill.Prefillable, ", ")+".")
		}
	}
	return nil
}

// proposed gathers the contents of the records, and keeps the proposals for the requested sections.
func (a *Assessments) proposed(ctx context.Context, tx ports.Repos, scope access.Scope, whole Whole, options PrefillOptions) (prefill.Prefill, error) {
	var none prefill.Prefill
	if err := checkPrefillSections(options.Sections); err != nil {
		return none, err
	}
	if whole.Year == nil {
		return none, fault.Field("assessment_year", "Give the assessment its year first: it says which cultivations count.")
	}
	known, err := a.known(ctx, tx, scope, whole)
	if err != nil {
		return none, err
	}
	known.CropID = options.CropID
	if grows := func(c farm.Cultivation) bool { return c.Crop.ID == options.CropID }; options.CropID != 0 && !slices.ContainsFunc(known.Cultivations, grows) {
		return none, fault.Field("crop_id", "No cultivation here has this crop in a season of the assessment year.")
	}
	out := prefill.Propose(a.Table, &whole.Assessment, whole.Sheet, known)
	if len(options.Sections) > 0 {
		out.Proposals = slices.DeleteFunc(out.Proposals, func(p prefill.Proposal) bool { return !slices.Contains(options.Sections, p.Section) })
	}
	return out, nil
}

// known reads the farm records from which an assessment is filled, in a few queries whatever their
// number.
func (a *Assessments) known(ctx context.Context, tx ports.Repos, scope access.Scope, whole Whole) (k prefill.Known, err error) {
	ids, filter := []int64{whole.ResourceID}, ports.Filter{Name: string(whole.ResourceType), Value: whole.ResourceID}
	if whole.ResourceType == assessment.OfFarm {
		if ids, err = tx.Fields.IDsOfFarm(ctx, scope, whole.ResourceID); err != nil {
			return k, err
		}
	}
	fields, err := tx.Fields.GetMany(ctx, scope, ids)
	if err != nil {
		return k, err
	}
	farmID := whole.ResourceID
	for _, id := range slices.Sorted(maps.Keys(fields)) {
		k.Fields = append(k.Fields, fields[id])
		farmID = fields[id].Farm.ID
	}
	if whole.ResourceType == assessment.OfFarm {
		farmID = whole.ResourceID
	}
	farms, err := tx.Farms.GetMany(ctx, scope, []int64{farmID})
	if err != nil {
		return k, err
	}
	k.Farm = farms[farmID]
	if len(k.Fields) == 0 {
		return k, nil
	}
	return k, a.grown(ctx, tx, scope, &k, filter, *whole.Year)
}

// grown reads the cultivations of a harvest year with their crops and fertilizations.
func (a *Assessments) grown(ctx context.Context, tx ports.Repos, scope access.Scope, k *prefill.Known, filter ports.Filter, year int) error {
	var all []farm.Cultivation
	var seasonIDs, cropIDs []int64
	for c, err := range tx.Cultivations.Each(ctx, scope, ports.Query{Filters: []ports.Filter{filter}}) {
		if err != nil {
			return err
		}
		all, seasonIDs = append(all, c), append(seasonIDs, c.Season.ID)
	}
	slices.Sort(seasonIDs)
	seasons, err := tx.Seasons.GetMany(ctx, scope, slices.Compact(seasonIDs))
	if err != nil {
		return err
	}
	ofYear := map[int64]bool{}
	for _, c := range all {
		if seasons[c.Season.ID].HarvestYear == year {
			k.Cultivations, cropIDs = append(k.Cultivations, c), append(cropIDs, c.Crop.ID)
			ofYear[c.ID] = true
		}
	}
	if len(k.Cultivations) == 0 {
		return nil
	}
	slices.Sort(cropIDs)
	if k.Crops, err = tx.Crops.GetMany(ctx, slices.Compact(cropIDs)); err != nil {
		return err
	}
	for f, err := range tx.Fertilizations.Each(ctx, scope, ports.Query{Filters: []ports.Filter{filter}}) {
		if err != nil {
			return err
		}
		if ofYear[f.Cultivation.ID] {
			k.Fertilizations = append(k.Fertilizations, f)
		}
	}
	return nil
}
