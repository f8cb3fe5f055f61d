package render

import (
	"context"
	"fmt"
	"io"
	"strings"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/core/effort"
	"tilth/core/stratification/plan"
	"tilth/ports"
)

// stocks are the sheets of labels of each paper, with the measures of widely sold ones: 21 labels of 63.5 × 38.1 mm on
// A4 (Avery L7160), 30 labels of 2 5/8 × 1 inch on Letter (Avery 5160).
var stocks = map[string]pdf.Stock{
	ports.PaperA4:     {Across: 3, Down: 7, Left: 7.2, Top: 15.15, Width: 63.5, Height: 38.1, Gap: 2.55},
	ports.PaperLetter: {Across: 3, Down: 10, Left: 4.76, Top: 12.7, Width: 66.675, Height: 25.4, Gap: 3.175},
}

// DrawLabels implements ports.StratificationPictures: a label for every sample, in the order of the walk.
func (Charts) DrawLabels(ctx context.Context, w io.Writer, paper string, in ports.ShownPlan) error {
	d, err := pdf.New(effort.Of(ctx, 0), pdf.Head{
		Paper: paper, Title: "Labels: " + clip(in.Plan.AOI.Name, titleLength), Created: in.Plan.CreatedAt, Bare: true,
	})
	if err != nil {
		return err
	}
	fields := make(map[string]string, len(in.Plan.Plan.Points)) // by the point's id
	for _, p := range in.Plan.Plan.Points {
		fields[p.ID] = in.Fields[p.Field].Name
	}
	labels, points := bags(in)
	if err := d.Labels(stocks[paper], len(labels), func(i int) pdf.Label {
		return labelOf(labels[i], fields[labels[i].Sample.Point], points[labels[i].Sample.CompositeLabel()], in)
	}); err != nil {
		return fmt.Errorf("draw the labels: %w", err)
	}
	return d.Write(w)
}

// bags returns a label for each bag: those of all samples or, where samples are pooled, the first of each composite, with
// the ids of its points. The soil of a reserve goes to the bag of the sample that it replaces.
func bags(in ports.ShownPlan) (labels []ports.ShownLabel, points map[string][]string) {
	points = map[string][]string{}
	for _, l := range in.Labels {
		bag := l.Sample.CompositeLabel()
		points[bag] = append(points[bag], l.Sample.Point)
		if bag != "" && len(points[bag]) > 1 || in.Plan.Plan.Pooled > 0 && bag == "" && l.Sample.Role == plan.RoleReserve {
			continue
		}
		labels = append(labels, l)
	}
	return labels, points
}

// longLabel is the length from which a label is set in small letters, so that one of 64 characters fits.
const longLabel = 24

func labelOf(l ports.ShownLabel, field string, pooled []string, in ports.ShownPlan) pdf.Label {
	name := draw.Letters{Size: 9, Bold: true, Color: draw.Ink}
	text := l.Sample.Bag()
	if len(text) > longLabel {
		name.Size = 6.5
	}
	point := fmt.Sprintf("%s · %s cm", l.Sample.Point, l.Sample.Depth)
	if l.Sample.Role != plan.RoleSample {
		point += " · " + string(l.Sample.Role)
	}
	if l.Sample.Composite != "" {
		point = fmt.Sprintf("%s · %s cm · %s", l.Sample.Composite, l.Sample.Depth, strings.Join(pooled, ", "))
		field = counted(len(pooled), "point")
	}
	return pdf.Label{Code: l.Address, Lines: []pdf.Line{
		{Text: text, Letters: name, Max: 5},
		{Text: point, Letters: draw.Small, Max: 2},
		{Text: field, Letters: draw.Small, Max: 1},
		{Text: in.Plan.AOI.Name, Letters: draw.Note, Max: 1},
		{Text: fmt.Sprintf("Round %d", l.Sample.Round), Letters: draw.Note, Max: 1},
	}}
}
