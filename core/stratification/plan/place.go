package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/zoning"
	"tilth/core/vegetation"
)

const (
	// edgeRoom is the smallest distance from an edge in metres, whatever the offset: more than
	// rounding to centimetres, or to 7 decimals of a degree, may move a point or an edge.
	edgeRoom = 0.05
	// jitters is the number of places drawn in a cell before its centre is taken.
	jitters = 16
	// lowering is the factor by which the distance between points is reduced.
	lowering = 0.9
)

// errNoRoom means that the zones do not hold the points; noRoom turns it into a fault with the code noRoomCode.
var errNoRoom = errors.New("not enough room")

const noRoomCode = "not_enough_room"

// ground is the land on which points may lie.
type ground struct {
	budget *effort.Budget
	frame  *frame.Frame
	zoning *zoning.Zoning
	edges  *edgeIndex
	// clearance is the distance of each cell's centre to the nearest edge, exact up to reach; -1
	// where the outline of its zone does not hold it, which happens where the outlines of
	// overlapping fields could not be merged exactly.
	clearance []float64
	reach     float64
}

func newGround(budget *effort.Budget, f *frame.Frame, z *zoning.Zoning, p Params) (*ground, error) {
	g := &ground{budget: budget, frame: f.Indexed(), zoning: z, edges: newEdgeIndex(f, p.bounded(z)), clearance: make([]float64, len(f.Cells))}
	g.reach = math.Max(float64(p.ZoneOffset), f.CellSize) // a point lies at most a cell from the centre
	for i := range g.clearance {
		g.clearance[i] = -1
	}
	grid := g.frame.Raster()
	grid.EPSG = cmp.Or(grid.EPSG, geo.UTMZoneEPSG(geo.Position{})) // any zone will do: nothing is projected
	for h, zone := range z.Zones {
		for _, part := range zone.Outline { // one by one, as they may lie far apart
			cells, err := vegetation.Centres(geo.MultiPolygon{part}, grid)
			if err != nil {
				return nil, err
			}
			if err := budget.Spend(len(cells) + len(part[0])); err != nil {
				return nil, err
			}
			for _, c := range cells {
				if i := g.frame.Index(c.Row, c.Col); i >= 0 && int(z.Labels[i]) == h+1 {
					g.clearance[i] = math.Inf(1)
				}
			}
		}
	}
	for _, e := range g.edges.edges {
		if err := budget.Spend(1); err != nil {
			return nil, err
		}
		g.frame.EachNear(e[0], e[1], g.reach+1, func(i int) {
			_ = budget.Spend(1) // the next edge finds the error
			g.clearance[i] = min(g.clearance[i], frame.DistanceToSegment(g.centre(i), e[0], e[1]))
		})
	}
	return g, nil
}

// centre returns a cell's centre in whole centimetres, like points.
func (g *ground) centre(i int) geo.Position { return centimetres(g.frame.Centre(i)) }

func centimetres(p geo.Position) geo.Position {
	scale := math.Pow10(distanceDecimals)
	return geo.Position{X: math.Round(p.X*scale) / scale, Y: math.Round(p.Y*scale) / scale}
}

// room returns the distance of points from the edges at an offset.
func room(offset int) float64 { return math.Max(float64(offset), edgeRoom) }

// eligible returns the cells of each zone whose centre keeps the offset from the edges.
func (g *ground) eligible(offset int) [][]int32 {
	out := make([][]int32, len(g.zoning.Zones))
	for i, label := range g.zoning.Labels {
		if g.clearance[i] >= room(offset) {
			out[label-1] = append(out[label-1], int32(i))
		}
	}
	return out
}

func (g *ground) inscribed(p Params, zone int) float64 {
	upper := 0.0
	for i, label := range g.zoning.Labels {
		of := int(label)
		if p.InStages() {
			of = int(g.frame.Cells[i].Field) + 1
		}
		if of == zone {
			upper = math.Max(upper, g.clearance[i])
		}
	}
	return upper
}

// fits reports whether a place near a cell's centre lies in the cell's zone and, as the cell does, outside or in the strip along the edges.
func (g *ground) fits(p geo.Position, cell int32, offset int) bool {
	away := g.edges.distance(p)
	if g.clearance[cell] < room(offset) { // of the strip
		return away >= edgeRoom && away < room(offset) && g.zoning.Zones[g.zoning.Labels[cell]-1].Outline.Contains(p)
	}
	if away < room(offset) {
		return false
	}
	c := g.centre(int(cell))
	// No edge is as near to the centre as the place is: they are on the same side of all.
	if math.Hypot(p.X-c.X, p.Y-c.Y) < g.clearance[cell] {
		return true
	}
	return g.zoning.Zones[g.zoning.Labels[cell]-1].Outline.Contains(p)
}

// spot is a chosen place.
type spot struct {
	at     geo.Position
	cell   int32
	field  int // known once the walk is known
	legacy bool
	sent   geo.Position // of a legacy point: the place before it was rounded to centimetres
	draw   int          // of its field in a first stage, from 1; 0: it was not drawn
	part   int          // in which it was placed
	// number is that of a reserve in its zone, in the order in which reserves replace samples.
	number int
}

// layout is the result of placing points.
type layout struct {
	eligible          [][]int32
	counts, reserved  []int // samples and reserves of each zone
	samples, reserves []spot
	apart             float64
	hypercube         *Hypercube // set for that placement only
}

// design is a plan under construction.
type design struct {
	*ground
	params Params
	strata []Stratum   // the zones
	shared []Stratum   // to which samples are shared out: the zones, or what is left of them followed by the edges or fields taken from them
	own    map[int]int // the stratum of each field that is a stratum of its own
	mean   float64
	layers []layer.Layer // of a hypercube
	kept   []spot        // legacy points
	rough  bool          // only whether the points fit is asked
	// measured is what land returns.
	measured land
	// staged is the first stage of a plan in two stages; nil: there is none.
	staged *Staged
}

// place shares out the samples and places them at an offset, at the requested distance or, where
// that leaves no room, at smaller ones down to a cell. The error is errNoRoom where that fails.
func (d *design) place(offset int) (layout, error) {
	out := layout{eligible: d.eligible(offset)}
	d.shared = d.strata
	if d.params.Edge == EdgeStratum {
		d.addEdge(&out, offset)
	}
	share := d.share
	if d.params.InStages() {
		share = d.drawFields
	}
	if err := share(&out); err != nil {
		return out, err
	}
	for h, n := range out.counts {
		if n > len(out.eligible[h]) {
			return out, errNoRoom
		}
		out.reserved = append(out.reserved, d.reservesOf(h, n))
	}
	parts, err := d.parts(out)
	if err != nil {
		return out, err
	}
	chooser := parts.chooser(d)
	if parts.fields {
		chooser.reserved = make([]int, len(parts.cells))
	} else {
		chooser.reserved = out.reserved
	}
	chooser.again(nil, parts.counts)
	for step, apart := range d.distances() {
		chooser.restart()
		a := attempt{
			design: d, chooser: chooser, offset: offset, crowd: newCrowd(apart, d.params.keptOut()),
			taken: map[int32]bool{}, random: pcg.New(d.params.Seed, fmt.Sprintf("plan/jitter/%d", step)),
		}
		var ok bool
		out.samples, ok = a.take(parts.counts)
		if err := d.budget.Err(); err != nil {
			return out, err
		}
		if !ok {
			continue
		}
		out.apart = apart
		if d.params.Placement == LatinHypercube && !d.rough {
			out.hypercube = a.conditioned(out.samples, parts)
		}
		if parts.fields {
			a.chooser = newTargeted(d, out.eligible)
			a.chooser.land, a.chooser.stage, a.chooser.reserved = out.eligible, "/reserve", make([]int, len(out.reserved))
		}
		a.chooser.again(a.taken, out.reserved)
		out.reserves, _ = a.take(out.reserved)
		d.dealOut(out.samples)
		d.dealOut(out.reserves)
		d.number(out.reserves)
		return out, d.budget.Err()
	}
	return out, errNoRoom
}

// number numbers reserves by zone in the order in which they were drawn.
func (d *design) number(reserves []spot) {
	numbers := map[int]int{}
	for i := range reserves {
		zone := d.stratumOf(reserves[i])
		numbers[zone]++
		reserves[i].number = numbers[zone]
	}
}

// reservesOf returns the number of reserves for n samples of a stratum, or for all draws of a field.
func (d *design) reservesOf(stratum, n int) int {
	if d.staged != nil {
		return len(d.staged.Fields[stratum].Draws) * d.params.reserves(d.staged.Points)
	}
	return d.params.reserves(n)
}

func (p Params) reserves(n int) int {
	if p.ReserveShare == 0 || n == 0 {
		return 0
	}
	return max(1, int(math.Round(p.ReserveShare*float64(n))))
}

func (d *design) distances() []float64 {
	cell := d.frame.CellSize
	apart := d.params.MinDistance
	if apart == DefaultDistance {
		apart = 2 * cell
	}
	out := []float64{apart}
	for apart > cell {
		apart = math.Max(cell, apart*lowering)
		out = append(out, apart)
	}
	return out
}

// attempt places points at one distance.
type attempt struct {
	*design
	chooser *targeted
	offset  int
	crowd   *crowd
	taken   map[int32]bool // cells
	random  *pcg.Stream
}

// take places the points of all zones, one of each zone in turn so that none has the first choice
// along its edges; false where a zone lacks room.
func (a *attempt) take(counts []int) (spots []spot, ok bool) {
	left := append([]int(nil), counts...)
	ok = true
	for more := true; more; {
		more = false
		for h := range left {
			if left[h] == 0 {
				continue
			}
			placed := a.chooser.next(h, func(cell int32) bool {
				at, fits := a.settle(cell)
				if fits {
					a.taken[cell] = true
					a.crowd.add(at)
					spots = append(spots, spot{at: at, cell: cell, part: h})
				}
				return fits
			})
			if !placed {
				ok, left[h] = false, 0
				continue
			}
			left[h]--
			more = more || left[h] > 0
		}
	}
	return spots, ok
}

// settle finds a place in a cell, uniformly at random among those that fit.
func (a *attempt) settle(cell int32) (at geo.Position, ok bool) {
	if a.taken[cell] || a.budget.Spend(jitters) != nil {
		return at, false
	}
	centre := a.centre(int(cell))
	if a.params.Placement.Probability() {
		size := a.frame.CellSize
		for range jitters {
			at = centimetres(geo.Position{
				X: centre.X + float64((a.random.Unit()-0.5)*size),
				Y: centre.Y + float64((a.random.Unit()-0.5)*size),
			})
			if a.crowd.free(at) && a.fits(at, cell, a.offset) && a.inField(at, cell) {
				return at, true
			}
		}
	}
	return centre, a.crowd.free(centre)
}

// ZoneRoom is the room of a zone, in the fault not_enough_room.
type ZoneRoom struct {
	Zone            int     `json:"zone"`
	Field           int     `json:"field,omitempty"` // number in the area of interest of a field that is a stratum of its own
	Samples         int     `json:"samples"`         // requested; 0 where the zone was empty before they were shared out
	EligibleCells   int     `json:"eligible_cells"`
	EligibleAreaHa  float64 `json:"eligible_area_ha"`
	InscribedRadius float64 `json:"inscribed_radius"` // metres: the largest distance of a cell's centre from the edges, up to the offset
}

// noRoom returns the fault with the room of each zone and the largest offset at which the plan
// fits.
func (d *design) noRoom(found layout) error {
	zones := make([]ZoneRoom, len(found.eligible))
	tight := 0
	for h, cells := range found.eligible {
		zones[h] = ZoneRoom{
			Zone: h + 1, EligibleCells: len(cells), EligibleAreaHa: float64(len(cells)) * d.frame.CellSize * d.frame.CellSize / frame.M2PerHectare,
			InscribedRadius: math.Floor(10*math.Min(d.inscribed(d.params, h+1), d.reach)) / 10,
		}
		if found.counts != nil {
			zones[h].Samples = found.counts[h]
		}
		if h < len(d.shared) {
			zones[h].Field = d.shared[h].Field
			zones[h].Samples = max(zones[h].Samples, d.shared[h].Min)
		}
		if d.shared[h].Min != none && spare(zones[h]) < spare(zones[tight]) {
			tight = h
		}
	}
	largest := d.largestOffset()
	zone := zones[tight]
	fix := "Request fewer samples or zones, or a smaller distance between points."
	if d.params.InStages() {
		fix = "Request fewer points_per_field, or a smaller distance between points."
	}
	if largest >= 0 {
		fix = fmt.Sprintf("With an offset of %d m they fit.", largest)
	}
	err := fault.Newf(fault.Invalid, noRoomCode,
		"The points do not fit at %d m from the edges: %s has %.2f ha there, and no cell's centre lies more than %.1f m from its edges. %s",
		d.params.ZoneOffset, zone.name(), zone.EligibleAreaHa, zone.InscribedRadius, fix)
	if zone.EligibleCells > 0 {
		err.Message = fmt.Sprintf("The points do not fit at %d m from the edges of %s: %s has %.2f ha (%d cells) there. %s",
			d.params.ZoneOffset, d.params.edges(), zone.name(), zone.EligibleAreaHa, zone.EligibleCells, fix)
	}
	err = err.With("zone", zone.Zone).With("eligible_area_ha", zone.EligibleAreaHa).With("zones", zones)
	if largest >= 0 {
		err = err.With("max_offset", largest)
	}
	return err
}

func (z ZoneRoom) name() string {
	if z.Field > 0 {
		return fmt.Sprintf("field %d of the area of interest", z.Field)
	}
	return fmt.Sprintf("zone %d", z.Zone)
}

func spare(z ZoneRoom) float64 { return float64(z.EligibleCells) / float64(max(z.Samples, 1)) }

// largestOffset finds by bisection an offset at which the points fit, but not above it; -1: none.
func (d *design) largestOffset() int {
	low, high := -1, d.params.ZoneOffset
	d.rough = true
	for high-low > 1 {
		middle := low + (high-low)/2
		if _, err := d.place(middle); err == nil {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
