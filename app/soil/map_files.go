package soil

import (
	"context"
	"fmt"
	"io"
	"strings"

	"tilth/core/access"
	"tilth/core/stratification"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// MapFiles are the use cases that answer with a map or a plan as a file or a picture, candidates and saved ones.
type MapFiles struct {
	Maps     *Maps
	Plans    *Plans
	Orders   *Orders
	Exports  ports.StratificationFiles
	Pictures ports.StratificationPictures
}

// MapFile is a map or plan to be written as a file when the answer is.
type MapFile struct {
	Stem  string // name of the file without its ending: the area of interest, k, and n of a plan
	Write func(w io.Writer) error
}

// MapFile returns a map of zones: svg or png as a picture, else as a file of that format. Faults: NotFound.
func (f *MapFiles) MapFile(ctx context.Context, who access.Principal, uuid, format string) (MapFile, error) {
	found, order, err := f.Maps.Whole(ctx, who, uuid)
	if err != nil {
		return MapFile{}, err
	}
	shown, err := f.shown(ctx, who, found, order)
	if err != nil {
		return MapFile{}, err
	}
	out := MapFile{Stem: shown.Stem}
	out.Write = func(w io.Writer) error {
		if picture(format) {
			return f.Pictures.DrawZones(ctx, w, format, shown)
		}
		return f.Exports.WriteZones(w, format, shown)
	}
	return out, nil
}

// PlanChoice says in what form a plan is wanted.
type PlanChoice struct {
	Format  string
	Paper   string // of a field sheet
	Address string // that a field sheet gives for the plan
}

// PlanFile returns a sample plan: svg or png as a picture, pdf as the field sheet, else as a file of that
// format. Faults: NotFound.
func (f *MapFiles) PlanFile(ctx context.Context, who access.Principal, uuid string, choice PlanChoice) (MapFile, error) {
	plan, of, order, err := f.Plans.Whole(ctx, who, uuid)
	if err != nil {
		return MapFile{}, err
	}
	zones, err := f.shown(ctx, who, of, order)
	if err != nil {
		return MapFile{}, err
	}
	zones.Stem += fmt.Sprintf("-n%d", plan.Plan.Samples)
	shown := ports.ShownPlan{ShownMap: zones, Plan: plan, Address: choice.Address}
	out := MapFile{Stem: shown.Stem}
	out.Write = func(w io.Writer) error {
		switch {
		case picture(choice.Format):
			return f.Pictures.DrawPlan(ctx, w, choice.Format, shown)
		case choice.Format == ports.PDF:
			return f.Pictures.DrawSheet(ctx, w, choice.Paper, shown)
		default:
			return f.Exports.WritePlan(w, choice.Format, shown)
		}
	}
	return out, nil
}

func picture(format string) bool { return format == ports.SVG || format == ports.PNG }

// shown adds the fields of a map's order, with the names that they have today; one that is
// gone is shown by its uuid.
func (f *MapFiles) shown(ctx context.Context, who access.Principal, m zoning.Map, order stratification.OrderState) (ports.ShownMap, error) {
	out := ports.ShownMap{Map: m, Stem: fmt.Sprintf("%s-k%d", fileName(m.AOI), len(m.Candidate.Zones))}
	ids := make([]int64, len(order.Land))
	for i, l := range order.Land {
		ids[i] = l.FieldID
	}
	err := f.Maps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		found, err := tx.Fields.GetMany(ctx, who.Scope(false), ids)
		if err != nil {
			return err
		}
		for _, l := range order.Land {
			name := l.FieldUUID
			if field, ok := found[l.FieldID]; ok {
				name = field.Name
			}
			out.Fields = append(out.Fields, ports.ShownField{Name: name, Outline: l.Geometry})
		}
		return nil
	})
	return out, err
}

// maxFileName is how many characters of an area's name go into the names of its files.
const maxFileName = 60

// fileName returns a name that every file system and archive takes: the ASCII letters and digits
// of the area's name; the beginning of its uuid where it has none.
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
