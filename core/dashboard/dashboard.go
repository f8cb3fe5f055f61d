package dashboard

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"tilth/core/assessment"
	"tilth/core/verification"
)

// Dashboard is the rollup of a company: masses in t CO2e, areas in ha, shares in per cent.
type Dashboard struct {
	Summary      Summary
	Carbon       Carbon
	Verification Verification
	Sections     []Section          // in the order of the form
	Trend        []Year             // ascending; years without an assessment are left out
	Issues       []assessment.Issue // the most frequent first
}

// Summary counts the live assessments.
type Summary struct {
	Total, Drafts, Submitted, Ready int64
	AreaHa                          float64 // sum of the growing areas
	Completion                      float64 // mean, per cent
	LatestYear                      int     // 0: no assessment states one
}

// Carbon is the sum of the submitted versions. Intensities are sum over sum, 0 where there is no denominator.
type Carbon struct {
	Emissions, Removals, Balance            float64 // t CO2e
	EmissionsPerHa, RemovalsPerHa, NetPerHa float64 // t CO2e/ha
	EmissionsPerT                           float64 // t CO2e/t, allocated to the main product
	EmissionsByModel, RemovalsBySource      []Part  // t CO2e, the largest first, zeros left out
}

// Part is a named part of a sum.
type Part struct {
	Label string
	Value float64
}

// Verification counts the submitted assessments by the state of their crop verification.
type Verification struct {
	ByStatus          map[verification.Status]int64 // every status
	Rate              float64                       // per cent of the verdicts; 0 where there is none
	AverageConfidence float64                       // 0 to 1, over the verdicts; 0 where there is none
	CropTypes         []CropCount                   // of the verified, the most frequent first
}

// CropCount is a crop type with its number of verified assessments.
type CropCount struct {
	CropType string
	Count    int64
}

// Verified is an assessment whose crop was verified.
type Verified struct {
	AssessmentID int64
	Year         *int
	CropType     string
	Confidence   float64
	At           time.Time
}

// Section is the progress of one section over all assessments that are asked for it.
type Section struct {
	Key         string
	Status      assessment.SectionStatus
	Completion  float64 // mean, per cent
	Assessments int64
	ByStatus    map[assessment.SectionStatus]int64 // every stage
	Missing     int64                              // required fields that are empty or invalid
}

// Year is one year of the trend.
type Year struct {
	Year                         int
	Completion                   float64 // mean, per cent
	Emissions, Removals, Balance float64 // t CO2e
}

// Stages and statuses in the order of the charts.
var (
	Stages   = []assessment.SectionStatus{assessment.Complete, assessment.InProgress, assessment.NotStarted}
	Statuses = []verification.Status{verification.Verified, verification.Failed, verification.Processing, verification.Pending}
)

// Compose makes the dashboard of the sums by year; year narrows all but the trend to the assessments of one year.
func Compose(table *assessment.Table, sums map[int]Cells, year *int) Dashboard {
	whole := Cells{}
	latest := 0
	for y, cells := range sums {
		if year != nil && (y != *year || y == NoYear) {
			continue
		}
		for cell, amount := range cells {
			whole[cell] += amount
		}
		if cells.total(totalAssessments) > 0 {
			latest = max(latest, y)
		}
	}
	return Dashboard{
		Summary: whole.summary(latest), Carbon: whole.carbon(), Verification: whole.verification(),
		Sections: whole.sections(table), Trend: trend(sums), Issues: whole.issues(table),
	}
}

func (c Cells) total(key string) int64 { return c[Cell{kindTotal, key}] }

func (c Cells) summary(latest int) Summary {
	n := c.total(totalAssessments)
	return Summary{
		Total: n, Drafts: c.total(totalDraft), Submitted: c.total(totalSubmitted), Ready: c.total(totalReady),
		AreaHa: float64(c.total(totalArea)) / decimetres2PerHa, Completion: mean(c.total(totalCompletion), n, tenthsPerPercent), LatestYear: latest,
	}
}

func (c Cells) carbon() Carbon {
	emitted, removed := c.total(totalEmissions), c.total(totalRemovals)
	area := float64(c.total(totalAreaReported)) / decimetres2PerHa
	on, off := c.total(totalEmissionsOn), c.total(totalRemovalsOn)
	return Carbon{
		Emissions: tonnes(emitted), Removals: tonnes(removed), Balance: tonnes(emitted - removed),
		EmissionsPerHa: per(on, area), RemovalsPerHa: per(off, area), NetPerHa: per(on-off, area),
		EmissionsPerT:    per(c.total(totalEmissionsOf), float64(c.total(totalProduct))/gramsPerTonne),
		EmissionsByModel: c.masses(kindEmissions), RemovalsBySource: c.masses(kindRemovals),
	}
}

// masses returns the parts of a kind in t, the largest first, equal ones by label.
func (c Cells) masses(kind string) []Part {
	out := []Part{}
	for _, p := range c.of(kind) {
		out = append(out, Part{p.key, tonnes(p.amount)})
	}
	return out
}

type keyed struct {
	key    string
	amount int64
}

// of returns the cells of a kind that are not 0, the largest first, equal ones by key.
func (c Cells) of(kind string) []keyed {
	var out []keyed
	for cell, amount := range c {
		if cell.Kind == kind && amount != 0 {
			out = append(out, keyed{cell.Key, amount})
		}
	}
	slices.SortFunc(out, func(a, b keyed) int { return cmp.Or(cmp.Compare(b.amount, a.amount), strings.Compare(a.key, b.key)) })
	return out
}

func (c Cells) verification() Verification {
	v := Verification{ByStatus: map[verification.Status]int64{}, CropTypes: []CropCount{}}
	for _, s := range Statuses {
		v.ByStatus[s] = c[Cell{kindVerification, string(s)}]
	}
	v.Rate = share(v.ByStatus[verification.Verified], v.ByStatus[verification.Verified]+v.ByStatus[verification.Failed])
	if n := c.total(totalConfidenceOver); n > 0 {
		v.AverageConfidence = round(float64(c.total(totalConfidence))/millionthsPerUnit/float64(n), confidenceDigits)
	}
	for _, p := range c.of(kindCrop) {
		v.CropTypes = append(v.CropTypes, CropCount{p.key, p.amount})
	}
	return v
}

func (c Cells) sections(table *assessment.Table) []Section {
	var out []Section
	for _, key := range table.SectionKeys() {
		s := Section{Key: key, Assessments: c[Cell{kindApplies, key}], Missing: c[Cell{kindMissing, key}], ByStatus: map[assessment.SectionStatus]int64{}}
		for _, stage := range Stages {
			s.ByStatus[stage] = c[Cell{kindStage, stageKey(key, stage)}]
		}
		s.Completion = mean(c[Cell{kindDone, key}], s.Assessments, millionthsPerUnit/100)
		switch s.Assessments {
		case s.ByStatus[assessment.NotStarted]: // also where there are none at all
			s.Status = assessment.NotStarted
		case s.ByStatus[assessment.Complete]:
			s.Status = assessment.Complete
		default:
			s.Status = assessment.InProgress
		}
		out = append(out, s)
	}
	return out
}

func (c Cells) issues(table *assessment.Table) []assessment.Issue {
	lacking := map[string]int64{}
	for _, p := range c.of(kindIssue) {
		lacking[p.key] = p.amount
	}
	return append([]assessment.Issue{}, table.TopIssues(lacking)...)
}

func trend(sums map[int]Cells) []Year {
	out := []Year{}
	for _, y := range slices.Sorted(maps.Keys(sums)) {
		c := sums[y]
		n := c.total(totalAssessments)
		if y == NoYear || n == 0 {
			continue
		}
		emitted, removed := c.total(totalEmissions), c.total(totalRemovals)
		out = append(out, Year{y, mean(c.total(totalCompletion), n, tenthsPerPercent), tonnes(emitted), tonnes(removed), tonnes(emitted - removed)})
	}
	return out
}

// Decimals that people are shown: masses to the gram, percentages to a hundredth.
const (
	massDigits       = 6
	percentDigits    = 2
	confidenceDigits = 4
)

func tonnes(grams int64) float64 { return round(float64(grams)/gramsPerTonne, massDigits) }

// per returns grams per unit in t; 0 where there is no denominator.
func per(grams int64, denominator float64) float64 {
	if denominator <= 0 {
		return 0
	}
	return round(float64(grams)/gramsPerTonne/denominator, massDigits)
}

// mean returns the mean of n amounts whose sum is in parts of a per cent.
func mean(sum, n int64, parts float64) float64 {
	if n == 0 {
		return 0
	}
	return round(float64(sum)/parts/float64(n), percentDigits)
}

// share returns part of whole in per cent.
func share(part, whole int64) float64 { return mean(100*part, whole, 1) }

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}
