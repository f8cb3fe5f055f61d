package plan

import (
	"cmp"
	"fmt"
	"math"
	"sort"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/route"
)

// Journey states where the way along the samples starts and ends; nil: anywhere.
type Journey struct{ Start, End *Terminus }

// Terminus is an end of a journey.
type Terminus struct {
	At     geo.Position // in the frame's plane
	LonLat geo.Position // WGS84
}

// End is an end of a plan's journey, with the point of the plan that is its neighbour on the way.
type End struct {
	Terminus
	Start  bool
	Beside *Point
}

// Ends returns the ends of a plan's journey that are known, the start first.
func (plan *Plan) Ends() (ends []End) {
	visited := 0
	for visited < len(plan.Points) && plan.Points[visited].Role.Visited() {
		visited++
	}
	if visited == 0 {
		return nil
	}
	if from := plan.Params.Journey.Start; from != nil {
		ends = append(ends, End{*from, true, &plan.Points[0]})
	}
	if to := plan.Params.Journey.End; to != nil {
		ends = append(ends, End{*to, false, &plan.Points[visited-1]})
	}
	return ends
}

// MaxApproach is the maximum distance, in metres, of the ends of a journey from its fields: a plane is of little use beyond.
const MaxApproach = 300_000.0

func (j Journey) ends() (e route.Ends) {
	if j.Start != nil {
		e.From = &j.Start.At
	}
	if j.End != nil {
		e.To = &j.End.At
	}
	return e
}

// named returns the ends by their names in the interface.
func (j Journey) named() map[string]*Terminus {
	return map[string]*Terminus{"start": j.Start, "end": j.End}
}

// check refuses ends without a valid position, and an end without a start.
func (j Journey) check(fields fault.Fields) {
	for name, end := range j.named() {
		fields.AddIf(end != nil && (!stats.Finite(end.At.X) || !stats.Finite(end.At.Y)), name, "It must be a longitude and a latitude.")
	}
	fields.AddIf(j.End != nil && j.Start == nil, "end", "An end needs a start.")
}

// near refuses places too far from the fields of a frame.
func (j Journey) near(f *frame.Frame) error {
	fields := fault.Fields{}
	for name, end := range j.named() {
		if end == nil {
			continue
		}
		away := math.Inf(1)
		for _, field := range f.Fields {
			away = min(away, beside(field.Bounds(), end.At))
		}
		fields.AddIf(away > MaxApproach, name, "It lies %.0f km from the fields; at most %.0f km are allowed. Longitude comes first.", away/1000, MaxApproach/1000)
	}
	return fields.Err()
}

// beside returns the distance of a place from a box, 0 within.
func beside(b geo.Box, p geo.Position) float64 {
	return math.Hypot(max(b.MinX-p.X, 0, p.X-b.MaxX), max(b.MinY-p.Y, 0, p.Y-b.MaxY))
}

// wayPerRoot is the length of the shortest way through n random points in an area A over √(nA), for
// many points: Beardwood, Halton and Hammersley, "The Shortest Path through Many Points",
// Mathematical Proceedings of the Cambridge Philosophical Society 55 (1959) 299; the figure is
// that of Johnson, McGeoch and Rothberg (1996).
const wayPerRoot = 0.7124

// land holds what is known about the way along samples before they are placed.
type land struct {
	areaHa    float64
	parts     []float64 // of its fields, shares of the area
	between   float64   // km of a drive through the middles of all fields
	toAndFrom float64   // km from the start and to the end
	every     bool      // field has samples
	perDraw   int       // points at a draw, where fields are drawn in a first stage; 0: they are not
}

// visited returns the number of fields that n samples, or n draws of fields, are expected to visit.
func (l land) visited(n int) (fields float64) {
	if l.every {
		return float64(len(l.parts))
	}
	for _, part := range l.parts {
		fields += 1 - math.Pow(1-part, float64(n))
	}
	return fields
}

// wayKm estimates the way along n samples: within each field the way through random points, as many as its share of n; between
// fields the way through the middles of all, times the root of the share of fields with a sample (by the same law); and the
// ways from the start and to the end. If fields are drawn, each of the n draws walks through its own points.
func (l land) wayKm(n int) float64 {
	within := 0.0
	for _, part := range l.parts {
		walks, in := 1.0, part*float64(n)
		if l.perDraw > 0 {
			walks, in = in, float64(l.perDraw)
		}
		within += walks * wayPerRoot * math.Sqrt(in*part*l.areaHa*frame.M2PerHectare) / 1000
	}
	return within + float64(l.between*math.Sqrt(l.visited(n)/float64(len(l.parts)))) + l.toAndFrom
}

// land measures the fields of a design. It does so once, although samples are shared out more than once.
func (d *design) land() land {
	if d.measured.areaHa > 0 {
		return d.measured
	}
	d.measured.areaHa, d.measured.every = d.frame.AreaHa, d.params.MinSamplesPerField > 0
	if d.params.Costs.Budget == 0 && !d.params.InStages() {
		return d.measured
	}
	middles := make([]route.Stop, len(d.frame.Fields))
	cells := make([]float64, len(middles))
	for i, c := range d.frame.Cells {
		at := d.frame.Centre(i)
		cells[c.Field]++
		middles[c.Field].At.X += at.X
		middles[c.Field].At.Y += at.Y
	}
	var stops []route.Stop
	for i, n := range cells {
		if n == 0 { // another field has its cells
			continue
		}
		d.measured.parts = append(d.measured.parts, n/float64(len(d.frame.Cells)))
		stops = append(stops, route.Stop{Field: i, At: geo.Position{X: middles[i].At.X / n, Y: middles[i].At.Y / n}})
	}
	ends := d.params.Journey.ends()
	order := ends.Through(d.budget, stops)
	along := list.Map(order, func(i int) route.Stop { return stops[i] })
	_, between := route.Ends{}.Length(along)
	_, all := ends.Length(along)
	d.measured.between, d.measured.toAndFrom = between/1000, (all-between)/1000
	return d.measured
}

// affordable returns the largest number of samples within the budget, with an estimate of the way; 0 where there is
// none. pooled is the number of composites; 0: every sample is analysed.
func (c Costs) affordable(l land, pooled int) int {
	return sort.Search(maxSamples, func(n int) bool { return c.of(n+1, cmp.Or(pooled, n+1), l.visited(n+1), l.wayKm(n+1)) > c.Budget })
}

// overBudget adds the concern about a plan that costs more than its budget, since its way is longer than estimated.
func (plan *Plan) overBudget() {
	c := plan.Params.Costs
	if c.Budget == 0 || plan.Cost <= c.Budget {
		return
	}
	plan.Concerns = append(plan.Concerns, Concern{Code: "over_budget", Message: fmt.Sprintf(
		"The plan costs %.2f, more than the budget of %.2f: its route is %.1f km, and %.1f km were estimated before the points were known.",
		plan.Cost, c.Budget, plan.WayKm, plan.WayEstimateKm)})
}
