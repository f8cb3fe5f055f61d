package render

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/core/effort"
	"tilth/core/stratification/plan"
	"tilth/ports"
)

// Layout of a field sheet, in millimetres, and the pixels of its maps.
const (
	codeSize    = 34.0 // of the QR code
	sheetPixels = 900
	mapHighest  = 150.0 // of the map of one field
	mapLowest   = 80.0
	overview    = 110.0 // height of the map of all fields
)

// DrawSheet implements ports.StratificationPictures: for every field a map and the points in the
// order of the walk, reserve points last.
func (Charts) DrawSheet(ctx context.Context, w io.Writer, paper string, in ports.ShownPlan) error {
	budget := effort.Of(ctx, 0)
	s, err := newScene(budget, in.ShownMap, &in.Plan.Plan)
	if err != nil {
		return err
	}
	plan := &in.Plan.Plan
	d, err := pdf.New(budget, pdf.Head{
		Paper: paper, Title: "Field sheet: " + clip(in.Plan.AOI.Name, titleLength), Created: in.Plan.CreatedAt,
		Foot: fmt.Sprintf("%s · plan %s · seed %d", clip(in.Plan.AOI.Name, titleLength), plan.PlanUUID, plan.Params.Seed),
	})
	if err != nil {
		return err
	}
	sheet := &fieldSheet{Document: d, scene: s, in: in, labels: map[string][]ports.ShownLabel{}}
	for _, l := range in.Labels {
		sheet.labels[l.Sample.Point] = append(sheet.labels[l.Sample.Point], l)
	}
	if err := sheet.front(); err != nil {
		return err
	}
	for _, i := range s.plan.FieldsInOrder() {
		sheet.field(i)
	}
	return d.Write(w)
}

type fieldSheet struct {
	*pdf.Document
	scene  *scene
	in     ports.ShownPlan
	labels map[string][]ports.ShownLabel // by the point
}

// front identifies the plan, and shows all fields if there are several.
func (s *fieldSheet) front() error {
	plan := &s.in.Plan.Plan
	if s.in.Address != "" {
		if err := s.QR(s.in.Address, pdf.Margin+s.Width()-codeSize, pdf.Margin-3, codeSize); err != nil {
			return fmt.Errorf("draw the QR code: %w", err)
		}
	}
	s.Narrow(codeSize + pdf.Gap)
	s.Text("Field sheet: "+clip(s.in.Plan.AOI.Name, titleLength), draw.Title)
	s.Space()
	about := s.in.Map.About
	facts := []pdf.Fact{
		{"Area of interest", fmt.Sprintf("%s, %.2f ha in %s", s.in.Plan.AOI.Name, about.AreaHa, counted(len(s.in.Fields), "field"))},
		{"Id of the area", s.in.Plan.AOI.UUID},
		{"Id of the plan", plan.PlanUUID},
		{"Id of the map", s.in.Map.Candidate.MapUUID},
		{"Seed", strings.TrimSpace(strconv.FormatUint(plan.Params.Seed, 10) + " " + plan.Params.Origin.Words())},
		{"Points", pointsText(plan)},
		{"Placed", placedText(plan)},
		{"Coordinates", fmt.Sprintf("WGS84, degrees; UTM, metres (EPSG:%d)", about.EPSG)},
	}
	if about.Synthetic {
		facts = append(facts, pdf.Fact{"Layers", "Synthetic: a demonstration, no real land"})
	}
	if len(s.in.Labels) > 0 {
		facts = append(facts, pdf.Fact{"Labels", fmt.Sprintf("%s of round %d", counted(len(s.in.Labels), "sample"), s.in.Round)})
	}
	if n := plan.Pooled; n > 0 {
		facts = append(facts, pdf.Fact{"Composites", fmt.Sprintf("%d: points with the same label share a bag; take as much soil at each of them", n)})
	}
	if why := plan.Purposive(); why != "" {
		facts = append(facts, pdf.Fact{"Not random", why})
	}
	if covers := plan.Statement(); covers != "" {
		facts = append(facts, pdf.Fact{"Covers", covers})
	}
	s.Facts(facts, 1)
	s.Narrow(0)
	if s.in.Address != "" {
		s.Text(s.in.Address, draw.Note)
	}
	s.MoveTo(max(s.At(), pdf.Margin+codeSize) + pdf.Gap)
	s.strata()
	if s.in.Images.About != "" {
		s.Text(s.in.Images.About, draw.Note)
	}
	if len(s.in.Fields) > 1 {
		s.fields()
		s.Heading("All fields", overview/2)
		s.draw(min(overview, s.Room()), func(p pen, frame draw.Box) { s.scene.panels(p, frame) })
	}
	return nil
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func pointsText(plan *plan.Plan) string {
	text := fmt.Sprintf("%s in %s, %s", counted(plan.Samples, "sample"), plan.SharedOut(), counted(plan.Reserves, "reserve point"))
	if plan.Legacy > 0 {
		text += ", " + counted(plan.Legacy, "legacy point")
	}
	return text
}

func placedText(plan *plan.Plan) string {
	how := strings.ReplaceAll(string(plan.Params.Placement), "_", " ")
	if plan.Staged != nil {
		how = "random, in fields drawn at random"
	}
	text := fmt.Sprintf("%s, %d m from edges, %.0f m from each other", how, plan.Params.ZoneOffset, plan.MinDistanceUsed)
	if plan.IsCustom {
		text += "; changed by hand"
	}
	return text
}

// strata prints the legend of the maps, with the number of points in each zone, or in each draw of a field.
func (s *fieldSheet) strata() {
	title, of := "Zone", "zone"
	if s.in.Plan.Plan.Staged != nil {
		title, of = "Zone, or draw of a field", "draw (D3-R01 one of D3)"
	}
	columns := []pdf.Column{pdf.Left(title, 90), pdf.Right("Area, ha", 26), pdf.Right("Samples", 22), pdf.Right("Reserve points", 30)}
	var rows [][]pdf.Cell
	for i, z := range s.scene.zones {
		of := s.in.Plan.Plan.PerZone[i]
		row := pdf.Row(fmt.Sprintf("Zone %d", z.Number), fmt.Sprintf("%.2f", z.AreaHa), strconv.Itoa(of.Samples), strconv.Itoa(of.Reserves))
		if s.in.Plan.Plan.Staged != nil {
			row[2].Text, row[3].Text = "", ""
		}
		row[0].Mark = zoneColor(z.Number, len(s.scene.zones))
		rows = append(rows, row)
	}
	for _, of := range s.in.Plan.Plan.PerZone[len(s.scene.zones):] {
		row := pdf.Row(s.stratum(of), fmt.Sprintf("%.2f", of.EligibleHa), strconv.Itoa(of.Samples), strconv.Itoa(of.Reserves))
		row[0].Mark = zoneColor(of.Zone, len(s.scene.zones))
		rows = append(rows, row)
	}
	s.Table(columns, rows)
	legacy := ""
	if s.in.Plan.Plan.Legacy > 0 {
		legacy = "A triangle is a legacy point: it is kept from before, and sampled as the others are. "
	}
	s.Text(s.scene.meaning()+". On the maps a dot is a sample, a diamond a reserve point: it replaces a sample of the same "+of+" that cannot be taken. "+
		legacy+"The line is the way along the samples, dashed where it is driven.", draw.Note)
}

// stratum returns the name of a stratum that follows the zones.
func (s *fieldSheet) stratum(z plan.ZonePlan) string {
	switch {
	case z.Draw > 0:
		return fmt.Sprintf("D%d: %s", z.Draw, s.in.Fields[z.Field-1].Name)
	case z.Field > 0:
		return fmt.Sprintf("%s (Z%d)", s.in.Fields[z.Field-1].Name, z.Zone)
	}
	return fmt.Sprintf("Edges (%d)", z.Zone)
}

// fields lists the fields along the way, with the number of points in each.
func (s *fieldSheet) fields() {
	visited := s.in.Plan.Plan.FieldsInOrder()
	var rows [][]pdf.Cell
	for n, i := range visited {
		samples, reserves := s.pointsOf(i)
		rows = append(rows, pdf.Row(fmt.Sprintf("%d. %s", n+1, s.in.Fields[i].Name), strconv.Itoa(len(samples)), strconv.Itoa(len(reserves))))
	}
	for i, f := range s.in.Fields {
		if !slices.Contains(visited, i) {
			name := f.Name
			if s.in.Plan.Plan.Staged != nil {
				name += " (not drawn)"
			}
			rows = append(rows, pdf.Row(name, "0", "0"))
		}
	}
	s.Space()
	s.Table([]pdf.Column{pdf.Left("Field, along the way", 80), pdf.Right("Samples", 22), pdf.Right("Reserve points", 30)}, rows)
}

// draw draws over the whole width of the page.
func (s *fieldSheet) draw(height float64, paint func(p pen, frame draw.Box)) {
	s.Draw(height, sheetPixels, func(c draw.Canvas) {
		paint(pen{c, 1}, draw.Box{Left: 1, Top: 1, Right: c.Width - 1, Bottom: c.Height - 1})
	})
}

// pointsOf returns the points of a field, each kind in the order of its walk.
func (s *fieldSheet) pointsOf(field int) (samples, reserves []*plan.Point) {
	for i := range s.in.Plan.Plan.Points {
		switch p := &s.in.Plan.Plan.Points[i]; {
		case p.Field != field:
		case p.Role == plan.RoleReserve:
			reserves = append(reserves, p)
		default:
			samples = append(samples, p)
		}
	}
	for _, points := range [][]*plan.Point{samples, reserves} {
		slices.SortStableFunc(points, func(a, b *plan.Point) int { return cmp.Compare(a.Walk, b.Walk) })
	}
	return samples, reserves
}

// field prints the map of a field, the tables of its points, and what the crew signs; nothing if it has no points.
func (s *fieldSheet) field(field int) {
	samples, reserves := s.pointsOf(field)
	if len(samples)+len(reserves) == 0 {
		return
	}
	b := s.scene.boxes[field]
	height := max(mapLowest, min(mapHighest, (b.MaxY-b.MinY)/max(b.MaxX-b.MinX, 1)*s.Width()))
	if len(s.in.Fields) == 1 {
		height = max(mapLowest, min(height, s.Room()-16)) // the map belongs on the first page
	} else {
		s.Page()
	}
	s.Heading(s.in.Fields[field].Name, height)
	s.draw(min(height, s.Room()), func(p pen, frame draw.Box) { s.scene.panel(p, frame, []int{field}) })
	s.Space()
	s.Blanks([]string{"Date", "Crew", "GPS device and accuracy, m", "Signature"})
	s.points("Samples in "+s.in.Fields[field].Name+", along the walk", samples)
	s.points("Reserve points in "+s.in.Fields[field].Name, reserves)
}

// points prints a row for each sample of each point: where it is, what is taken there, and room to write.
func (s *fieldSheet) points(title string, points []*plan.Point) {
	if len(points) == 0 {
		return
	}
	s.Heading(title, 24)
	columns := []pdf.Column{
		pdf.Right("No.", 8), pdf.Left("Point", 19), pdf.Right("Latitude", 17.5), pdf.Right("Longitude", 18),
		pdf.Right("Easting, m", 17), pdf.Right("Northing, m", 18.5), pdf.Left("Taken", 10), pdf.Left("Depth, cm", 15), pdf.Left("Label", 30),
		pdf.Left("± m", 9), pdf.Left("Remarks", s.Width()-162),
	}
	var rows [][]pdf.Cell
	for i, p := range points {
		row := pdf.Row(strconv.Itoa(i+1), p.ID, fmt.Sprintf("%.7f", p.LonLat.Y), fmt.Sprintf("%.7f", p.LonLat.X),
			fmt.Sprintf("%.2f", p.At.X), fmt.Sprintf("%.2f", p.At.Y), "", "", "", "", "")
		row[1].Mark = zoneColor(p.Zone, len(s.scene.zones))
		row[6].Box = true
		for _, l := range s.labels[p.ID] {
			row[7].Text, row[8].Text = l.Sample.Depth.String(), l.Sample.Bag()
			if l.Sample.Composite == "" && l.Sample.Role == plan.RoleReserve && s.in.Plan.Plan.Pooled > 0 {
				row[8].Text = "that of the sample it replaces"
			}
			rows = append(rows, row)
			row = make([]pdf.Cell, len(columns)) // of the next depth
			row[6].Box = true
		}
		if len(s.labels[p.ID]) == 0 {
			rows = append(rows, row)
		}
	}
	s.Table(columns, rows)
}
