package dashboard

import (
	"math"
	"time"

	"tilth/core/assessment"
	"tilth/core/ghg/report"
	"tilth/core/verification"
)

// The units of sums, per unit of what people are shown.
const (
	gramsPerTonne     = 1e6
	decimetres2PerHa  = 1e6
	tenthsPerPercent  = 10
	millionthsPerUnit = 1e6
)

// maxPerRecord bounds what one assessment adds to a sum: a thousand million tonnes, or hectares. No farm comes near it,
// but a faulty engine may; 9,000 such records still fit into a sum.
const maxPerRecord = 1e15

// Figures are those of the report of a submitted version, as the dashboard adds them up. The JSON form is stored:
// members are added, never changed.
type Figures struct {
	Version int `json:"version"` // number of the submission; 0: nothing was submitted
	// Emissions and Removals are g CO2e; EmissionsBy and RemovalsBy are those of the labels of core/ghg.
	Emissions   int64            `json:"emissions"`
	Removals    int64            `json:"removals"`
	EmissionsBy map[string]int64 `json:"emissions_by"`
	RemovalsBy  map[string]int64 `json:"removals_by"`
	// Area in dm2, and Product at the farm gate in g, are the functional units; 0 where they are not known. Allocated is what
	// the main product carries of the emissions, g CO2e.
	Area      int64 `json:"area"`
	Product   int64 `json:"product"`
	Allocated int64 `json:"allocated"`
}

// FiguresOf takes the figures from the report of a version.
func FiguresOf(version int, report report.Report) Figures {
	f := Figures{
		Version: version, Emissions: fixed(report.Totals.Emissions, gramsPerTonne), Removals: fixed(report.Totals.Removals, gramsPerTonne),
		EmissionsBy: byLabel(report.BySource), RemovalsBy: byLabel(report.RemovalsBySrc),
		Allocated: fixed(report.Allocation.Main, gramsPerTonne),
	}
	if ha := report.FunctionalUnit.AreaHa; ha != nil {
		f.Area = fixed(*ha, decimetres2PerHa)
	}
	if t := report.FunctionalUnit.ProductT; t != nil {
		f.Product = fixed(*t, gramsPerTonne)
	}
	return f
}

func byLabel(lines []report.SourceLine) map[string]int64 {
	out := map[string]int64{}
	for _, l := range lines {
		out[l.Label] += fixed(l.CO2e, gramsPerTonne)
	}
	return out
}

// fixed returns a value in the unit of its sum.
func fixed(value, perUnit float64) int64 {
	if math.IsNaN(value) {
		return 0
	}
	return int64(math.Round(min(max(value*perUnit, -maxPerRecord), maxPerRecord)))
}

// Facts are what a live assessment contributes to the dashboard of its company.
type Facts struct {
	Year         *int // nil: not stated
	Status       assessment.Status
	Ready        bool
	Completeness float64 // per cent, one decimal
	AreaHa       float64 // growing area; 0: not stated, or invalid
	Sections     []assessment.SectionState
	Figures      Figures               // of the submitted version
	Verification *verification.Outcome // of the submitted version; nil where nothing was submitted
}

// FactsOf puts together what is known about a live assessment. Figures and verification count only where it is submitted.
// A verification of a version other than the submitted one is out of date: the submitted one waits for its own.
func FactsOf(a *assessment.Assessment, sections []assessment.SectionState, figures Figures, checked *verification.Record) Facts {
	f := Facts{Year: a.Year, Status: a.Status, Ready: a.Ready, Completeness: a.Completeness, Sections: sections}
	if ha, wrong := a.AreaHa(); len(wrong) == 0 {
		f.AreaHa = ha
	}
	if a.Status != assessment.Submitted {
		return f
	}
	f.Figures = figures
	outcome := verification.Outcome{Status: verification.Pending}
	if checked != nil && checked.Version == a.SubmittedVersion {
		outcome = checked.Outcome
	}
	f.Verification = &outcome
	return f
}

// VerifiedAt returns when the crop of the submitted version was verified; nil where it is not.
func (f Facts) VerifiedAt() *time.Time {
	if f.Verification == nil || f.Verification.Status != verification.Verified {
		return nil
	}
	return f.Verification.DecidedAt
}
