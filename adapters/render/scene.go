package render

import (
	"math"
	"slices"

	"tilth/adapters/render/internal/draw"
	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// scene is what a map shows, in the plane of its UTM zone: in metres, so that shapes are correct
// at every latitude.
type scene struct {
	budget *effort.Budget
	in     ports.ShownMap
	plan   *plan.Plan  // nil: only zones
	carbon *carbon.Map // nil: it is not a map of soil carbon
	zones  []zoning.Zone
	fields []geo.MultiPolygon
	boxes  []geo.Box // of the fields
	apart  bool      // each field has a panel of its own, where there are few
}

// color returns the colour of a zone: by its number, which follows what the zones were made of, or by its carbon.
func (s *scene) color(zone int) draw.Color {
	if s.carbon == nil {
		return zoneColor(zone, len(s.zones))
	}
	return stockColor(s.carbon, zone)
}

func newScene(budget *effort.Budget, in ports.ShownMap, plan *plan.Plan) (*scene, error) {
	utm, err := geo.NewUTM(in.Map.About.EPSG)
	if err != nil {
		return nil, err
	}
	s := &scene{budget: budget, in: in, plan: plan, zones: in.Map.Candidate.Zones}
	for _, f := range in.Fields {
		outline := utm.Project(f.Outline)
		s.fields, s.boxes = append(s.fields, outline), append(s.boxes, outline.Bounds())
	}
	return s, nil
}

// maxPanels bounds the groups of fields that have panels of their own.
const maxPanels = 12

// groups returns groups of fields that lie near each other, if one map of all would be mostly
// empty; otherwise one group of all. Fields that are drawn apart are groups of one, along the way.
func (s *scene) groups() [][]int {
	if s.apart && len(s.boxes) <= maxPanels {
		var order []int
		if s.plan != nil {
			order = s.plan.FieldsInOrder()
		}
		for i := range s.boxes {
			if !slices.Contains(order, i) {
				order = append(order, i)
			}
		}
		return list.Map(order, func(i int) []int { return []int{i} })
	}
	var all []int
	var out [][]int
	covered, placed := 0.0, make([]bool, len(s.boxes))
	for first := range s.boxes {
		all = append(all, first)
		if placed[first] {
			continue
		}
		members := []int{first}
		for k := 0; k < len(members); k++ { // a field near a member becomes a member
			for i := range s.boxes {
				if i > first && !placed[i] && near(s.boxes[members[k]], s.boxes[i]) {
					members, placed[i] = append(members, i), true
				}
			}
		}
		slices.Sort(members)
		out = append(out, members)
		covered += areaOf(s.around(members))
	}
	const crowded = 0.3 // share of the map that is land, or near it
	if len(out) == 1 || len(out) > maxPanels || covered > crowded*areaOf(s.around(all)) {
		return [][]int{all}
	}
	return out
}

func areaOf(b geo.Box) float64 { return (b.MaxX - b.MinX) * (b.MaxY - b.MinY) }

// near reports whether two boxes are nearer to each other than half the size of the larger.
func near(a, b geo.Box) bool {
	size := max(a.MaxX-a.MinX, a.MaxY-a.MinY, b.MaxX-b.MinX, b.MaxY-b.MinY)
	dx := max(0, a.MinX-b.MaxX, b.MinX-a.MaxX)
	dy := max(0, a.MinY-b.MaxY, b.MinY-a.MaxY)
	return math.Hypot(dx, dy) <= size/2
}

func (s *scene) around(fields []int) geo.Box {
	out := s.boxes[fields[0]]
	for _, i := range fields {
		b := s.boxes[i]
		out = geo.Box{MinX: min(out.MinX, b.MinX), MinY: min(out.MinY, b.MinY), MaxX: max(out.MaxX, b.MaxX), MaxY: max(out.MaxY, b.MaxY)}
	}
	return out
}

// zone draws the parts of a zone that meet a box.
func (s *scene) zone(p pen, z zoning.Zone, box geo.Box, at func(geo.Position) draw.Point) {
	for _, polygon := range z.Outline {
		if (geo.MultiPolygon{polygon}).Bounds().Intersects(box) {
			p.area(polygon, at, draw.Style{Fill: s.cover(s.color(z.Number)), Edge: draw.Soft, Width: 1})
		}
	}
}

// middle returns a place well inside a polygon: the place of a raster that is farthest from the
// edge, and that distance in metres.
func (s *scene) middle(m geo.MultiPolygon) (best geo.Position, room float64) {
	const steps = 16
	b := m.Bounds()
	best, room = m[0][0][0], -1
	edges := 0
	for _, ring := range m.Rings() {
		edges += len(ring)
	}
	for i := 1; i < steps; i++ {
		for j := 1; j < steps; j++ {
			if s.budget.Spend(edges) != nil {
				return best, room
			}
			q := geo.Position{
				X: b.MinX + (b.MaxX-b.MinX)*float64(i)/steps, Y: b.MinY + (b.MaxY-b.MinY)*float64(j)/steps,
			}
			if d := clearance(m, q); d > room && m.Contains(q) {
				best, room = q, d
			}
		}
	}
	return best, room
}

func clearance(m geo.MultiPolygon, q geo.Position) float64 {
	nearest := math.Inf(1)
	for _, polygon := range m {
		for _, ring := range polygon {
			for i := 1; i < len(ring); i++ {
				nearest = min(nearest, frame.DistanceToSegment(q, ring[i-1], ring[i]))
			}
		}
	}
	return nearest
}
