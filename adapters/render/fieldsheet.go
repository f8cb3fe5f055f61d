package render

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	chart "github.com/wcharczuk/go-chart/v2"

	"tilth/adapters/render/internal/pdf"
	"tilth/core/geo"
	"tilth/core/stratification/plan"
	"tilth/ports"
)

// Layout of a field sheet, in millimetres; pixels of its maps.
const (
	codeSize    = 34.0 // of the QR code
	sheetPixels = 1000
	mapHighest  = 150.0 // of the map of one field
	mapLowest   = 80.0
	overview    = 110.0 // height of the map of all fields
)

// DrawSheet implements ports.StratificationPictures: what a crew takes to the field. For every
// field a map, and the points along the walk; reserve points after them.
func (Charts) DrawSheet(w io.Writer, paper string, in ports.ShownPlan) error {
	letters, err := typeface()
	if err != nil {
		return fmt.Errorf("read the typeface: %w", err)
	}
	s, err := newScene(in.ShownMap, &in.Plan.Plan)
	if err != nil {
		return err
	}
	plan := &in.Plan.Plan
	d, err := pdf.New(pdf.Head{
		Paper: paper, Title: "Field sheet: " + clip(in.Plan.AOI.Name, titleLength), Created: in.Plan.CreatedAt,
		Foot: fmt.Sprintf("%s · plan %s · seed %d", clip(in.Plan.AOI.Name, titleLength), plan.PlanUUID, plan.Params.Seed),
	})
	if err != nil {
		return err
	}
	sheet := &fieldSheet{Document: d, scene: s, in: in, letters: pen{letters: letters}}
	if err := sheet.front(); err != nil {
		return err
	}
	for i := range in.Fields {
		if err := sheet.field(i); err != nil {
			return err
		}
	}
	return d.Write(w)
}

// fieldSheet is a field sheet in the making.
type fieldSheet struct {
	*pdf.Document
	scene   *scene
	in      ports.ShownPlan
	letters pen
}

// front says of which plan the sheet is, and shows all fields where there are several.
func (s *fieldSheet) front() error {
	plan := &s.in.Plan.Plan
	if s.in.Address != "" {
		if err := s.QR(s.in.Address, pdf.Margin+s.Width()-codeSize, pdf.Margin-3, codeSize); err != nil {
			return fmt.Errorf("draw the QR code: %w", err)
		}
	}
	room := s.Width() - codeSize - pdf.Gap
	s.Title("Field sheet: "+clip(s.in.Plan.AOI.Name, titleLength), room)
	s.Space()
	about := s.in.Map.About
	facts := []pdf.Fact{
		{Name: "Area of interest", Value: fmt.Sprintf("%s, %.2f ha in %s", s.in.Plan.AOI.Name, about.AreaHa, counted(len(s.in.Fields), "field"))},
		{Name: "Id of the area", Value: s.in.Plan.AOI.UUID},
		{Name: "Id of the plan", Value: plan.PlanUUID},
		{Name: "Id of the map", Value: s.in.Map.Candidate.MapUUID},
		{Name: "Seed", Value: strconv.FormatUint(plan.Params.Seed, 10)},
		{Name: "Points", Value: fmt.Sprintf("%s in %s, %s", counted(plan.Samples, "sample"), counted(len(plan.PerZone), "zone"), counted(plan.Reserves, "reserve point"))},
		{Name: "Placed", Value: placedText(plan)},
		{Name: "Coordinates", Value: fmt.Sprintf("WGS84, degrees; UTM, metres (EPSG:%d)", about.EPSG)},
	}
	if about.Synthetic {
		facts = append(facts, pdf.Fact{Name: "Layers", Value: "Synthetic: a demonstration, no real land"})
	}
	s.Facts(facts, room)
	if s.in.Address != "" {
		s.Note(s.in.Address)
	}
	s.MoveTo(max(s.At(), pdf.Margin+codeSize))
	s.Space()
	s.zones()
	if len(s.in.Fields) == 1 {
		return nil
	}
	s.Heading("All fields", overview/2)
	return s.draw(min(overview, s.Room()-pdf.Gap), func(p pen, frame chart.Box) { s.scene.panels(p, frame) })
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func placedText(plan *plan.Plan) string {
	text := fmt.Sprintf("%s, %d m from edges, %.0f m from each other", strings.ReplaceAll(string(plan.Params.Placement), "_", " "), plan.Params.ZoneOffset, plan.MinDistanceUsed)
	if plan.IsCustom {
		text += "; changed by hand"
	}
	return text
}

// zones is the legend of the maps, with what is to be done in each zone.
func (s *fieldSheet) zones() {
	columns := []pdf.Column{{Title: "Zone", Width: 24}, {Title: "Area, ha", Width: 26, Right: true}, {Title: "Samples", Width: 22, Right: true}, {Title: "Reserve points", Width: 30, Right: true}}
	var rows [][]pdf.Cell
	for i, z := range s.scene.zones {
		of := s.in.Plan.Plan.PerZone[i]
		row := pdf.Text(fmt.Sprintf("Zone %d", z.Number), fmt.Sprintf("%.2f", z.AreaHa), strconv.Itoa(of.Samples), strconv.Itoa(of.Reserves))
		row[0].Mark = zoneColor(z.Number, len(s.scene.zones))
		rows = append(rows, row)
	}
	s.Table(columns, rows)
	s.Note("On the maps a dot is a sample, a diamond a reserve point: it takes the place of a sample of the same zone that cannot be taken.")
	s.Space()
}

// draw draws upon the whole width of the page.
func (s *fieldSheet) draw(height float64, draw func(p pen, frame chart.Box)) error {
	rows := int(height / s.Width() * sheetPixels)
	y := s.At()
	err := s.Draw(pdf.Margin, y, s.Width(), sheetPixels, rows, func(r chart.Renderer) error {
		p := s.letters
		p.r = r
		draw(p, chart.Box{Left: 1, Top: 1, Right: sheetPixels - 1, Bottom: rows - 1})
		return nil
	})
	s.MoveTo(y + height)
	s.Space()
	return err
}

// field is the map of a field and the table of its points; nothing where it has none.
func (s *fieldSheet) field(field int) error {
	var samples, reserves []*plan.Point
	for i := range s.in.Plan.Plan.Points {
		switch p := &s.in.Plan.Plan.Points[i]; {
		case p.Field != field:
		case p.Role == plan.RoleReserve:
			reserves = append(reserves, p)
		default:
			samples = append(samples, p)
		}
	}
	if len(samples)+len(reserves) == 0 {
		return nil
	}
	height := mapHeightOf(s.scene.boxes[field], s.Width())
	if len(s.in.Fields) == 1 {
		height = max(mapLowest, min(height, s.Room()-16)) // the map belongs on the first page
	} else {
		s.Page()
	}
	s.Heading(s.in.Fields[field].Name, height)
	err := s.draw(min(height, s.Room()-pdf.Gap), func(p pen, frame chart.Box) { s.scene.panel(p, frame, []int{field}, "") })
	if err != nil {
		return err
	}
	s.points("Samples in "+s.in.Fields[field].Name+", along the walk", samples)
	s.points("Reserve points in "+s.in.Fields[field].Name, reserves)
	return nil
}

// mapHeightOf gives the height of a field's map that its shape asks for.
func mapHeightOf(b geo.Box, width float64) float64 {
	shape := (b.MaxY - b.MinY) / max(b.MaxX-b.MinX, 1)
	return math.Max(mapLowest, math.Min(mapHighest, shape*width))
}

// points is the table of some points in the order of the walk.
func (s *fieldSheet) points(title string, points []*plan.Point) {
	if len(points) == 0 {
		return
	}
	slices.SortStableFunc(points, func(a, b *plan.Point) int { return cmp.Compare(a.Walk, b.Walk) })
	s.Heading(title, 24)
	columns := []pdf.Column{
		{Title: "No.", Width: 10, Right: true}, {Title: "Point", Width: 23}, {Title: "Latitude", Width: 24, Right: true}, {Title: "Longitude", Width: 24, Right: true},
		{Title: "Easting, m", Width: 22, Right: true}, {Title: "Northing, m", Width: 24, Right: true}, {Title: "Taken", Width: 12},
	}
	rest := s.Width()
	for _, c := range columns {
		rest -= c.Width
	}
	columns = append(columns, pdf.Column{Title: "Label, depth, remarks", Width: rest})
	var rows [][]pdf.Cell
	for i, p := range points {
		row := pdf.Text(strconv.Itoa(i+1), p.ID, fmt.Sprintf("%.7f", p.LonLat.Y), fmt.Sprintf("%.7f", p.LonLat.X),
			fmt.Sprintf("%.2f", p.At.X), fmt.Sprintf("%.2f", p.At.Y), "", "")
		row[1].Mark = zoneColor(p.Zone, len(s.scene.zones))
		row[6].Box = true
		rows = append(rows, row)
	}
	s.Table(columns, rows)
	s.Space()
}
