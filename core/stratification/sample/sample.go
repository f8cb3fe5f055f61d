// Package sample holds the soil samples of a plan and the estimates from them: means, stocks, their
// intervals, and the change between two rounds. It places no points.
package sample

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// Status is the state of a sample.
type Status string

// The states of a sample. A sample is planned, then collected, then analysed, according to its
// data; one that could not be taken is missed. A step back requires withdrawing the data.
const (
	StatusPlanned   Status = "planned"
	StatusCollected Status = "collected"
	StatusAnalysed  Status = "analysed"
	StatusMissed    Status = "missed"
)

// Statuses lists the states of samples.
var Statuses = []Status{StatusPlanned, StatusCollected, StatusAnalysed, StatusMissed}

// The bounds of samples.
const (
	MaxDepths    = 10   // intervals of one call
	MaxDepthCm   = 300  // a hand auger reaches no deeper
	MaxRound     = 100  // times that a plan is sampled
	maxMoved     = 1000 // metres from its point; beyond that, longitude and latitude are usually swapped
	maxAccuracyM = 1000
	maxNotes     = 4000

	// Bulk density, g/cm³, lies between that of peat and that of solid quartz.
	minBulkDensity, maxBulkDensity = 0.05, 2.65
)

// Depth is a depth interval in millimetres below the surface: whole numbers, which compare exactly.
type Depth struct{ FromMm, ToMm int64 }

// DepthOf returns an interval of centimetres, rounded to whole millimetres.
func DepthOf(fromCm, toCm float64) Depth {
	return Depth{int64(math.Round(10 * fromCm)), int64(math.Round(10 * toCm))}
}

// FromCm returns the upper end in centimetres.
func (d Depth) FromCm() float64 { return float64(d.FromMm) / 10 }

// ToCm returns the lower end in centimetres.
func (d Depth) ToCm() float64 { return float64(d.ToMm) / 10 }

func (d Depth) String() string { return fmt.Sprintf("%g-%g", d.FromCm(), d.ToCm()) }

// CheckDepths returns what is wrong with the depth intervals of a round.
func CheckDepths(depths []Depth) fault.Fields {
	f := fault.Fields{}
	f.AddIf(len(depths) == 0 || len(depths) > MaxDepths, "depths", "Between 1 and %d depth intervals.", MaxDepths)
	for i, d := range depths {
		f.AddIf(d.FromMm < 0 || d.ToMm <= d.FromMm || d.ToMm > MaxDepthCm*10,
			"depths", "Interval %d: it must be within 0 to %d cm, with its lower end below its upper.", i+1, MaxDepthCm)
		for j, other := range depths[:i] {
			f.AddIf(d.FromMm < other.ToMm && other.FromMm < d.ToMm, "depths", "Intervals %d and %d overlap.", j+1, i+1)
		}
	}
	return f
}

// Collected states how a sample was taken.
type Collected struct {
	LonLat    *geo.Position // nil: not measured, the planned place counts
	At        time.Time
	By        string // name of the sampler
	AccuracyM *float64
	MovedM    *float64 // from the planned place, on the ellipsoid; nil where the place was not measured
	// Zone is the zone in which it was taken: 0 outside every zone; the planned zone where the place was not measured.
	Zone int
}

// Lab is the result of a laboratory.
type Lab struct {
	SOCPct             float64  // soil organic carbon, % of the mass of fine soil
	SOCLimitPct        *float64 // the laboratory's limit of determination that the result is below; SOCPct is half of it
	BulkDensity        *float64 // g/cm³ of fine soil
	CoarseFragmentsPct *float64 // % of the volume
	Method             string
	Ref                string // the laboratory's number
	At                 *time.Time
}

// Sample is soil from a point of a saved plan and a depth interval, in one round of sampling.
type Sample struct {
	record.Meta
	record.External
	PlanID    int64
	PlanUUID  string
	MapUUID   string // the map of zones
	AOI       stratification.AOIRef
	Round     int64
	SampledOn *time.Time // the day of the round, UTC; nil: not stated
	Point     string     // id of the plan's point
	Zone      int        // in which it was planned
	Role      plan.Role
	Depth     Depth
	Planned   geo.Position // longitude, latitude
	Status    Status
	Label     string // unique in the company, printable
	Collected *Collected
	Lab       *Lab
	Notes     string
	// Composite is the id of the composite into which its soil goes, such as Z2-C1; empty: it is analysed by itself.
	Composite string
}

// OutOfZone reports whether the sample was taken in a zone other than the planned one.
func (s *Sample) OutOfZone() bool { return s.Collected != nil && s.Collected.Zone != s.Zone }

// DefaultLabel returns the label of a sample without one of its own: plan, round where it is not the
// first, point and depth. Labels of two companies differ, as the ids of plans do.
func (s *Sample) DefaultLabel() string {
	round := ""
	if s.Round > 1 {
		round = fmt.Sprintf("-r%d", s.Round)
	}
	return fmt.Sprintf("P%d%s-%s-%s", s.PlanID, round, s.Point, s.Depth)
}

// OfPlan returns the planned samples of a plan's points, including reserves, for depth intervals in
// a round on a day, which may be nil.
//
// Faults: Conflict (plan_without_places) for a plan in a plane without longitude and latitude.
func OfPlan(plan plan.SamplePlan, depths []Depth, round int64, day *time.Time) ([]*Sample, error) {
	var out []*Sample
	for _, p := range plan.Plan.Points {
		if p.LonLat == nil {
			return nil, fault.New(fault.Conflict, "plan_without_places", "The points of the plan have no longitude and latitude.")
		}
		for _, d := range depths {
			s := &Sample{
				PlanID: plan.ID, PlanUUID: plan.Plan.PlanUUID, MapUUID: plan.Map.Candidate.MapUUID, AOI: plan.AOI, Round: round, SampledOn: day,
				Point: p.ID, Zone: p.Zone, Role: p.Role, Depth: d, Planned: *p.LonLat, Status: StatusPlanned, Composite: p.CompositeID(),
			}
			s.Label = s.DefaultLabel()
			out = append(out, s)
		}
	}
	return out, nil
}

// AtPoint returns the planned sample of one point of a plan; ok is false where it has no such point with a place.
func AtPoint(of plan.SamplePlan, point string, depth Depth, round int64) (s *Sample, ok bool) {
	at := slices.IndexFunc(of.Plan.Points, func(p plan.Point) bool { return p.ID == point && p.LonLat != nil })
	if at < 0 {
		return nil, false
	}
	of.Plan.Points = of.Plan.Points[at : at+1]
	made, err := OfPlan(of, []Depth{depth}, round, nil)
	if err != nil {
		return nil, false
	}
	return made[0], true
}

// labels consist of characters that every printer and bar code supports.
var labels = regexp.MustCompile(`^[A-Za-z0-9._/-]{1,64}$`)

// Known returns the state that the data of a sample imply; planned stands for missed as well.
func (s *Sample) Known() Status {
	switch {
	case s.Lab != nil:
		return StatusAnalysed
	case s.Collected != nil:
		return StatusCollected
	default:
		return StatusPlanned
	}
}

// Advance sets the state that follows from a change that does not set one: the added or withdrawn
// data decide. A missed sample without new data stays missed.
func (s *Sample) Advance(before Sample) {
	if s.Status != before.Status {
		return
	}
	if known := s.Known(); known != before.Known() {
		s.Status = known
	}
}

// Normalise computes how far a sample was moved.
func (s *Sample) Normalise() {
	if c := s.Collected; c != nil {
		taken := *c
		taken.MovedM, taken.Zone = nil, s.Zone
		if c.LonLat != nil && onEarth(*c.LonLat) {
			moved := math.Round(10*geo.Distance(s.Planned, *c.LonLat)) / 10
			taken.MovedM = &moved
		}
		s.Collected = &taken
	}
}

func onEarth(p geo.Position) bool { return math.Abs(p.X) <= 180 && math.Abs(p.Y) <= 90 }

// Check returns what is wrong with the sample itself.
func (s *Sample) Check() fault.Fields {
	f := fault.Fields{}
	f.AddIf(!labels.MatchString(s.Label),
		"label", "A label must have 1 to 64 of the characters A-Z, a-z, 0-9, dot, underscore, hyphen and slash.")
	f.Text("notes", s.Notes, maxNotes)
	s.External.Check(f)
	f.Merge(CheckDay("sampled_on", s.SampledOn))
	s.checkStatus(f)
	if s.Collected != nil {
		f.Nest("collected", s.Collected.check())
	}
	if s.Lab != nil {
		f.Nest("lab", s.Lab.check())
	}
	return f
}

func (s *Sample) checkStatus(f fault.Fields) {
	known := s.Known()
	switch {
	case !slices.Contains(Statuses, s.Status):
		f.Addf("status", "%q is not a state of a sample.", s.Status)
	case s.Lab != nil && s.Collected == nil:
		f.Add("status", "A sample must be collected before it is analysed: send collected, with at least its time, as well.")
	case s.Status == known, s.Status == StatusMissed && known == StatusPlanned:
	case s.Status == StatusCollected && known == StatusPlanned:
		f.Add("status", "A collected sample needs collected: when it was taken, and where.")
	case s.Status == StatusAnalysed:
		f.Add("status", "An analysed sample needs lab, with soc_pct.")
	case s.Status == StatusCollected:
		f.Add("status", "The sample has an analysis; to withdraw it, send lab as null.")
	default:
		f.Addf("status", "The sample was collected; to make it %s, send collected (and lab) as null.", s.Status)
	}
}

func (c *Collected) check() fault.Fields {
	f := fault.Fields{}
	if p := c.LonLat; p != nil {
		switch {
		case !(math.Abs(p.X) <= 180):
			f.Add("lon", "Degrees of longitude from -180 to 180.")
		case !(math.Abs(p.Y) <= 90):
			f.Add("lat", "Degrees of latitude from -90 to 90.")
		case c.MovedM != nil && *c.MovedM > maxMoved:
			f.Addf("lon", "The place is %.0f m from the planned one; the sample must be taken within %d m of it. Have lon and lat been swapped?", *c.MovedM, maxMoved)
		}
	}
	f.AddIf(!plausible(c.At), "at", "Give the time when the sample was taken, from 1950 to 2200.")
	f.Text("by", c.By, 255)
	inRange(f, "accuracy_m", c.AccuracyM, 0, maxAccuracyM, "m")
	return f
}

func (l *Lab) check() fault.Fields {
	f := fault.Fields{}
	inRange(f, "soc_pct", &l.SOCPct, 0, 100, "%")
	inRange(f, "bulk_density_g_cm3", l.BulkDensity, minBulkDensity, maxBulkDensity, "g/cm3")
	inRange(f, "coarse_fragments_pct", l.CoarseFragmentsPct, 0, 100, "%")
	f.Text("method", l.Method, 255)
	f.Text("lab_ref", l.Ref, 255)
	if limit := l.SOCLimitPct; limit != nil {
		inRange(f, "soc_limit_pct", limit, 0, 100, "%")
		f.AddIf(math.Abs(l.SOCPct-*limit/2) > 1e-9, "soc_limit_pct", "The result is below this limit: soc_pct must be half of it, %g.", *limit/2)
	}
	f.Merge(CheckDay("at", l.At))
	return f
}

// CheckDay returns what is wrong with a day or time that may be missing.
func CheckDay(field string, at *time.Time) fault.Fields {
	f := fault.Fields{}
	f.AddIf(at != nil && !plausible(*at), field, "A time from 1950 to 2200.")
	return f
}

func plausible(at time.Time) bool { return at.Year() >= 1950 && at.Year() <= 2200 }

func inRange(f fault.Fields, name string, v *float64, low, high float64, unit string) {
	if v != nil && !(*v >= low && *v <= high) {
		f.Addf(name, "A number from %g to %g, in %s; %g is out of range.", low, high, unit, *v)
	}
}

// ZoneTaken returns the zone in which a sample with a place was taken. A sample of a stratum that is
// numbered after the zones, such as the strip along the edges, counts for it wherever it was taken in the area.
func (s *Sample) ZoneTaken(zones []zoning.Zone) int {
	at := ZoneAt(zones, *s.Collected.LonLat)
	if at > 0 && s.Zone > len(zones) {
		return s.Zone
	}
	return at
}

// ZoneAt returns the number of the zone that holds a place (degrees), 0 outside every zone.
func ZoneAt(zones []zoning.Zone, at geo.Position) int {
	for _, z := range zones {
		if z.Geometry.Contains(at) {
			return z.Number
		}
	}
	return 0
}
