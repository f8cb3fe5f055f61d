package farm

import "tilth/core/fault"

// BaseYear is the year that later inventories of a farm are compared with, and the rule by which it is recalculated (GHG
// Protocol, corporate standard, chapter 5).
type BaseYear struct {
	Year         int
	ThresholdPct float64 // the change of the base year's emissions from which they are recalculated, in per cent
	Policy       string  // the rule in the company's words
}

// The bounds of a base year.
const (
	minBaseYear     = 1980
	maxBaseYear     = 2100
	minThresholdPct = 0.1
)

func (b *BaseYear) check() fault.Fields {
	f := fault.Fields{}
	f.Within("year", float64(b.Year), minBaseYear, maxBaseYear)
	f.Within("threshold_pct", b.ThresholdPct, minThresholdPct, 100)
	f.Text("policy", b.Policy, 4000)
	return f
}
