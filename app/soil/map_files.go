package soil

import (
	"context"
	"fmt"
	"io"
	"strings"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/stratification"
	"tilth/core/stratification/link"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// MapFiles holds the use cases that return a map or a plan as a file or a picture, for candidates and saved ones.
type MapFiles struct {
	Maps     *Maps
	Plans    *Plans
	Orders   *Orders
	Links    *Links
	Exports  ports.StratificationFiles
	Packages ports.CrewPackages
	Pictures ports.StratificationPictures
	Images   *Backgrounds
}

// MapFile is a map or plan with a function that writes it as a file.
type MapFile struct {
	Stem  string // the file's name without extension: the area of interest, k, and n of a plan
	Write func(w io.Writer) error
}

// MapFile returns a map of zones: svg or png as a picture, else as a file of that format. Faults: NotFound; with a
// background those of Backgrounds.Of.
func (f *MapFiles) MapFile(ctx context.Context, who access.Principal, uuid string, choice PlanChoice) (MapFile, error) {
	found, order, err := f.Maps.Whole(ctx, who, uuid)
	if err != nil {
		return MapFile{}, err
	}
	shown, err := f.shown(ctx, who, found, order)
	if err != nil {
		return MapFile{}, err
	}
	if err := f.behind(ctx, &shown, choice); err != nil {
		return MapFile{}, err
	}
	shown.Layout = choice.Layout
	out := MapFile{Stem: shown.Stem}
	out.Write = func(w io.Writer) error {
		if picture(choice.Format) {
			return f.Pictures.DrawZones(ctx, w, choice.Format, shown)
		}
		return f.Exports.WriteZones(w, choice.Format, shown)
	}
	return out, nil
}

// PlanChoice specifies the form in which a map or a plan is wanted.
type PlanChoice struct {
	Format     string
	Paper      string                    // for a field sheet, and for labels
	Layout     string                    // for pictures; empty: ports.Desktop
	Round      int64                     // of the samples on field sheets and labels, and in packages for crews
	Link       func(token string) string // returns the address of a signed link
	Background bool                      // for pictures and field sheets: an image of the fields
}

// PlanFile returns a sample plan: svg or png as a picture, pdf as the field sheet, labels as a sheet of labels, qfield as a
// package for crews, else as a file of that format. Faults: NotFound; Invalid (round); Conflict (no_samples) for labels and
// packages where no sample is planned; with a background
// those of Backgrounds.Of.
func (f *MapFiles) PlanFile(ctx context.Context, who access.Principal, uuid string, choice PlanChoice) (MapFile, error) {
	plan, of, order, err := f.Plans.Whole(ctx, who, uuid)
	if err != nil {
		return MapFile{}, err
	}
	zones, err := f.shown(ctx, who, of, order)
	if err != nil {
		return MapFile{}, err
	}
	if err := f.behind(ctx, &zones, choice); err != nil {
		return MapFile{}, err
	}
	zones.Layout = choice.Layout
	zones.Stem += fmt.Sprintf("-n%d", plan.Plan.Samples)
	shown := ports.ShownPlan{ShownMap: zones, Plan: plan}
	if err := f.print(ctx, who, choice, &shown); err != nil {
		return MapFile{}, err
	}
	out := MapFile{Stem: shown.Stem}
	out.Write = func(w io.Writer) error {
		switch {
		case picture(choice.Format):
			return f.Pictures.DrawPlan(ctx, w, choice.Format, shown)
		case choice.Format == ports.PDF:
			return f.Pictures.DrawSheet(ctx, w, choice.Paper, shown)
		case choice.Format == ports.Labels:
			return f.Pictures.DrawLabels(ctx, w, choice.Paper, shown)
		case choice.Format == ports.QField:
			return f.Packages.Write(ctx, w, shown)
		default:
			return f.Exports.WritePlan(w, choice.Format, shown)
		}
	}
	return out, nil
}

// print adds what papers and packages show besides the plan: the labels of its samples, and on papers the signed links in
// their codes.
func (f *MapFiles) print(ctx context.Context, who access.Principal, choice PlanChoice, shown *ports.ShownPlan) error {
	kind := link.Sheet
	shown.Round = choice.Round
	switch choice.Format {
	case ports.PDF:
	case ports.Labels:
		kind = link.Label
	case ports.QField:
		samples, err := f.Links.planned(ctx, who, shown.Plan.Plan.PlanUUID, choice.Round)
		shown.Labels = inWalkingOrder(shown.Plan.Plan, samples, func(int64) string { return "" })
		return err
	default:
		return nil
	}
	made, err := f.Links.print(ctx, who, shown.Plan.Plan.PlanUUID, kind, choice.Round)
	address := func(id int64) string { return choice.Link(made.link.Token(id)) }
	if kind == link.Sheet {
		shown.Address = address(made.link.PlanID)
	}
	shown.Labels = inWalkingOrder(shown.Plan.Plan, made.samples, address)
	return err
}

// behind adds the background images to a map that is drawn, if they are wanted.
func (f *MapFiles) behind(ctx context.Context, shown *ports.ShownMap, choice PlanChoice) (err error) {
	if choice.Background && (picture(choice.Format) || choice.Format == ports.PDF) {
		shown.Images, err = f.Images.Of(ctx, shown.Map, shown.Fields)
	}
	return err
}

func picture(format string) bool { return format == ports.SVG || format == ports.PNG }

// shown adds the fields of a map's order.
func (f *MapFiles) shown(ctx context.Context, who access.Principal, m zoning.Map, order stratification.OrderState) (ports.ShownMap, error) {
	out := ports.ShownMap{Map: m, Stem: fmt.Sprintf("%s-k%d", fileName(m.AOI), len(m.Candidate.Zones))}
	var err error
	out.Fields, err = app.In(ctx, f.Maps.Store.Read, func(ctx context.Context, tx ports.Repos) ([]ports.ShownField, error) {
		return shownFields(ctx, tx, who.Scope(false), order)
	})
	return out, err
}

// shownFields returns the fields of an order, under their present names; one that is gone is shown by its uuid.
func shownFields(ctx context.Context, tx ports.Repos, scope access.Scope, order stratification.OrderState) ([]ports.ShownField, error) {
	ids := make([]int64, len(order.Land))
	for i, l := range order.Land {
		ids[i] = l.FieldID
	}
	found, err := tx.Fields.GetMany(ctx, scope, ids)
	if err != nil {
		return nil, err
	}
	out := make([]ports.ShownField, len(order.Land))
	for i, l := range order.Land {
		out[i] = ports.ShownField{Name: l.FieldUUID, Outline: l.Geometry}
		if field, ok := found[l.FieldID]; ok {
			out[i].Name = field.Name
		}
	}
	return out, nil
}

// maxFileName is the number of characters of an area's name that go into the names of its files.
const maxFileName = 60

// fileName returns a name that every file system and archive accepts: the ASCII letters and digits
// of the area's name or, if it has none, the beginning of its uuid.
func fileName(aoi stratification.AOIRef) string {
	var out strings.Builder
	for _, r := range strings.ToLower(aoi.Name) {
		switch {
		case out.Len() >= maxFileName:
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			out.WriteRune(r)
		case out.Len() > 0 && !strings.HasSuffix(out.String(), "-"):
			out.WriteByte('-')
		}
	}
	name := strings.Trim(out.String(), "-")
	if name == "" {
		name = "aoi-" + strings.SplitN(aoi.UUID, "-", 2)[0]
	}
	return name
}
