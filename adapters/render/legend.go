package render

import (
	"fmt"
	"strings"

	"tilth/adapters/render/internal/draw"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// Layout of the column beside a map, in pixels.
const (
	itemHeight = 32.0
	overviewAt = 320.0 // the largest height of the overview
	maxDetails = 9     // zones with their figures below; more would fill the column
)

// beside fills the column beside or below the map: what the marks mean, what the plan is, and where the panels
// lie. It returns where the column ends.
func (s *scene) beside(p pen, b draw.Box) float64 {
	y := s.about(p, b, s.legend(p, b)+draw.Gap)
	if room := b.Bottom - y - 2*draw.Gap; len(s.groups()) > 1 && room > 120 {
		top := y + 2*draw.Gap
		y = top + min(room, overviewAt)
		s.overview(p, draw.Box{Left: b.Left, Top: top, Right: b.Right, Bottom: y})
	}
	return y
}

// meaning returns what the order of the zones means.
func (s *scene) meaning() string {
	if s.carbon != nil {
		return "Stock and interval, t C/ha"
	}
	leading, _, ok := s.in.Map.About.Leading()
	if !ok {
		return "Zones, low to high"
	}
	return "Zones: low to high " + layerWord(leading.Name)
}

// figures returns a zone's means, beginning with that of the layer that orders the zones, or what its carbon rests on.
func (s *scene) figures(z zoning.Zone) string {
	if s.carbon != nil {
		return carbonBasis(s.carbon, z.Number)
	}
	var out []string
	_, leading, _ := s.in.Map.About.Leading()
	for i, l := range s.in.Map.About.Used() {
		if i >= len(z.Means) {
			break
		}
		text := fmt.Sprintf("%s %.3g", layerWord(l.Name), z.Means[i])
		if i == leading {
			out = append([]string{text}, out...)
		} else {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// legend explains zones and marks, and returns where it ends.
func (s *scene) legend(p pen, b draw.Box) (y float64) {
	y = p.wrapped(s.meaning(), b.Left, b.Top+14, b.Width(), draw.Heading) - 4
	item := func(text string, mark func(middle draw.Point)) {
		mark(draw.Point{X: b.Left + 17, Y: y + 12})
		p.Write(text, b.Left+46, y+17, draw.Text)
		y += itemHeight
	}
	for _, z := range s.zones {
		text := fmt.Sprintf("%d: %.2f ha, %.0f %%", z.Number, z.AreaHa, 100*z.Share)
		if s.plan != nil && s.plan.Staged == nil {
			text += fmt.Sprintf(", %d samples", s.plan.PerZone[z.Number-1].Samples)
		}
		if s.carbon != nil {
			text = carbonText(s.carbon, z.Number)
		}
		item(text, func(at draw.Point) {
			p.Box(draw.Box{Left: at.X - 17, Top: at.Y - 12, Right: at.X + 17, Bottom: at.Y + 12},
				draw.Style{Fill: s.color(z.Number), Edge: draw.Soft, Width: 1})
		})
		if len(s.zones) <= maxDetails {
			y = p.wrapped(s.figures(z), b.Left+46, y-1, b.Width()-46, mapNote) - 5
		}
	}
	y += draw.Gap / 2
	item("Edge of a field", func(at draw.Point) { p.Line(at.X-17, at.Y, at.X+17, at.Y, draw.Ink, edgeWidth*p.size) })
	if s.plan == nil {
		return y
	}
	for _, m := range []struct {
		role plan.Role
		text string
		n    int
	}{{plan.RoleSample, "Sample", s.plan.Samples}, {plan.RoleReserve, "Reserve point", s.plan.Reserves}, {plan.RoleLegacy, "Legacy point, kept from before", s.plan.Legacy}} {
		if m.n > 0 || m.role == plan.RoleSample {
			item(fmt.Sprintf("%s (%d)", m.text, m.n), func(at draw.Point) { p.point(m.role, at) })
		}
	}
	line := func(dashed bool) func(at draw.Point) {
		return func(at draw.Point) {
			p.step(draw.Point{X: at.X - 17, Y: at.Y}, draw.Point{X: at.X + 17, Y: at.Y}, dashed)
		}
	}
	item(fmt.Sprintf("Walk within fields, %.1f km", s.plan.WayKm-s.plan.DriveKm), line(false))
	if s.plan.DriveKm > 0 {
		item(fmt.Sprintf("Drive %s fields, %.1f km", map[bool]string{true: "to and between", false: "between"}[s.plan.Params.Journey.Start != nil], s.plan.DriveKm), line(true))
	}
	return y
}

// gain returns what the zones of a map save, in words.
func (s *scene) gain() string {
	about := s.in.Map.About
	text := fmt.Sprintf("%s for the mean to within %.0f %% at %.0f %% confidence; %d without zones.", counted(s.in.Map.Candidate.SamplesNeeded, "sample"),
		100*about.Params.RelativeError, 100*about.Params.Confidence, about.SamplesWithoutZones)
	if about.WeakStratification {
		text += " The zones save few or none: sample the area as a whole, or with better layers."
	}
	return text
}

// about writes what a map saves, or what a plan is and covers, and returns where the text ends.
func (s *scene) about(p pen, b draw.Box, y float64) float64 {
	said := []string{s.gain()}
	if s.carbon != nil {
		said = carbonSaid(s.carbon)
	}
	if s.plan != nil {
		said = []string{placedText(s.plan), s.plan.Summary(), s.plan.Purposive(), s.plan.Statement()}
	}
	for _, text := range said {
		if text != "" {
			y = p.wrapped(strings.ToUpper(text[:1])+text[1:], b.Left, y, b.Width(), draw.Muted) + 4
		}
	}
	return y
}

// overview shows where all fields lie, and the way through them.
func (s *scene) overview(p pen, frame draw.Box) {
	p.Write("Where the fields lie", frame.Left, frame.Top-6, draw.Strong)
	frame.Bottom -= strip
	var all []int
	for i := range s.fields {
		all = append(all, i)
	}
	v := viewOf(frame, s.around(all), draw.Gap)
	p.Box(frame, draw.Style{Fill: draw.Land, Edge: draw.Rule, Width: 1})
	for i, field := range s.fields {
		for _, polygon := range field {
			p.area(polygon, v.at, draw.Style{Fill: draw.Spray, Edge: draw.Ink, Width: 1})
		}
		if b := v.boxAt(s.boxes[i]); b.Width() < 6 || b.Height() < 6 { // too small to see
			p.Circle(draw.Point{X: (b.Left + b.Right) / 2, Y: (b.Top + b.Bottom) / 2}, 3, draw.Style{Fill: draw.Ink})
		}
	}
	if s.plan != nil {
		s.drives(p, v)
	}
	p.scaleBar(frame.Left+6, frame.Bottom+28, frame.Width()/3, 1/v.scale)
}

// drives draws the drives between fields, and those from the start and to the end as far as the frame goes.
func (s *scene) drives(p pen, v view) {
	for i := 1; i < len(s.plan.Points) && s.plan.Points[i].Role.Visited(); i++ {
		if from, to := s.plan.Points[i-1], s.plan.Points[i]; from.Field != to.Field {
			p.step(v.at(from.At), v.at(to.At), true)
		}
	}
	for _, e := range s.plan.Ends() {
		p.drive(e, v)
	}
}
