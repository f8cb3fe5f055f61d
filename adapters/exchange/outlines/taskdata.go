package outlines

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"tilth/adapters/exchange/internal/archive"
	"tilth/adapters/exchange/internal/elements"
	"tilth/adapters/exchange/internal/taskdata"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/ports"
)

// Bounds of what is held in memory of task data: the names of farms, customers and crops, and the links of fields.
const (
	maxTaskNames = 100_000
	maxTaskLinks = 1_000_000
	maxTaskFiles = 1_000
)

// readTaskData reads the fields of a TASKDATA of ISO 11783-10, versions 3 and 4: zipped, with the files that it refers to, or
// its main file alone. The first pass gathers the names that fields refer to; the second reads the fields.
func readTaskData(ctx context.Context, file ports.Object, scan *scan, yield func(ports.Feature) bool) error {
	t := newTaskReader(ctx, scan)
	if err := t.open(file); err != nil {
		return err
	}
	for i := 0; i < len(t.files); i++ { // a file adds those that it refers to
		if err := t.walk(ctx, t.files[i], t.gather); err != nil {
			return err
		}
	}
	if t.links != nil {
		if err := t.walk(ctx, *t.links, t.link); err != nil {
			return err
		}
	}
	t.nameInputs()
	for _, f := range t.files {
		err := t.walk(ctx, f, func(e *elements.Reader, start xml.StartElement) error {
			if start.Name.Local != taskdata.Field {
				return nil
			}
			out, err := t.field(e, start)
			if err == nil && !yield(out) {
				err = errEnough
			}
			return err
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func newTaskReader(ctx context.Context, scan *scan) *taskReader {
	return &taskReader{
		scan: scan, budget: effort.Of(ctx, 0), names: map[string]string{}, uuids: map[string]string{}, keys: map[string]string{}, said: map[string]map[string]string{},
		fields: map[string]bool{}, taskInputs: taskInputs{products: map[string]*taskProduct{}, byField: map[string][]ports.TaskInput{}},
		taskFarms: taskFarms{map[string]*farm.Farm{}, map[string]string{}},
	}
}

type taskReader struct {
	*scan
	budget *effort.Budget
	files  []taskFile
	links  *taskFile
	byName map[string]*zip.File         // what lies beside the main file, by name in upper case
	names  map[string]string            // designators by id
	uuids  map[string]string            // of fields, by id
	keys   map[string]string            // external ids of fields and tasks, by id
	said   map[string]map[string]string // what else Tilth's links state, by their group and id
	linked int
	fields map[string]bool  // their ids
	group  xml.StartElement // of the link that is read
	taskInputs
	taskFarms
}

// taskFile is a file of XML with the name of its outermost element.
type taskFile struct {
	root string
	open func() (io.ReadCloser, error)
}

// open finds the files.
func (t *taskReader) open(file ports.Object) error {
	head := make([]byte, 2)
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(head) != "PK" {
		t.files = []taskFile{{taskdata.Root, func() (io.ReadCloser, error) { return io.NopCloser(whole(file)), nil }}}
		return nil
	}
	found, err := archive.Open(file)
	if err != nil {
		return err
	}
	main := mainFile(found)
	if main == nil {
		return refuse("The zip archive holds no %s.", taskdata.Main)
	}
	t.byName = map[string]*zip.File{}
	for _, entry := range found.File {
		if path.Dir(entry.Name) == path.Dir(main.Name) {
			t.byName[strings.ToUpper(path.Base(entry.Name))] = entry
		}
	}
	t.files = []taskFile{zipped(taskdata.Root, main)}
	if entry := t.byName[taskdata.LinkList]; entry != nil {
		t.links = new(zipped(taskdata.LinkRoot, entry))
	}
	return nil
}

func zipped(root string, entry *zip.File) taskFile {
	return taskFile{root, func() (io.ReadCloser, error) { return archive.Content(entry) }}
}

// mainFile returns the main file of task data in an archive; nil: it has none.
func mainFile(in *zip.Reader) (out *zip.File) {
	for _, entry := range in.File {
		if strings.EqualFold(path.Base(entry.Name), taskdata.Main) && !strings.HasPrefix(entry.Name, "__MACOSX/") &&
			(out == nil || len(entry.Name) < len(out.Name)) {
			out = entry
		}
	}
	return out
}

// walk calls use with the start of every element within the outermost one of a file.
func (t *taskReader) walk(ctx context.Context, f taskFile, use func(*elements.Reader, xml.StartElement) error) error {
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	e, begun := elements.Of("task data", in), false
	for {
		token, err := e.Token()
		if errors.Is(err, io.EOF) && begun {
			return nil
		}
		if err != nil {
			return e.Explain(err)
		}
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case !begun:
			if begun = true; start.Name.Local != f.root {
				return refuse("The outermost element of the task data is %.40q, not %s.", start.Name.Local, f.root)
			}
		default:
			if err := use(e, start); err != nil {
				if errors.Is(err, errEnough) || ctx.Err() != nil {
					return err
				}
				return e.Explained(err)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// gather keeps the name of a record, or finds the file that a reference names.
func (t *taskReader) gather(e *elements.Reader, start xml.StartElement) error {
	name := ""
	if kind := passedOver(start); kind != "" {
		t.leave(kind, strings.TrimSpace(elements.Attribute(start, "B")))
	}
	switch start.Name.Local {
	case taskdata.Product:
		return t.product(start)
	case taskdata.Task:
		return t.task(e, start)
	case taskdata.Field:
		if id := elements.Attribute(start, "A"); len(t.fields) < maxTaskLinks && len(id) <= maxAttributeBytes {
			t.fields[id] = true
		}
	case taskdata.Customer, taskdata.Farm:
		t.address(start)
		name = elements.Attribute(start, "B")
	case taskdata.CropType, "CVT":
		name = elements.Attribute(start, "B")
	case taskdata.External:
		entry := t.byName[strings.ToUpper(elements.Attribute(start, "A"))+".XML"]
		if entry == nil {
			return refuse("The task data refers to the file %.40q, which is not in the archive.", elements.Attribute(start, "A")+".XML")
		}
		if len(t.files) == maxTaskFiles {
			return refuse("The task data refers to more than %d files.", maxTaskFiles)
		}
		t.files = append(t.files, zipped("XFC", entry))
		return nil
	}
	if id := elements.Attribute(start, "A"); id != "" && name != "" && len(id) <= maxAttributeBytes && len(name) <= maxAttributeBytes {
		if len(t.names) == maxTaskNames {
			return refuse("The task data has more than %d farms, customers and crops.", maxTaskNames)
		}
		t.names[id] = name
	}
	return nil
}

// passedOver returns the kind of a skipped record: it is not a field, and no field refers to it; empty for other records.
func passedOver(start xml.StartElement) string {
	kind := elements.Attribute(start, "A")
	switch start.Name.Local {
	case taskdata.Device:
		return "device"
	case taskdata.Worker:
		return "worker"
	case taskdata.Guidance:
		return "guidance"
	case taskdata.Point:
		if kind == taskdata.Flag {
			return "point"
		}
	case taskdata.Line:
		if kind != taskdata.Exterior && kind != taskdata.Interior {
			return "way"
		}
	}
	return ""
}

// link keeps the ids of fields and tasks in other systems, and what Tilth wrote about products, tasks and farms.
func (t *taskReader) link(_ *elements.Reader, start xml.StartElement) error {
	if start.Name.Local == taskdata.LinkGroup {
		t.group = start
	}
	id, value := elements.Attribute(start, "A"), elements.Attribute(start, "B")
	if start.Name.Local != taskdata.Link || len(id)+len(value) > maxAttributeBytes {
		return nil
	}
	of := t.uuids
	switch kind, space := elements.Attribute(t.group, "B"), elements.Attribute(t.group, "D"); {
	case kind == taskdata.UUIDs && strings.HasPrefix(id, taskdata.Field):
	case kind == taskdata.Proprietary && space == taskdata.ExternalIDs && (strings.HasPrefix(id, taskdata.Field) || strings.HasPrefix(id, taskdata.Task)):
		of = t.keys
	case kind == taskdata.Proprietary && slices.Contains([]string{taskdata.ProductKeys, taskdata.ProductNames, taskdata.Cultivations, taskdata.FarmNames}, space):
		if of = t.said[space]; of == nil {
			of = map[string]string{}
			t.said[space] = of
		}
	default:
		return nil
	}
	if t.linked++; t.linked > 3*maxTaskLinks {
		return refuse("The task data has more than %d links.", 3*maxTaskLinks)
	}
	of[id] = value
	return nil
}

// named returns the name of the record that an attribute refers to.
func (t *taskReader) named(start xml.StartElement, reference string) string {
	id := elements.Attribute(start, reference)
	if name := t.names[id]; name != "" {
		return name
	}
	return id
}

// field reads a field, whose start has been read.
func (t *taskReader) field(e *elements.Reader, start xml.StartElement) (out ports.Feature, err error) {
	id := elements.Attribute(start, "A")
	out.Attributes = map[string]string{}
	for name, value := range map[string]string{
		"id": id, "code": elements.Attribute(start, "B"), "name": elements.Attribute(start, "C"), "area_m2": elements.Attribute(start, "D"), "customer": t.named(start, "E"),
		"farm": t.farmName(start), "farm_id": elements.Attribute(start, "F"), "crop": t.named(start, "G"), "variety": t.named(start, "H"), "uuid": t.uuids[id], "external_id": t.keys[id],
	} {
		put(out.Attributes, name, value)
	}
	if out.Applied = t.byField[id]; len(out.Applied) > 0 {
		put(out.Attributes, "product", productsOf(out.Applied))
	}
	out.Farm = t.taskFarms.of(elements.Attribute(start, "F"))
	short := []string{"name", "crop"}
	if t.said[taskdata.FarmNames][out.Attributes["farm_id"]] == "" {
		short = append(short, "farm")
	}
	for _, name := range short {
		if len([]rune(out.Attributes[name])) >= taskdata.MaxDesignator-1 { // a blank at the end has been removed
			if out.Cut == nil {
				out.Cut = map[string]bool{}
			}
			out.Cut[name] = true
		}
	}
	shape := taskOutline{limits: t.limits}
	err = e.Each(func(token xml.Token) error {
		start, _ := token.(xml.StartElement)
		switch start.Name.Local {
		case taskdata.Polygon:
			return shape.polygon(e, elements.Attribute(start, "A"))
		case taskdata.Line: // a way, which is not part of the outline
			return e.Each(func(xml.Token) error { return nil })
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	parts := shape.parts[taskdata.Boundary]
	if parts == nil {
		parts = shape.parts[taskdata.MainField]
	}
	if out.Err = shape.err; out.Err == nil && len(parts) > 0 {
		out.Geometry = "Polygon"
		if t.outlines {
			out.Boundary, out.Err = bounded(t.scan, t.budget, parts, plain)
		}
	}
	return out, nil
}
