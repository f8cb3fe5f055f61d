package ghg

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
)

// GHGValues are placeholder figures: they are not calculated from anything.
type GHGValues struct {
	Emissions float64 `json:"emissions" doc:"Always 24.8, tCO2e: a placeholder that is not calculated from anything."`
	Removals  float64 `json:"removals" doc:"Always 5.3, tCO2e: a placeholder that is not calculated from anything."`
	Balance   float64 `json:"balance" doc:"emissions - removals"`
	Unit      string  `json:"unit" enum:"tCO2e" doc:"Unit of the figures."`
}

// Completeness states how complete an assessment is.
type Completeness struct {
	CompletenessPercentage float64                        `json:"completeness_percentage" doc:"0 to 100, rounded down to one decimal."`
	IsReadyForSubmission   bool                           `json:"is_ready_for_submission" doc:"Whether the assessment can be submitted. Optional sections lower the percentage but do not prevent submission."`
	CompletenessComputedAt *time.Time                     `json:"completeness_computed_at" doc:"When it was last worked out; null: not yet."`
	Stale                  bool                           `json:"stale" doc:"The assessment has been written since; it is being worked out in the background."`
	Sections               map[string]SectionCompleteness `json:"sections" doc:"By key, with the general part as general; empty until the first run."`
}

// SectionCompleteness states how far a section is filled in.
type SectionCompleteness struct {
	Applies  bool           `json:"applies" doc:"false: the section is not required, and does not count."`
	Declared bool           `json:"declared" doc:"Whether it is declared to be empty."`
	Status   string         `json:"status" enum:"not_started,in_progress,complete" doc:"not_started: nothing is entered. in_progress: something is, and required fields are empty or invalid. complete: none is, or the section is declared to be empty."`
	Filled   int            `json:"filled" doc:"Required fields that are filled in validly."`
	Required int            `json:"required" doc:"Required fields in all, over all items."`
	Missing  []MissingField `json:"missing" doc:"Required fields that are empty or invalid."`
}

// MissingField is a required field that is empty or invalid.
type MissingField struct {
	Field   string `json:"field" doc:"The field without indices: fertilizers[].rate"`
	Path    string `json:"path" doc:"The field with its indices: fertilizers[3].rate"`
	Message string `json:"message" doc:"What to enter."`
}

func (r assessmentRoutes) registerViews() {
	groups := form.Each(r.use.Table.Groups(), func(g assessment.Group) string { return g.Key })
	details := assessmentRoute(http.MethodGet, "{id}/details/", access.Assessments.View.For("details"), "The details of an assessment")
	details.Description = "Members of one group of sections, or of all, always with `id`, `status`, `completeness_percentage` and `is_ready_for_submission`. " +
		"With `enforce_required=true` the answer is 400 with the required fields of the group that are missing or invalid, and 200 when there are none. " +
		"Groups: " + form.CodeList(groups) + "."
	details.Query = []rest.Param{
		form.ShareParam,
		{Name: "group", Type: rest.String, Description: "Key of a group; default: all."},
		{Name: "enforce_required", Type: rest.Boolean, Description: "Refuses data that lacks required fields."},
	}
	details.Data = schemaDetails
	rest.Handle(r.api, details, func(ctx context.Context, c *rest.Call, in struct {
		Group string `query:"group"`
		form.Shared
		EnforceRequired bool `query:"enforce_required"`
		form.ByID
	}) (part, error) {
		found, err := r.use.Details(ctx, c.Principal(), in.Share, in.ID, in.Group, in.EnforceRequired)
		if err != nil {
			return part{}, err
		}
		value, err := r.showDetails(found)
		return partOf(found.Whole, value), err
	})

	form := assessmentRoute(http.MethodGet, "dynamic-schema/", access.Assessments.View.For("dynamic_schema"), "The schema of an assessment, for generating forms")
	form.Description = "JSON Schema 2020-12 of the body of an assessment with its sections: labels (`title`), units, enumerations, required members and conditions in its " +
		"own keywords; places, units, groups, weights and roles as `x-order`, `x-unit`, `x-group`, `x-weight` and `x-role`."
	form.Data = schemaForm
	rest.Handle(r.api, form, func(ctx context.Context, c *rest.Call, _ struct{}) (member.Value, error) {
		return member.Value{V: r.use.Table.Schema()}, r.use.MayView(ctx, c.Principal())
	})

	values := assessmentRoute(http.MethodGet, "ghg-values/", access.Assessments.View.For("ghg_values"), "Placeholder figures")
	values.Description = "Always the same figures. They are not calculated from anything and are not real data. Parameters are ignored."
	values.AnyQuery = true // specification, section 4.2
	rest.Handle(r.api, values, func(ctx context.Context, c *rest.Call, _ struct{}) (GHGValues, error) {
		placeholder := GHGValues{Emissions: 24.8, Removals: 5.3, Balance: 19.5, Unit: "tCO2e"} // specification, section 4.2
		return placeholder, r.use.MayView(ctx, c.Principal())
	})
}

var alwaysShown = []string{"id", "status", "completeness_percentage", "is_ready_for_submission"}

// showDetails returns the members of the record and the sections that a detail view shows.
func (r assessmentRoutes) showDetails(d ghgapp.Details) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(r.show(d.Whole))
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	if d.Group == nil {
		return all, nil
	}
	shown := slices.Concat(alwaysShown, d.Group.Sections)
	switch d.Group.Key {
	case "general":
		shown = append(shown, "resource_type", "resource_id", "section_declarations")
		for _, f := range r.use.Table.General().Fields {
			shown = append(shown, f.Key)
		}
	case "results":
		for name := range all {
			if strings.HasPrefix(name, "calculation_") || strings.HasPrefix(name, "submitted_") && name != "submitted_data_quality" {
				shown = append(shown, name)
			}
		}
		shown = append(shown, "has_unsubmitted_changes")
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return !slices.Contains(shown, name) })
	return all, nil
}

func (r assessmentRoutes) registerCompleteness() {
	get := assessmentRoute(http.MethodGet, "{id}/completeness/", access.Assessments.View.For("completeness"), "How complete an assessment is")
	get.Description = "As it was last worked out, with the fields that are missing; nothing is computed."
	get.Query = []rest.Param{form.ShareParam}
	rest.Handle(r.api, get, func(ctx context.Context, c *rest.Call, in form.SharedByID) (Completeness, error) {
		record, state, err := r.use.Completeness(ctx, c.Principal(), in.Share, in.ID)
		return showCompleteness(record, state), err
	})
	compute := assessmentRoute(http.MethodPost, "{id}/completeness/", access.Assessments.Edit.For("compute_completeness"), "Work out now how complete an assessment is")
	compute.Message = "Completeness computed."
	rest.Handle(r.api, compute, func(ctx context.Context, c *rest.Call, in form.ByID) (Completeness, error) {
		record, state, err := r.use.Compute(ctx, c.Principal(), in.ID)
		return showCompleteness(record, state), err
	})
}

func showCompleteness(r assessment.Assessment, state assessment.State) Completeness {
	out := Completeness{
		CompletenessPercentage: r.Completeness, IsReadyForSubmission: r.Ready, CompletenessComputedAt: r.CompletenessComputedAt,
		Stale: r.Stale(), Sections: showSections(state),
	}
	return out
}

func showSections(state assessment.State) map[string]SectionCompleteness {
	out := map[string]SectionCompleteness{}
	for _, s := range state.Sections {
		missing := form.Each(s.Missing, func(m assessment.Missing) MissingField { return MissingField(m) })
		out[s.Section] = SectionCompleteness{s.Applies, s.Declared, string(s.Status), s.Filled, s.Required, missing}
	}
	return out
}
