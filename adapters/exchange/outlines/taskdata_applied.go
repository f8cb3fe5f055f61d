package outlines

import (
	"encoding/xml"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/exchange/internal/elements"
	"tilth/adapters/exchange/internal/taskdata"
	"tilth/core/fieldmap"
	"tilth/ports"
)

// maxTaskInputs bounds the applications of task data that are held in memory.
const maxTaskInputs = 200_000

// taskProduct is a product of task data.
type taskProduct struct {
	name    string
	density *float64
	used    bool // by an application
}

// taskInputs are the applications to fields that the tasks of a file record or plan.
type taskInputs struct {
	products map[string]*taskProduct      // by id
	byField  map[string][]ports.TaskInput // by the id of the field; Product is the id until all products are known
	count    int
}

// product keeps a product.
func (t *taskReader) product(start xml.StartElement) error {
	id := elements.Attribute(start, "A")
	if len(t.products) == maxTaskNames {
		return refuse("The task data has more than %d products.", maxTaskNames)
	}
	p := &taskProduct{name: strings.TrimSpace(elements.Attribute(start, "B"))}
	if mgPerL, err := strconv.ParseFloat(elements.Attribute(start, "H"), 64); err == nil && mgPerL > 0 {
		p.density = new(mgPerL / 1e6)
	}
	if len(id)+len(p.name) <= maxAttributeBytes {
		t.products[id] = p
	}
	return nil
}

// doneTask is what a task states.
type doneTask struct {
	products []string // allocated, by id
	rates    []taskRate
	at       string // when it was done, or else planned
	done     bool   // at is when it was done
	zones    int
	grid     bool
}

type taskRate struct{ product, ddi, value string }

// task reads a task, whose start has been read: the one amount of each product that was applied to a whole field, or is planned. A
// task whose amounts differ within the field, that has no product, or that was broken off is skipped.
func (t *taskReader) task(e *elements.Reader, start xml.StartElement) error {
	var is doneTask
	err := e.Each(func(token xml.Token) error {
		inner, _ := token.(xml.StartElement)
		switch inner.Name.Local {
		case taskdata.TreatmentZone:
			is.zones++
		case taskdata.Grid:
			is.grid = true
		case taskdata.ProcessData:
			is.rates = append(is.rates, taskRate{elements.Attribute(inner, "C"), elements.Attribute(inner, "A"), elements.Attribute(inner, "B")})
		case taskdata.Allocation:
			if id := elements.Attribute(inner, "A"); id != "" && !slices.Contains(is.products, id) {
				is.products = append(is.products, id)
			}
		case taskdata.Time, taskdata.Stamp:
			if done := elements.Attribute(inner, "D") == taskdata.TimeEffective; is.at == "" || done && !is.done {
				is.at, is.done = elements.Attribute(inner, "A"), done
			}
		}
		if len(is.rates) > maxTaskNames || len(is.products) > maxTaskNames {
			return refuse("A task has more than %d rates.", maxTaskNames)
		}
		return nil
	})
	if err != nil {
		return err
	}
	inputs := is.inputs(elements.Attribute(start, "A"), elements.Attribute(start, "G"))
	field := elements.Attribute(start, "E")
	if len(inputs) == 0 || field == "" || len(field) > maxAttributeBytes {
		t.leave("task", strings.TrimSpace(elements.Attribute(start, "B")))
		return nil
	}
	if t.count += len(inputs); t.count > maxTaskInputs {
		return refuse("The task data has more than %d applications.", maxTaskInputs)
	}
	t.byField[field] = append(t.byField[field], inputs...)
	return nil
}

// inputs returns the applications of a task; none where it is not such a task.
func (is doneTask) inputs(id, status string) (out []ports.TaskInput) {
	products := is.products
	for _, r := range is.rates {
		if r.product != "" && !slices.Contains(products, r.product) {
			products = append(products, r.product)
		}
	}
	if is.grid || is.zones > 1 || status != taskdata.TaskCompleted && status != taskdata.TaskPlanned {
		return nil
	}
	for _, product := range products {
		in := ports.TaskInput{Task: id, Product: product, Planned: status == taskdata.TaskPlanned}
		if day, err := time.Parse(time.DateOnly, is.at[:min(len(is.at), len(time.DateOnly))]); err == nil {
			in.On = &day
		}
		for _, r := range is.rates {
			if r.product == product || r.product == "" && len(products) == 1 {
				in.Rate, in.Unit = setPoint(r, in)
			}
		}
		out = append(out, in)
	}
	return out
}

// setPoint returns the rate that a process variable sets, or else the rate that is known already.
func setPoint(r taskRate, in ports.TaskInput) (float64, fieldmap.RateUnit) {
	for _, volume := range []bool{false, true} {
		unit := fieldmap.UnitOfRate(volume)
		if value, err := strconv.ParseInt(r.value, 10, 32); err == nil && value > 0 && strings.EqualFold(r.ddi, unit.DDI) {
			return float64(value) / unit.Scale, unit
		}
	}
	return in.Rate, in.Unit
}

// nameInputs names the products of applications once the whole file is gathered, and skips applications without a product or a field.
func (t *taskReader) nameInputs() {
	for _, field := range slices.Sorted(maps.Keys(t.byField)) {
		var known []ports.TaskInput
		for _, in := range t.byField[field] {
			p := t.products[in.Product]
			if p == nil || p.name == "" || !t.fields[field] {
				t.leave("task", "")
				continue
			}
			p.used = true
			id := in.Product
			in.Product, in.DensityKgPerL, in.Cut = p.name, p.density, len([]rune(p.name)) >= taskdata.MaxDesignator-1
			in.Key, in.Typed, in.ExternalID, in.Sown = t.said[taskdata.ProductKeys][id], t.said[taskdata.ProductNames][id], t.keys[in.Task], t.said[taskdata.Cultivations][in.Task]
			known = append(known, in)
			t.leave("application", p.name)
		}
		t.byField[field] = known
	}
	for _, id := range slices.Sorted(maps.Keys(t.products)) {
		if p := t.products[id]; !p.used {
			t.leave("product", p.name)
		}
	}
}

// productsOf returns the names of what was applied to a field, each once, as a property of it.
func productsOf(inputs []ports.TaskInput) string {
	var out []string
	for _, in := range inputs {
		if !slices.Contains(out, in.Product) {
			out = append(out, in.Product)
		}
	}
	return strings.Join(out, ", ")
}
