package render

import (
	"fmt"
	"math"
	"slices"

	"tilth/adapters/render/internal/draw"
	"tilth/core/effort"
	"tilth/core/geo"
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
	plan   *plan.Plan // nil: zones alone
	zones  []zoning.Zone
	fields []geo.MultiPolygon
	boxes  []geo.Box // of the fields
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
// empty; otherwise one group of all.
func (s *scene) groups() [][]int {
	var all []int
	var out [][]int
	covered, placed := 0.0, make([]bool, len(s.boxes))
	for first := range s.boxes {
		all = append(all, first)
		if placed[first] {
			continue
		}
		members := []int{first}
		for k := 0; k < len(members); k++ { // what is near a member is one
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

// panels draws each group of fields in a panel of its own, in reading order.
func (s *scene) panels(p pen, canvas draw.Box) {
	groups := s.groups()
	n := len(groups)
	cols := min(n, max(1, int(math.Round(math.Sqrt(float64(n)*canvas.Width()/canvas.Height())))))
	rows := (n + cols - 1) / cols
	width, height := (canvas.Width()+draw.Gap)/float64(cols), (canvas.Height()+draw.Gap)/float64(rows)
	for i, fields := range groups {
		left, top := canvas.Left+float64(i%cols)*width, canvas.Top+float64(i/cols)*height
		name := ""
		if n > 1 {
			name = s.in.Fields[fields[0]].Name
			if len(fields) > 1 {
				name = fmt.Sprintf("%s and %d more", clip(name, 30), len(fields)-1)
			}
		}
		s.panel(p, draw.Box{Left: left, Top: top, Right: left + width - draw.Gap, Bottom: top + height - draw.Gap}, fields, name)
	}
}

// panel draws some fields with all that meets their box, as large as there is room for.
func (s *scene) panel(p pen, frame draw.Box, fields []int, name string) {
	const inset = 34
	box := s.around(fields)
	wide, high := max(box.MaxX-box.MinX, 1), max(box.MaxY-box.MinY, 1)
	scale := min((frame.Width()-2*inset)/wide, (frame.Height()-2*inset)/high) // pixels per metre
	midX, midY := (box.MinX+box.MaxX)/2, (box.MinY+box.MaxY)/2
	at := func(q geo.Position) draw.Point {
		return draw.Point{X: (frame.Left+frame.Right)/2 + (q.X-midX)*scale, Y: (frame.Top+frame.Bottom)/2 - (q.Y-midY)*scale}
	}
	p.Box(frame, draw.Style{Fill: draw.Land, Edge: draw.Rule, Width: 1})
	for _, z := range s.zones {
		s.zone(p, z, box, at)
	}
	for i, field := range s.fields {
		if s.boxes[i].Intersects(box) {
			for _, polygon := range field {
				p.area(polygon, at, draw.Style{Edge: draw.Ink, Width: edgeWidth})
			}
		}
	}
	if s.plan != nil {
		s.way(p, fields, at)
		s.points(p, frame, fields, at)
	} else {
		s.numbers(p, box, at)
	}
	p.northArrow(frame.Right-24, frame.Top+12)
	p.scaleBar(frame.Left+18, frame.Bottom-14, frame.Width()/4, 1/scale)
	if name != "" {
		p.Write(clip(name, max(8, int(frame.Width()/14))), frame.Left+12, frame.Top+24, draw.Strong)
	}
}

// zone draws the parts of a zone that meet a box.
func (s *scene) zone(p pen, z zoning.Zone, box geo.Box, at func(geo.Position) draw.Point) {
	for _, polygon := range z.Outline {
		if (geo.MultiPolygon{polygon}).Bounds().Intersects(box) {
			p.area(polygon, at, draw.Style{Fill: zoneColor(z.Number, len(s.zones)), Edge: draw.Soft, Width: 1})
		}
	}
}

// numbers writes each zone's number into the middle of its largest part in a box.
func (s *scene) numbers(p pen, box geo.Box, at func(geo.Position) draw.Point) {
	for _, z := range s.zones {
		var largest geo.MultiPolygon
		upper := 0.0
		for _, polygon := range z.Outline {
			part := geo.MultiPolygon{polygon}
			if area := part.PlanarArea(); area > upper && part.Bounds().Intersects(box) {
				largest, upper = part, area
			}
		}
		if largest != nil {
			p.label(fmt.Sprint(z.Number), at(s.middle(largest)))
		}
	}
}

// middle returns a place well inside a polygon: the place of a raster that is farthest from the
// edge.
func (s *scene) middle(m geo.MultiPolygon) geo.Position {
	const steps = 16
	b := m.Bounds()
	best, room := m[0][0][0], -1.0
	edges := 0
	for _, ring := range m.Rings() {
		edges += len(ring)
	}
	for i := 1; i < steps; i++ {
		for j := 1; j < steps; j++ {
			if s.budget.Spend(edges) != nil {
				return best
			}
			q := geo.Position{
				X: b.MinX + (b.MaxX-b.MinX)*float64(i)/steps, Y: b.MinY + (b.MaxY-b.MinY)*float64(j)/steps,
			}
			if d := clearance(m, q); d > room && m.Contains(q) {
				best, room = q, d
			}
		}
	}
	return best
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

// maxLabels bounds the points of a panel that are labelled; more labels would cover the map.
const maxLabels = 400

// points draws the points of some fields, with their names.
func (s *scene) points(p pen, frame draw.Box, fields []int, at func(geo.Position) draw.Point) {
	var shown []*plan.Point
	var labels placer
	for i := range s.plan.Points {
		if point := &s.plan.Points[i]; slices.Contains(fields, point.Field) {
			shown = append(shown, point)
			labels.mark(at(point.At), reserveRadius)
		}
	}
	if len(shown) <= maxLabels {
		for _, point := range shown {
			mark := at(point.At)
			b, away := labels.place(frame, mark, draw.Measure(point.ID, draw.Text)+4, labelHeight)
			middle := draw.Point{X: (b.Left + b.Right) / 2, Y: (b.Top + b.Bottom) / 2}
			if away {
				p.Line(mark.X, mark.Y, middle.X, middle.Y, draw.Ink, 1)
			}
			p.label(point.ID, middle)
		}
	}
	for _, point := range shown {
		if point.Role == plan.RoleReserve {
			p.reserve(at(point.At))
		} else {
			p.sample(at(point.At))
		}
	}
}
