// Package event holds the domain events and their names. An event is stored in the
// transaction of the change that it reports, and delivered later, at least once.
package event

import "time"

// Event is a fact about a company's record.
type Event struct {
	ID        string // UUID; consumers drop repeats by it
	Type      string
	CompanyID int64
	Subject   string // the record, as "profile/<uuid>"
	At        time.Time
	Data      any // a struct of this package
}

// TypeProfileCompleted is published when a vegetation-index profile finishes processing.
const TypeProfileCompleted = "vi_profile_completed"

// TypeProfileUpdated is published when the series of an active profile has changed: a refresh brought new or other dates.
const TypeProfileUpdated = "vi_profile_updated"

// TypeFieldAlert is published when a rule of a watched field raises its alert of the season.
const TypeFieldAlert = "field_alert"

// FieldAlert is the payload of field_alert.
type FieldAlert struct {
	ProfileUUID string   `json:"profile_uuid"`
	OrderID     int64    `json:"order_id"`
	Field       int64    `json:"field"`
	FieldUUID   string   `json:"field_uuid"`
	Season      int64    `json:"season"`
	IndexCode   string   `json:"index_code"`
	Kind        string   `json:"kind"` // of the rule: drop, low_percentile, no_start, patch
	Date        string   `json:"date"` // of the observation, YYYY-MM-DD
	Value       float64  `json:"value"`
	Against     *float64 `json:"against"` // what the value was compared with; null where that is a date
	Message     string   `json:"message"`
}

// ProfileCompleted is the payload of vi_profile_completed and vi_profile_updated. It carries no map_uuid: a profile has no map.
type ProfileCompleted struct {
	ProfileUUID  string `json:"profile_uuid"`
	OrderID      int64  `json:"order_id"`
	Field        int64  `json:"field"`
	FieldUUID    string `json:"field_uuid"`
	Season       int64  `json:"season"`
	IndexCode    string `json:"index_code"`
	Mask         string `json:"mask"`
	Dataset      string `json:"dataset"`
	Status       string `json:"status"`
	Observations int    `json:"observations"`
}

// TypeAssessmentSubmitted is published when an assessment is submitted as a new version.
const TypeAssessmentSubmitted = "assessment_submitted"

// TypeAssessmentSigned is published when a second person signed a submitted version.
const TypeAssessmentSigned = "assessment_signed"

// AssessmentSigned is the payload of assessment_signed. Digest is what was signed.
type AssessmentSigned struct {
	Assessment int64  `json:"assessment"`
	Version    int    `json:"version"`
	Digest     string `json:"digest"`
}

// AssessmentSubmitted is the payload of assessment_submitted. Emissions and removals are t CO2e.
type AssessmentSubmitted struct {
	Assessment     int64   `json:"assessment"`
	Version        int     `json:"version"`
	ResourceType   string  `json:"resource_type"`
	ResourceID     int64   `json:"resource_id"`
	AssessmentYear int     `json:"assessment_year"`
	InputDigest    string  `json:"input_digest"`
	Emissions      float64 `json:"emissions"`
	Removals       float64 `json:"removals"`
}

// The types of the publication of footprints.
const (
	// TypeFootprintPublished is published when the footprint of a submitted version is shown to the company's clients.
	TypeFootprintPublished = "footprint_published"
	// TypeFootprintRevoked is published when the footprint of a version is deprecated without another in its place.
	TypeFootprintRevoked = "footprint_revoked"
)

// FootprintChanged is the payload of footprint_published and footprint_revoked.
type FootprintChanged struct {
	Footprint  string `json:"footprint"` // its id, a UUID
	Assessment int64  `json:"assessment"`
	Version    int    `json:"version"`
}
