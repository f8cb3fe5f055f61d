package exchange

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/exchange/internal/taskdata"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/ports"
)

// The heads of the files: version 4.3 of the standard (2015), from a management system to a terminal.
const (
	taskHead = xml.Header + `<ISO11783_TaskData VersionMajor="4" VersionMinor="3" ManagementSoftwareManufacturer="Tilth" ManagementSoftwareVersion="1" DataTransferOrigin="1">` + "\n"
	linkHead = xml.Header + `<ISO11783LinkList VersionMajor="4" VersionMinor="3" ManagementSoftwareManufacturer="Tilth" ManagementSoftwareVersion="1" FileVersion="1" DataTransferOrigin="1">` + "\n"
)

// WriteTaskData implements ports.OutlineWriter. The ids in the file are those of the records, so that they are the same in every
// export; the list of links has the uuids and the keys of other systems.
func (OutlineWriter) WriteTaskData(ctx context.Context, to io.Writer, fields iter.Seq2[ports.PartField, error]) (err error) {
	w := &taskWriter{customers: map[int64]string{}, farms: map[int64]farm.Farm{}, crops: map[int64]string{}, products: map[product]int{}}
	for _, s := range []**spool{&w.uuids, &w.keys, &w.sown} {
		if *s, err = newSpool(); err != nil {
			return err
		}
		defer (*s).discard()
	}
	archive := zip.NewWriter(to)
	if w.to, err = begin(archive, taskdata.Folder+taskdata.Main, firstDay); err != nil {
		return err
	}
	w.print("%s", taskHead)
	for f, err := range fields {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if w.field(f); w.err != nil {
			return w.err
		}
	}
	w.others()
	if w.err != nil {
		return w.err
	}
	if w.to, err = begin(archive, taskdata.Folder+taskdata.LinkList, firstDay); err != nil {
		return err
	}
	if err := w.links(); err != nil {
		return err
	}
	return archive.Close()
}

// product is what distinguishes products.
type product struct {
	name   string
	key    string // of the catalog; empty: none
	typed  string // by people; empty: name is that of the catalog
	mgPerL int64  // 0: not known
}

// taskWriter writes the two files. It keeps its first error.
type taskWriter struct {
	to          io.Writer
	customers   map[int64]string
	farms       map[int64]farm.Farm
	crops       map[int64]string
	products    map[product]int // by number, in the order in which they are met
	uuids, keys *spool          // links of fields and tasks
	sown        *spool          // of tasks, to cultivations
	err         error
}

func (w *taskWriter) print(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.to, format, args...)
	}
}

// element writes an element and what is inside it. attributes are pairs of names and values; those with an empty value are left out.
func (w *taskWriter) element(name string, inside func(), attributes ...string) {
	var b strings.Builder
	for i := 0; i < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			b.WriteString(" " + attributes[i] + `="` + escaped(attributes[i+1]) + `"`)
		}
	}
	if inside == nil {
		w.print("<%s%s/>\n", name, &b)
		return
	}
	w.print("<%s%s>\n", name, &b)
	inside()
	w.print("</%s>\n", name)
}

// designator returns a text in the form of the names of records: on one line, of at most 32 characters.
func designator(text string) string {
	letters := []rune(strings.Join(strings.Fields(text), " "))
	return strings.TrimSpace(string(letters[:min(len(letters), taskdata.MaxDesignator)]))
}

func recordID(element string, id int64) string { return element + strconv.FormatInt(id, 10) }

func (w *taskWriter) field(f ports.PartField) {
	r := &f.Field
	id := recordID(taskdata.Field, r.ID)
	w.customers[r.CompanyID], w.farms[r.Farm.ID] = r.Company, f.Farm
	crop := ""
	if f.Crop.ID != 0 {
		w.crops[f.Crop.ID], crop = f.Crop.Name, recordID(taskdata.CropType, f.Crop.ID)
	}
	code := r.ExternalID
	if len([]rune(code)) > taskdata.MaxDesignator {
		code = "" // a shortened key would be that of another
	}
	w.element(taskdata.Field, func() {
		if r.Boundary != nil {
			w.area(r.Boundary.Geometry())
		}
		for _, p := range f.Points {
			w.point(taskdata.Flag, p.Name, p.At)
		}
	}, "A", id, "B", code, "C", nameOr(r.Name, id), "D", strconv.FormatInt(min(r.AreaM2(), math.MaxUint32-1), 10),
		"E", recordID(taskdata.Customer, r.CompanyID), "F", recordID(taskdata.Farm, r.Farm.ID), "G", crop)
	w.link(w.uuids, id, r.UUID)
	if r.ExternalID != "" {
		w.link(w.keys, id, r.ExternalID)
	}
	for _, one := range f.Spread {
		w.spread(id, f, one)
	}
}

// spread writes what was applied to a field: its product and a task, with what is known about when and how much. Its rate is the set
// point of the one zone that the task begins with.
func (w *taskWriter) spread(field string, f ports.PartField, in ports.TaskInput) {
	const whole = "1"
	number := w.product(in)
	setPoint := math.Round(in.Rate * in.Unit.Scale)
	if number == 0 {
		return
	}
	id, used := recordID(taskdata.Task, in.ID), recordID(taskdata.Product, int64(number))
	state, kind := taskdata.TaskCompleted, taskdata.TimeEffective
	if in.Planned {
		state, kind = taskdata.TaskPlanned, taskdata.TimePlanned
	}
	zone, begin, stamp := "", "", func() {}
	if setPoint >= 1 && setPoint <= math.MaxInt32 {
		zone = whole
	}
	if in.On != nil {
		begin = in.On.Format(time.DateOnly) + "T00:00:00"
		stamp = func() { w.element(taskdata.Stamp, nil, "A", begin, "D", kind) }
	}
	w.element(taskdata.Task, func() {
		if zone != "" {
			w.element(taskdata.TreatmentZone, func() {
				w.element(taskdata.ProcessData, nil, "A", in.Unit.DDI, "B", strconv.FormatFloat(setPoint, 'f', 0, 64), "C", used)
			}, "A", zone, "B", designator(in.Product))
		}
		if begin != "" {
			w.element(taskdata.Time, nil, "A", begin, "D", kind)
		}
		w.element(taskdata.Allocation, stamp, "A", used)
	}, "A", id, "B", designator(in.Product), "C", recordID(taskdata.Customer, f.Field.CompanyID), "D", recordID(taskdata.Farm, f.Field.Farm.ID), "E", field,
		"G", state, "H", zone)
	if in.ExternalID != "" {
		w.link(w.keys, id, in.ExternalID)
	}
	if in.Sown != "" {
		w.link(w.sown, id, in.Sown)
	}
}

// maxProducts bounds the products that are kept.
const maxProducts = 10_000

// product returns the number of a product; 0: there are too many, or it has no name.
func (w *taskWriter) product(in ports.TaskInput) int {
	p := product{name: in.Product, key: in.Key, typed: in.Typed}
	if in.DensityKgPerL != nil {
		p.mgPerL = int64(math.Round(*in.DensityKgPerL * 1e6))
	}
	if number := w.products[p]; number != 0 || p.name == "" || len(w.products) == maxProducts {
		return number
	}
	w.products[p] = len(w.products) + 1
	return w.products[p]
}

// nameOr returns a designator, which may not be empty.
func nameOr(name, id string) string {
	if text := designator(name); text != "" {
		return text
	}
	return id
}

// area writes each part as a polygon of its own, which version 4 requires: one outer ring, and its holes.
func (w *taskWriter) area(of geo.MultiPolygon) {
	for _, part := range of {
		w.element(taskdata.Polygon, func() {
			for i, ring := range part {
				kind := taskdata.Exterior
				if i > 0 {
					kind = taskdata.Interior
				}
				w.element(taskdata.Line, func() {
					for _, at := range ring {
						w.point(taskdata.Other, "", at)
					}
				}, "A", kind)
			}
		}, "A", taskdata.Boundary)
	}
}

// point writes a place in degrees with nine decimals, a tenth of a millimetre.
func (w *taskWriter) point(kind, name string, at geo.Position) {
	w.element(taskdata.Point, nil, "A", kind, "B", designator(name), "C", strconv.FormatFloat(at.Y, 'f', 9, 64), "D", strconv.FormatFloat(at.X, 'f', 9, 64))
}

func (w *taskWriter) link(to *spool, id, value string) {
	if w.err == nil {
		w.err = to.append([]byte(`<LNK A="` + id + `" B="` + escaped(value) + `"/>` + "\n"))
	}
}

// others writes the records that fields refer to, and ends the main file.
func (w *taskWriter) others() {
	for _, id := range slices.Sorted(maps.Keys(w.customers)) {
		w.element(taskdata.Customer, nil, "A", recordID(taskdata.Customer, id), "B", nameOr(w.customers[id], recordID(taskdata.Customer, id)))
	}
	for _, id := range slices.Sorted(maps.Keys(w.farms)) {
		f := w.farms[id]
		w.element(taskdata.Farm, nil, "A", recordID(taskdata.Farm, id), "B", nameOr(f.Name, recordID(taskdata.Farm, id)), "C", designator(f.Address),
			"E", shorter(f.PostalCode), "F", designator(f.City), "G", designator(f.Region), "H", designator(f.Country), "I", customerOf(f))
	}
	for _, id := range slices.Sorted(maps.Keys(w.crops)) {
		w.element(taskdata.CropType, nil, "A", recordID(taskdata.CropType, id), "B", nameOr(w.crops[id], recordID(taskdata.CropType, id)))
	}
	for i, p := range w.numbered() {
		density, id := "", recordID(taskdata.Product, int64(i+1))
		if p.mgPerL > 0 {
			density = strconv.FormatInt(p.mgPerL, 10)
		}
		w.element(taskdata.Product, nil, "A", id, "B", nameOr(p.name, id), "H", density)
	}
	w.print(`<%s A="%s" B="2" C="" D="1"/>`+"\n", taskdata.Attached, taskdata.LinkList) // of no manufacturer
	w.print("</%s>\n", taskdata.Root)
}

// numbered returns the products in the order of their numbers.
func (w *taskWriter) numbered() []product {
	out := make([]product, len(w.products))
	for p, number := range w.products {
		out[number-1] = p
	}
	return out
}

// shorter shortens a postal code to ten characters, the most that are allowed.
func shorter(code string) string {
	const maxPostal = 10
	letters := []rune(designator(code))
	return string(letters[:min(len(letters), maxPostal)])
}

func customerOf(f farm.Farm) string {
	if f.CompanyID == 0 {
		return ""
	}
	return recordID(taskdata.Customer, f.CompanyID)
}

// links writes the list of links.
func (w *taskWriter) links() error {
	var keys, names, farms *spool
	for _, s := range []**spool{&keys, &names, &farms} {
		var err error
		if *s, err = newSpool(); err != nil {
			return err
		}
		defer (*s).discard()
	}
	for i, p := range w.numbered() {
		id := recordID(taskdata.Product, int64(i+1))
		if p.key != "" {
			w.link(keys, id, p.key)
		}
		if p.typed != "" {
			w.link(names, id, p.typed)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.farms)) {
		if name := w.farms[id].Name; name != designator(name) {
			w.link(farms, recordID(taskdata.Farm, id), name)
		}
	}
	w.print("%s", linkHead)
	for i, group := range []struct {
		links *spool
		kind  string
		name  string
	}{
		{w.uuids, taskdata.UUIDs, ""}, {w.keys, taskdata.Proprietary, taskdata.ExternalIDs}, {keys, taskdata.Proprietary, taskdata.ProductKeys},
		{names, taskdata.Proprietary, taskdata.ProductNames}, {w.sown, taskdata.Proprietary, taskdata.Cultivations},
		{farms, taskdata.Proprietary, taskdata.FarmNames},
	} {
		if group.links.size == 0 {
			continue // a group must have links
		}
		space := ""
		if group.name != "" {
			space = ` D="` + group.name + `"`
		}
		w.print(`<LGP A="LGP%d" B="%s"%s>`+"\n", i+1, group.kind, space)
		if w.err == nil {
			w.err = group.links.copyTo(w.to)
		}
		w.print("</LGP>\n")
	}
	w.print("</%s>\n", taskdata.LinkRoot)
	return w.err
}
