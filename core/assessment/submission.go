package assessment

import "tilth/core/ghg"

// Subject is what a submitted version states about itself beside its figures, frozen with it: names may change, and
// farms may be deleted. It is kept as JSON; members are added, never changed.
type Subject struct {
	Company       string       `json:"company"`
	ResourceType  ResourceType `json:"resource_type"`
	ResourceID    int64        `json:"resource_id"`
	Resource      string       `json:"resource"` // name of the farm or field
	Year          int          `json:"assessment_year"`
	Crop          string       `json:"crop_type"`
	Country       string       `json:"farm_country"`
	ClimateRegion string       `json:"climate_region"`
	DataQuality   string       `json:"submitted_data_quality"`
	Declarations  Declarations `json:"section_declarations"`
}

// Subject returns the subject of an assessment; resource is the name of its farm or field.
func (a *Assessment) Subject(resource string, in ghg.Input) Subject {
	return Subject{
		Company: a.Company, ResourceType: a.ResourceType, ResourceID: a.ResourceID, Resource: resource, Year: in.General.Year,
		Crop: in.Crop.Type, Country: a.FarmCountry, ClimateRegion: a.ClimateRegion, DataQuality: a.DataQuality, Declarations: a.Declarations,
	}
}

// Same reports whether two subjects differ in nothing that people entered: with equal snapshots they are one
// submission. Names belong to other records.
func (s Subject) Same(other Subject) bool {
	return s.ResourceType == other.ResourceType && s.ResourceID == other.ResourceID && s.DataQuality == other.DataQuality
}

// Warnings returns findings in the form of a report.
func Warnings(findings []Finding) []ghg.Warning {
	out := make([]ghg.Warning, len(findings))
	for i, f := range findings {
		out[i] = ghg.Warning{Code: f.Code, Item: f.Path, Message: f.Message}
	}
	return out
}
