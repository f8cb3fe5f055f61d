package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"tilth/core/assessment"
	"tilth/core/verification"
)

// The kinds of cells. A cell is one sum; its key names the sum within the kind.
const (
	kindTotal        = "total"
	kindEmissions    = "emissions"    // g CO2e, by label
	kindRemovals     = "removals"     // g CO2e, by label
	kindVerification = "verification" // assessments, by status
	kindCrop         = "crop"         // verified assessments, by crop type
	kindApplies      = "applies"      // assessments, by section that is asked for
	kindDone         = "done"         // share filled in, millionths, by section
	kindStage        = "stage"        // assessments, by section and stage: "soil complete"
	kindMissing      = "missing"      // missing required fields, by section
	kindIssue        = "issue"        // assessments that lack a field, by field
)

// The keys of totals.
const (
	totalAssessments = "assessments"
	totalDraft       = "draft"
	totalSubmitted   = "submitted"
	totalReady       = "ready"
	totalArea        = "area"         // dm2
	totalCompletion  = "completeness" // tenths of a per cent
	totalEmissions   = "emissions"    // g CO2e
	totalRemovals    = "removals"
	// Of those whose area, or product, is known: numerator and denominator of the figures per hectare and per tonne.
	totalAreaReported   = "reported_area"      // dm2
	totalEmissionsOn    = "emissions_on_area"  // g CO2e
	totalRemovalsOn     = "removals_on_area"   // g CO2e
	totalProduct        = "product"            // g
	totalEmissionsOf    = "emissions_of_goods" // g CO2e, allocated
	totalConfidence     = "confidence"         // millionths, of verdicts
	totalConfidenceOver = "verdicts"           // verified and failed
)

// Cell names one sum of the assessments of a company and year.
type Cell struct{ Kind, Key string }

// Cells are sums by their names.
type Cells map[Cell]int64

// add adds an amount; an amount of 0 makes no cell.
func (c Cells) add(kind, key string, amount int64) {
	if amount != 0 {
		c[Cell{kind, key}] += amount
	}
}

// Cells returns what the facts add to the sums of their year.
func (f Facts) Cells() Cells {
	c := Cells{}
	c.add(kindTotal, totalAssessments, 1)
	status := totalDraft
	if f.Status == assessment.Submitted {
		status = totalSubmitted
	}
	c.add(kindTotal, status, 1)
	if f.Ready {
		c.add(kindTotal, totalReady, 1)
	}
	c.add(kindTotal, totalArea, fixed(f.AreaHa, decimetres2PerHa))
	c.add(kindTotal, totalCompletion, fixed(f.Completeness, tenthsPerPercent))
	for _, s := range f.Sections {
		c.addSection(s)
	}
	c.addFigures(f.Figures)
	if f.Verification != nil {
		c.addVerification(*f.Verification)
	}
	return c
}

func (c Cells) addSection(s assessment.SectionState) {
	if !s.Applies {
		return
	}
	c.add(kindApplies, s.Section, 1)
	c.add(kindDone, s.Section, fixed(s.Done(), millionthsPerUnit))
	c.add(kindStage, stageKey(s.Section, s.Status), 1)
	c.add(kindMissing, s.Section, int64(len(s.Missing)))
	lacking := map[string]bool{}
	for _, m := range s.Missing { // a field that three items lack counts once
		if !lacking[m.Field] {
			lacking[m.Field] = true
			c.add(kindIssue, m.Field, 1)
		}
	}
}

func stageKey(section string, stage assessment.SectionStatus) string {
	return section + " " + string(stage)
}

func (c Cells) addFigures(f Figures) {
	c.add(kindTotal, totalEmissions, f.Emissions)
	c.add(kindTotal, totalRemovals, f.Removals)
	for label, g := range f.EmissionsBy {
		c.add(kindEmissions, label, g)
	}
	for label, g := range f.RemovalsBy {
		c.add(kindRemovals, label, g)
	}
	if f.Area > 0 {
		c.add(kindTotal, totalAreaReported, f.Area)
		c.add(kindTotal, totalEmissionsOn, f.Emissions)
		c.add(kindTotal, totalRemovalsOn, f.Removals)
	}
	if f.Product > 0 {
		c.add(kindTotal, totalProduct, f.Product)
		c.add(kindTotal, totalEmissionsOf, f.Allocated)
	}
}

func (c Cells) addVerification(v verification.Outcome) {
	c.add(kindVerification, string(v.Status), 1)
	if !v.Status.Verdict() {
		return
	}
	c.add(kindTotal, totalConfidenceOver, 1)
	c.add(kindTotal, totalConfidence, fixed(v.Confidence, millionthsPerUnit))
	if v.Status == verification.Verified && v.CropType != "" {
		c.add(kindCrop, v.CropType, 1)
	}
}

// NoYear stands for assessments that do not state their year.
const NoYear = 0

// Contribution is what one assessment has added to the sums, with the year of those sums.
type Contribution struct {
	Year  int // or NoYear
	Cells Cells
}

// Contribution returns what the facts add, and where.
func (f Facts) Contribution() Contribution {
	out := Contribution{Year: NoYear, Cells: f.Cells()}
	if f.Year != nil {
		out.Year = *f.Year
	}
	return out
}

// Change is a difference of one sum.
type Change struct {
	Year int
	Cell
	By int64
}

// Changes returns how the sums change when what assessments contributed before is replaced by what they contribute
// after, in the one order in which sums are locked: by year, kind and key. Sums that do not change are left out.
func Changes(before, after []Contribution) []Change {
	var all []Change
	for sign, contributions := range map[int64][]Contribution{-1: before, 1: after} {
		for _, c := range contributions {
			for cell, amount := range c.Cells {
				all = append(all, Change{c.Year, cell, sign * amount})
			}
		}
	}
	return Merge(all)
}

// Merge combines the changes of each sum into one, in the order of [Changes]. Sums that do not change are left out.
func Merge(all []Change) []Change {
	type place struct {
		year int
		cell Cell
	}
	by := make(map[place]int64, len(all))
	for _, c := range all {
		by[place{c.Year, c.Cell}] += c.By
	}
	out := make([]Change, 0, len(by))
	for p, amount := range by {
		if amount != 0 {
			out = append(out, Change{p.year, p.cell, amount})
		}
	}
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Year, b.Year), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Key, b.Key))
	})
	return out
}
