package render

import (
	"fmt"
	"math"
	"slices"

	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"tilth/core/geo"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// scene is what a map shows, in the plane of its UTM zone: metres, so that shapes are right at
// every latitude.
type scene struct {
	in     ports.ShownMap
	plan   *plan.Plan // nil: zones alone
	zones  []zoning.Zone
	fields []geo.MultiPolygon
	boxes  []geo.Box // of the fields
}

func newScene(in ports.ShownMap, plan *plan.Plan) (*scene, error) {
	utm, err := geo.NewUTM(in.Map.About.EPSG)
	if err != nil {
		return nil, err
	}
	s := &scene{in: in, plan: plan, zones: in.Map.Candidate.Zones}
	for _, f := range in.Fields {
		outline := utm.Project(f.Outline)
		s.fields, s.boxes = append(s.fields, outline), append(s.boxes, outline.Bounds())
	}
	return s, nil
}

// mostPanels is how many groups of fields are drawn apart.
const mostPanels = 12

// groups gathers fields that lie near each other, where drawing all on one map would leave
// most of it empty; one group of all where it would not.
func (s *scene) groups() [][]int {
	all := make([]int, len(s.boxes))
	group := make([]int, len(s.boxes))
	for i := range group {
		all[i], group[i] = i, i
	}
	for i := range s.boxes {
		for j := range i {
			if a, b := group[i], group[j]; a != b && near(s.boxes[i], s.boxes[j]) {
				for k := range group {
					if group[k] == max(a, b) {
						group[k] = min(a, b)
					}
				}
			}
		}
	}
	var out [][]int
	covered := 0.0
	for first := range group {
		if group[first] != first {
			continue
		}
		members := slices.DeleteFunc(slices.Clone(all), func(i int) bool { return group[i] != first })
		out = append(out, members)
		covered += areaOf(s.around(members))
	}
	const crowded = 0.3 // of the map that is land, or near it
	if len(out) == 1 || len(out) > mostPanels || covered > crowded*areaOf(s.around(all)) {
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

// around gives the box of some fields.
func (s *scene) around(fields []int) geo.Box {
	out := s.boxes[fields[0]]
	for _, i := range fields {
		b := s.boxes[i]
		out = geo.Box{MinX: min(out.MinX, b.MinX), MinY: min(out.MinY, b.MinY), MaxX: max(out.MaxX, b.MaxX), MaxY: max(out.MaxY, b.MaxY)}
	}
	return out
}

// panels draws each group of fields in a panel of its own, in reading order.
func (s *scene) panels(p pen, canvas chart.Box) {
	groups := s.groups()
	n := len(groups)
	cols := min(n, max(1, int(math.Round(math.Sqrt(float64(n)*float64(canvas.Width())/float64(canvas.Height()))))))
	rows := (n + cols - 1) / cols
	const gap = 14
	width, height := (canvas.Width()-gap*(cols-1))/cols, (canvas.Height()-gap*(rows-1))/rows
	for i, fields := range groups {
		left, top := canvas.Left+i%cols*(width+gap), canvas.Top+i/cols*(height+gap)
		name := ""
		if n > 1 {
			name = s.in.Fields[fields[0]].Name
			if len(fields) > 1 {
				name = fmt.Sprintf("%s and %d more", clip(name, 30), len(fields)-1)
			}
		}
		s.panel(p, chart.Box{Left: left, Top: top, Right: left + width, Bottom: top + height}, fields, name)
	}
}

// panel draws some fields with all that meets their box, as large as there is room for.
func (s *scene) panel(p pen, frame chart.Box, fields []int, name string) {
	const inset = 34
	box := s.around(fields)
	wide, high := max(box.MaxX-box.MinX, 1), max(box.MaxY-box.MinY, 1)
	scale := min(float64(frame.Width()-2*inset)/wide, float64(frame.Height()-2*inset)/high) // pixels per metre
	midX, midY := (box.MinX+box.MaxX)/2, (box.MinY+box.MaxY)/2
	left, top := float64(frame.Left+frame.Right)/2, float64(frame.Top+frame.Bottom)/2
	at := func(q geo.Position) (int, int) {
		return int(math.Round(left + (q.X-midX)*scale)), int(math.Round(top - (q.Y-midY)*scale))
	}
	p.box(frame, drawing.ColorFromHex("fbfaf6"), grid, 1)
	var labels placer
	for _, z := range s.zones {
		s.zone(p, z, box, at)
	}
	for i, field := range s.fields {
		if s.boxes[i].Intersects(box) {
			for _, polygon := range field {
				p.area(polygon, at, drawing.Color{}, ink, 3)
			}
		}
	}
	if s.plan != nil {
		s.points(p, &labels, frame, fields, at)
	} else {
		s.numbers(p, box, at)
	}
	p.northArrow(frame.Right-24, frame.Top+12)
	p.scaleBar(frame.Left+18, frame.Bottom-14, frame.Width()/4, 1/scale)
	if name != "" {
		p.text(clip(name, max(8, frame.Width()/14)), frame.Left+12, frame.Top+24, 12, ink)
	}
}

// zone draws the parts of a zone that meet a box.
func (s *scene) zone(p pen, z zoning.Zone, box geo.Box, at func(geo.Position) (int, int)) {
	color := zoneColor(z.Number, len(s.zones))
	for _, polygon := range z.Outline {
		if (geo.MultiPolygon{polygon}).Bounds().Intersects(box) {
			p.area(polygon, at, color, soft, 1)
		}
	}
}

// numbers writes each zone's number into the middle of its largest part in a box.
func (s *scene) numbers(p pen, box geo.Box, at func(geo.Position) (int, int)) {
	for _, z := range s.zones {
		var largest geo.MultiPolygon
		most := 0.0
		for _, polygon := range z.Outline {
			part := geo.MultiPolygon{polygon}
			if area := part.PlanarArea(); area > most && part.Bounds().Intersects(box) {
				largest, most = part, area
			}
		}
		if largest == nil {
			continue
		}
		x, y := at(middle(largest))
		text := fmt.Sprint(z.Number)
		width := p.measure(text, 13)
		p.box(chart.Box{Left: x - width/2 - 5, Top: y - 12, Right: x + width/2 + 5, Bottom: y + 12}, labelShade, labelShade, 1)
		p.text(text, x-width/2, y+6, 13, ink)
	}
}

// middle gives a place well inside of a polygon: of a raster of places the one that is
// farthest from the edge.
func middle(m geo.MultiPolygon) geo.Position {
	const steps = 16
	b := m.Bounds()
	best, room := m[0][0][0], -1.0
	for i := 1; i < steps; i++ {
		for j := 1; j < steps; j++ {
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

// clearance gives the distance of a place from the nearest edge.
func clearance(m geo.MultiPolygon, q geo.Position) float64 {
	least := math.Inf(1)
	for _, polygon := range m {
		for _, ring := range polygon {
			for i := 1; i < len(ring); i++ {
				least = min(least, distanceTo(ring[i-1], ring[i], q))
			}
		}
	}
	return least
}

// distanceTo gives the distance of a place from a segment.
func distanceTo(a, b, q geo.Position) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	share := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		share = min(1, max(0, ((q.X-a.X)*dx+(q.Y-a.Y)*dy)/square))
	}
	return math.Hypot(q.X-a.X-share*dx, q.Y-a.Y-share*dy)
}

// mostLabels is how many points of a panel carry their name; more would cover the map.
const mostLabels = 400

// points draws the points of some fields, with their names.
func (s *scene) points(p pen, labels *placer, frame chart.Box, fields []int, at func(geo.Position) (int, int)) {
	var shown []*plan.Point
	for i := range s.plan.Points {
		point := &s.plan.Points[i]
		if !slices.Contains(fields, point.Field) {
			continue
		}
		shown = append(shown, point)
		x, y := at(point.At)
		labels.mark(x, y, reserveRadius)
	}
	if len(shown) <= mostLabels {
		for _, point := range shown {
			x, y := at(point.At)
			b, away := labels.place(frame, x, y, p.measure(point.ID, labelSize)+4, 17)
			if away {
				p.line(ink, 1, x, y, (b.Left+b.Right)/2, (b.Top+b.Bottom)/2)
			}
			p.box(b, labelShade, labelShade, 1)
			p.text(point.ID, b.Left+2, b.Bottom-3, labelSize, ink)
		}
	}
	for _, point := range shown {
		x, y := at(point.At)
		if point.Role == plan.RoleReserve {
			p.reserve(x, y)
		} else {
			p.sample(x, y)
		}
	}
}
