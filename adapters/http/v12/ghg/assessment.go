package ghg

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/app/ghg/exchange"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
)

// AssessmentWrite is the writable form of the general part of an assessment. Sections and
// declarations may stand beside it; the table of sections defines their form.
type AssessmentWrite struct {
	form.External
	ResourceType         string           `json:"resource_type" enum:"farm,field" doc:"What is assessed: a farm, or a single field."`
	ResourceID           int64            `json:"resource_id" minimum:"1" doc:"A farm or a field of your company."`
	AssessmentYear       *int             `json:"assessment_year" required:"false" doc:"Year of the harvest."`
	GrowingArea          member.RawObject `json:"growing_area" required:"false" doc:"{value, unit}, for instance {\"value\": 12.5, \"unit\": \"ha\"}; units ha, hectares, acre, acres, m2, km2. Checked at submission."`
	AverageTemperature   member.RawObject `json:"average_temperature" required:"false" doc:"{value, unit}: mean annual temperature; units celsius, C, °C, fahrenheit, F, °F. Checked at submission."`
	ClimateRegion        *string          `json:"climate_region" required:"false" doc:"One of tropical_montane, tropical_wet, tropical_moist, tropical_dry, warm_temperate_moist, warm_temperate_dry, cool_temperate_moist, cool_temperate_dry, boreal_moist, boreal_dry."`
	FarmCountry          *string          `json:"farm_country" required:"false" doc:"Country key, such as france or united_states; other common names and ISO 3166-1 codes are accepted as well, and answered as the key."`
	SubmittedDataQuality *string          `json:"submitted_data_quality" required:"false" enum:"all_actual_data,all_estimated_data,mix_of_actual_and_estimated_data" doc:"How you rate the data: all measured or documented, all estimated, or some of each. It is required for submission."`
}

// AssessmentRecord is an assessment without its sections.
type AssessmentRecord struct {
	form.Meta
	form.External
	ResourceType           string            `json:"resource_type" enum:"farm,field" doc:"What is assessed: a farm, or a single field."`
	ResourceID             int64             `json:"resource_id" doc:"Id of the farm or field."`
	AssessmentYear         *int              `json:"assessment_year" doc:"Year of the harvest; null: not entered."`
	GrowingArea            member.RawObject  `json:"growing_area" doc:"As it was sent."`
	AverageTemperature     member.RawObject  `json:"average_temperature" doc:"As it was sent."`
	ClimateRegion          *string           `json:"climate_region" enum:"tropical_montane,tropical_wet,tropical_moist,tropical_dry,warm_temperate_moist,warm_temperate_dry,cool_temperate_moist,cool_temperate_dry,boreal_moist,boreal_dry" doc:"Climate zone of the IPCC; null: not entered."`
	FarmCountry            *string           `json:"farm_country" doc:"Country key, such as france or united_states; null: not entered."`
	SubmittedDataQuality   *string           `json:"submitted_data_quality" enum:"all_actual_data,all_estimated_data,mix_of_actual_and_estimated_data" doc:"How you rate the data: all measured or documented, all estimated, or some of each; null: not entered."`
	SectionDeclarations    map[string]string `json:"section_declarations" doc:"Sections declared to have nothing to enter."`
	Status                 string            `json:"status" enum:"draft,submitted" doc:"draft until the first submission, submitted from then on, whatever is changed later."`
	CompletenessPercentage float64           `json:"completeness_percentage" doc:"Worked out in the background after each write; 0 until then."`
	IsReadyForSubmission   bool              `json:"is_ready_for_submission" doc:"Worked out together with the percentage; a submission checks again."`
	CompletenessComputedAt *time.Time        `json:"completeness_computed_at" doc:"When it was last worked out; null: not yet."`
	CalculationStatus      *string           `json:"calculation_status" enum:"queued,running,done,failed" doc:"Status of the calculation that a submission starts; null: none was started."`
	CalculationReason      *string           `json:"calculation_reason" doc:"Why the calculation failed."`
	SubmittedVersion       *int              `json:"submitted_version" doc:"Number of the version that was submitted last."`
	SubmittedAt            *time.Time        `json:"submitted_at" doc:"When it was last submitted; null: never."`
	HasUnsubmittedChanges  bool              `json:"has_unsubmitted_changes" doc:"Its content differs from its newest version."`
}

// Assessment is an assessment with the contents of its sections.
type Assessment struct {
	AssessmentRecord
	Sections map[string]any `json:"-"` // by key: an object, or a list of items with their ids
}

// MarshalJSON writes the sections as members of the record.
func (a Assessment) MarshalJSON() ([]byte, error) {
	record, err := json.Marshal(a.AssessmentRecord)
	if err != nil || len(a.Sections) == 0 {
		return record, err
	}
	sections, err := json.Marshal(a.Sections)
	return bytes.Join([][]byte{record[:len(record)-1], sections[1:]}, []byte{','}), err
}

const assessmentsPath = "ghg/assessments/"

type assessmentRoutes struct {
	api        *rest.API
	use        *ghgapp.Assessments
	footprints *exchange.Publishing
}

func registerAssessments(a *rest.API, use *ghgapp.Assessments, footprints *exchange.Publishing) {
	a.DescribeTag("Assessments", "Greenhouse-gas assessments: a year of a farm or a field, entered section by section.\n\n"+
		"An assessment is kept as a draft, however incomplete it is. `dynamic-schema/` says what each section contains, `completeness/` what is missing. "+
		"Where there is nothing to enter, say so in `section_declarations`: an empty section is not the same as a declared one.")
	r := assessmentRoutes{a, use, footprints}
	r.define()
	r.registerList()
	r.registerWrites()
	r.registerSets()
	r.registerViews()
	r.registerSections()
	r.registerItems()
	r.registerItemSets()
	r.registerCompleteness()
	r.registerSubmission()
	r.registerReports()
}

var assessmentRoute = rest.Routes{Base: assessmentsPath, Operation: "assessment", Tag: "Assessments", Noun: "assessment"}.Route

// farmOfAssessment filters lists of assessments by farm.
var farmOfAssessment = rest.Param{Name: rest.FarmParam, Type: rest.Integer, Description: "Id of a farm: its own assessments and those of its fields."}

func assessmentFilters(more ...rest.Param) []rest.Param {
	return form.WithExternalID([]rest.Param{
		{Name: "assessment_year", Type: rest.Integer, Description: "Year of the harvest."},
		{Name: "resource_type", Type: rest.String, Enum: []string{"farm", "field"}, Description: "What is assessed."},
		{Name: "resource_id", Type: rest.Integer, Description: "Id of the farm or field."},
		farmOfAssessment,
		{Name: "status", Type: rest.String, Enum: []string{"draft", "submitted"}, Description: "State."},
		{Name: "is_ready_for_submission", Type: rest.Boolean, Description: "Readiness as it was last worked out."},
		{Name: "company", Type: rest.Integer, Description: "Id of the company."},
		{Name: "created_by", Type: rest.Integer, Description: "Id of the user who made the record."},
	}, more...)
}

func (r assessmentRoutes) registerList() {
	filters := assessmentFilters(
		form.ListParams("A part of the name of the farm or field, whatever its case.", "assessment_year", "completeness_percentage")...)
	list := assessmentRoute(http.MethodGet, "", access.Assessments.View.For("list"), "List assessments")
	list.Description = "Without their sections."
	list.Query = append(append(query.CursorParams(), form.ShareParam), filters...)
	rest.Handle(r.api, list, func(ctx context.Context, c *rest.Call, in form.SharedList) (rest.List[AssessmentRecord], error) {
		page := in.PageOrAll()
		return form.List(page, showAssessmentRecord)(r.use.List(ctx, c.Principal(), in.Share, form.QueryOf(page, filters, in.Values)))
	})
	retrieve := assessmentRoute(http.MethodGet, "{id}/", access.Assessments.View.For("retrieve"), "Retrieve an assessment with its sections")
	retrieve.Query, retrieve.DataWith = []rest.Param{form.ShareParam}, schemaSections
	rest.Handle(r.api, retrieve, func(ctx context.Context, c *rest.Call, in form.SharedByID) (Assessment, error) {
		whole, err := r.use.Retrieve(ctx, c.Principal(), in.Share, in.ID)
		return r.show(whole), err
	})
}

const nestedNote = "Sections may be included in the body under their keys, and are written to the same data as by the section endpoints, all in one transaction: " +
	"a list replaces the existing one, items that include their `id` keep it. Null empties a section; those that are not in the body stay as they are. " +
	"Members that an assessment or a section does not have are refused by their path (`unknown_name`). " +
	"`section_declarations`, where given, replaces the existing declarations; an item added to a section ends its declaration."

const patchNote = " An object section is merged, as by `PATCH sections/{section}/`: members that are not sent stay, and null removes one."

func (r assessmentRoutes) registerWrites() {
	update := assessmentRoute(http.MethodPut, "{id}/", access.Assessments.Edit.For("update"), "Replace an assessment")
	patch := assessmentRoute(http.MethodPatch, "{id}/", access.Assessments.Edit.For("partial_update"), "Change an assessment")
	for _, route := range []rest.Route{update, patch} {
		partial := route.Method == http.MethodPatch
		if route.Description = nestedNote; partial {
			route.Description += patchNote
		}
		route.Message, route.DataWith = "Assessment updated.", schemaSections
		route.Faults = []int{http.StatusConflict, http.StatusPreconditionFailed}
		route.Body = rest.Body[AssessmentWrite]().With(schemaSections)
		rest.Handle(r.api, route, func(ctx context.Context, c *rest.Call, in form.ByID) (Assessment, error) {
			whole, err := r.use.Update(ctx, c.Principal(), in.ID, func(current ghgapp.Whole) (ghgapp.AssessmentDraft, error) {
				if err := r.agreed(c)(current); err != nil {
					return ghgapp.AssessmentDraft{}, err
				}
				draft, err := r.draftOf(c, current.Assessment)
				draft.Partial = partial
				return draft, err
			})
			return r.show(whole), err
		})
	}
	destroy := assessmentRoute(http.MethodDelete, "{id}/", access.Assessments.Delete.For("destroy"), "Delete an assessment")
	destroy.Status, destroy.Message, destroy.Faults = http.StatusNoContent, "Assessment deleted.", []int{http.StatusPreconditionFailed}
	rest.Handle(r.api, destroy, func(ctx context.Context, c *rest.Call, in form.ByID) (rest.NoContent, error) {
		return rest.NoContent{}, r.use.Delete(ctx, c.Principal(), []int64{in.ID}, r.agreed(c))
	})
	restore := assessmentRoute(http.MethodPost, "{id}/restore/", access.Assessments.Delete.For("restore"), "Restore a deleted assessment")
	restore.Description = "Brings back an assessment that was deleted within the last 30 days, with its sections. One that is not deleted is 400 (`not_deleted`)."
	restore.Message, restore.DataWith, restore.Faults = "Assessment restored.", schemaSections, []int{http.StatusBadRequest, http.StatusConflict}
	rest.Handle(r.api, restore, form.OnRecord(r.use.Restore, r.show))
}

// agreed compares the If-Match of a call with the current assessment, under its lock.
func (r assessmentRoutes) agreed(c *rest.Call) func(current ghgapp.Whole) error {
	return func(current ghgapp.Whole) error {
		return form.CheckIfMatch(c, current.Assessment, showAssessmentRecord)
	}
}

// draftOf reads a body; that of a PATCH is applied to the current general part.
func (r assessmentRoutes) draftOf(c *rest.Call, current assessment.Assessment) (ghgapp.AssessmentDraft, error) {
	item, err := rest.DecodeDraft(c, writeAssessment(current))
	if err != nil {
		return ghgapp.AssessmentDraft{}, err
	}
	return r.draftFrom(c, item)
}

// draftFrom returns an item with its sections. Errors in the general part are kept, to be reported together with those of the sections.
func (r assessmentRoutes) draftFrom(c *rest.Call, item rest.Item[AssessmentWrite]) (ghgapp.AssessmentDraft, error) {
	out := ghgapp.AssessmentDraft{Sections: map[string]any{}, Errors: item.Errors}
	object, isObject := item.Members()
	if !isObject {
		return out, item.Errors.Err()
	}
	var err error
	out.Record, err = applyAssessment(item.Value)
	for key, sent := range object {
		if key == "section_declarations" {
			out.Declarations, out.Declared = sent, true
			continue
		}
		out.Sections[key] = sent // the use case knows which members are sections
	}
	if c.Lenient() {
		r.ignore(c, out.Sections)
	}
	return out, err
}

// ignore removes members that sections do not have. If they are to be refused instead, the use case finds them.
func (r assessmentRoutes) ignore(c *rest.Call, sections map[string]any) {
	ignored := fault.Fields{}
	for key, sent := range sections {
		clean, unknown := r.use.Table.Known(key, sent)
		sections[key] = clean
		ignored.Nest(key, unknown)
	}
	c.Ignored(ignored)
}

func applyAssessment(in AssessmentWrite) (assessment.Assessment, error) {
	out := assessment.Assessment{
		External: in.External.Record(), ResourceType: assessment.ResourceType(in.ResourceType), ResourceID: in.ResourceID, Year: in.AssessmentYear,
		ClimateRegion: form.OrZero(in.ClimateRegion), FarmCountry: form.OrZero(in.FarmCountry), DataQuality: form.OrZero(in.SubmittedDataQuality),
	}
	var err error
	if len(in.GrowingArea) > 0 {
		err = json.Unmarshal(in.GrowingArea, &out.GrowingArea)
	}
	if err == nil && len(in.AverageTemperature) > 0 {
		err = json.Unmarshal(in.AverageTemperature, &out.AverageTemperature)
	}
	return out, err
}

func writeAssessment(r assessment.Assessment) AssessmentWrite {
	return AssessmentWrite{
		External: form.ExternalOf(r.External), ResourceType: string(r.ResourceType), ResourceID: r.ResourceID, AssessmentYear: r.Year,
		GrowingArea: objectJSON(r.GrowingArea), AverageTemperature: objectJSON(r.AverageTemperature),
		ClimateRegion: form.OrNull(r.ClimateRegion), FarmCountry: form.OrNull(r.FarmCountry), SubmittedDataQuality: form.OrNull(r.DataQuality),
	}
}

// objectJSON writes an object that was read from JSON; null if there is none.
func objectJSON(object map[string]any) member.RawObject {
	if object == nil {
		return nil
	}
	raw, _ := json.Marshal(object) // what was read from JSON can be written as JSON
	return raw
}

func showAssessmentRecord(r assessment.Assessment) AssessmentRecord {
	return AssessmentRecord{
		Meta: form.MetaOf(r.Meta), External: form.ExternalOf(r.External), ResourceType: string(r.ResourceType), ResourceID: r.ResourceID, AssessmentYear: r.Year,
		GrowingArea: objectJSON(r.GrowingArea), AverageTemperature: objectJSON(r.AverageTemperature),
		ClimateRegion: form.OrNull(r.ClimateRegion), FarmCountry: form.OrNull(r.FarmCountry), SubmittedDataQuality: form.OrNull(r.DataQuality),
		SectionDeclarations: maps.Collect(maps.All(r.Declarations)), Status: string(r.Status), CompletenessPercentage: r.Completeness,
		IsReadyForSubmission: r.Ready, CompletenessComputedAt: r.CompletenessComputedAt,
		CalculationStatus: form.OrNull(string(r.CalculationStatus)), CalculationReason: form.OrNull(r.CalculationReason),
		SubmittedVersion: form.OrNull(r.SubmittedVersion), SubmittedAt: r.SubmittedAt, HasUnsubmittedChanges: r.HasUnsubmittedChanges,
	}
}

// show returns an assessment with all sections, including empty ones.
func (r assessmentRoutes) show(w ghgapp.Whole) Assessment {
	out := Assessment{AssessmentRecord: showAssessmentRecord(w.Assessment), Sections: map[string]any{}}
	for _, section := range r.use.Table.Sections() {
		out.Sections[section.Key] = r.showSection(section, w.Sheet[section.Key])
	}
	return out
}

// showSection returns a section for an answer: its object with what follows from it, or its items with their ids.
func (r assessmentRoutes) showSection(section assessment.Section, rows []assessment.Row) any {
	if section.Shape == assessment.Object {
		if len(rows) == 0 {
			return assessment.Values{}
		}
		out := maps.Clone(rows[0].Values)
		maps.Copy(out, r.use.Table.Derived(section.Key, out))
		return out
	}
	return form.Each(rows, showItem)
}

func showItem(row assessment.Row) map[string]any {
	out := map[string]any{}
	maps.Copy(out, row.Values)
	out["id"] = row.ID
	return out
}
