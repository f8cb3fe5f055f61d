package assessment

import (
	"fmt"
	"time"

	"tilth/core/assessment/climate"
	"tilth/core/record"
)

// ResourceType is what an assessment is about.
type ResourceType string

// What can be assessed.
const (
	OfFarm  ResourceType = "farm"
	OfField ResourceType = "field"
)

// ResourceTypes lists them.
var ResourceTypes = []ResourceType{OfFarm, OfField}

// Status is the state of an assessment that clients see; there are only two.
type Status string

// The two states.
const (
	Draft     Status = "draft"
	Submitted Status = "submitted"
)

// CalculationStatus is the progress of the engine's run that a submission started.
type CalculationStatus string

// States of a run; empty: none was started.
const (
	Queued  CalculationStatus = "queued"
	Running CalculationStatus = "running"
	Done    CalculationStatus = "done"
	Failed  CalculationStatus = "failed"
)

// DeclaredNone is the word of a declaration: there is nothing of this section here.
const DeclaredNone = "none"

// Declarations map each section in which there is nothing to enter to "none".
type Declarations map[string]string

// None reports whether a section is declared to hold nothing.
func (d Declarations) None(section string) bool { return d[section] == DeclaredNone }

// Assessment is the general part of an assessment and its state.
type Assessment struct {
	record.Meta
	record.External
	ResourceType ResourceType
	ResourceID   int64

	Year *int // calendar year of the harvest
	// GrowingArea and AverageTemperature are {value, unit} objects, kept as they were sent, numbers as float64; they are
	// checked by [Table.Submittable], not when they are stored.
	GrowingArea        map[string]any
	AverageTemperature map[string]any
	ClimateRegion      string // key of [ClimateRegions]; empty: not stated
	FarmCountry        string // key of core/country; empty: not stated
	DataQuality        string // one of [DataQualities]; empty: not stated
	Declarations       Declarations

	Status                 Status
	Completeness           float64    // per cent, one decimal rounded down; cached
	Ready                  bool       // cached; a submission checks afresh
	CompletenessComputedAt *time.Time `audit:"-"` // nil: never yet
	CalculationStatus      CalculationStatus
	CalculationReason      string // of failed
	SubmittedVersion       int    // number of the latest result; 0: none
	SubmittedAt            *time.Time
	HasUnsubmittedChanges  bool
	DeletedAt              *time.Time `audit:"-"`
}

// ClimateRegions are the keys of the ten climate zones of IPCC 2019, volume 4, chapter 3, annex 3A.5.
var ClimateRegions = []string{
	"tropical_montane", "tropical_wet", "tropical_moist", "tropical_dry",
	"warm_temperate_moist", "warm_temperate_dry", "cool_temperate_moist", "cool_temperate_dry",
	"boreal_moist", "boreal_dry",
}

// DataQualities say where the figures of an assessment come from.
var DataQualities = []string{"all_actual_data", "all_estimated_data", "mix_of_actual_and_estimated_data"}

// Values are one object of a section as it was entered: its members by name; members that were null are absent. A
// number is a float64, an amount a map of value and unit, a nested list a []any of objects, the rest string or bool.
type Values map[string]any

// Row is an item of a list section, or the one object of an object section.
type Row struct {
	ID     int64 // 0: not stored yet
	Values Values
}

// Sheet is what is entered, by section key: rows in the order given, at most one of an object section.
type Sheet map[string][]Row

// Facts are what the rules need to know that is not in the assessment itself.
type Facts struct {
	Now          time.Time      // an assessment_year may be at most one year ahead of it
	ResourceLive bool           // the farm or field exists and is not deleted
	MappedAreaHa *float64       // of the field's boundary, or of all the farm's fields; nil: none is drawn
	Sampled      *Sampled       // the sampling that the section soil names; nil: it names none
	Climate      *climate.Found // of the operator's file, near the assessed land; nil: there is none, or nothing asks for it
}

// Finding is something that a check reports: what is wrong, or what is odd.
type Finding struct {
	Code    string // stable snake_case word
	Path    string // "growing_area.unit", "fertilizers[3].rate"
	Message string // for people: what is wrong and how to fix it
}

// findings collects what checks report.
type findings []Finding

func (f *findings) add(code, path, format string, args ...any) {
	*f = append(*f, Finding{code, path, fmt.Sprintf(format, args...)})
}

// SectionStatus is how far a section is filled in.
type SectionStatus string

// The three stages of a section.
const (
	NotStarted SectionStatus = "not_started"
	InProgress SectionStatus = "in_progress"
	Complete   SectionStatus = "complete"
)

// Missing is a required field that is empty or invalid.
type Missing struct {
	Field   string `json:"field"`   // in general: "fertilizers[].rate"
	Path    string `json:"path"`    // this one: "fertilizers[3].rate"
	Message string `json:"message"` // what to enter
}

// SectionState is the completeness of one section of an assessment.
type SectionState struct {
	Section  string        `json:"section"`
	Applies  bool          `json:"applies"`  // false: rice where another crop grows
	Declared bool          `json:"declared"` // declared to hold nothing
	Status   SectionStatus `json:"status"`
	Filled   int           `json:"filled"`   // required fields filled validly
	Required int           `json:"required"` // required fields in all
	Missing  []Missing     `json:"missing"`
}

// State is the completeness of an assessment.
type State struct {
	Percentage float64        `json:"percentage"` // 0 to 100, one decimal, rounded down
	Ready      bool           `json:"ready"`
	Sections   []SectionState `json:"sections"` // general first, then in the order of the table
}
