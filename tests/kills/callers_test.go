package kills

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"

	"tilth/tests/rig"
)

const jsonMedia = "application/json"

// keysPath is where keys are made: their answers hold secrets and are kept nowhere, so that a repeat makes another.
const keysPath = "api-key/"

// caller does one thing after the other, in an order that its seed decides.
type caller struct {
	house  *house
	n      int
	random *rand.Rand
	asked  int
	fields int
}

func (c *caller) work() {
	for !c.house.done.Load() && !c.house.t.Failed() {
		[]func(){c.createFarm, func() { c.createFields() }, c.order, c.assess, c.importFields, c.createKey}[c.random.IntN(6)]()
	}
}

// ask posts and reads the data of a success.
func (c *caller) ask(path string, body, data any) bool {
	raw, err := json.Marshal(body)
	if err != nil {
		c.house.t.Error(err)
		return false
	}
	return c.send(path, jsonMedia, raw, data)
}

func (c *caller) send(path, media string, body []byte, data any) bool {
	status, answer, ok := c.house.post(c.key(), path, media, body, c.random.IntN(3) == 0 && path != keysPath)
	if !ok {
		return false
	}
	said := struct{ Data any }{data}
	if err := json.Unmarshal(answer, &said); err != nil || status >= http.StatusMultipleChoices {
		c.house.t.Errorf("POST %s: %d %s", path, status, answer)
		return false
	}
	return true
}

type made struct {
	ID   int64
	UUID string
}

func (c *caller) createFarm() {
	var farm made
	if c.ask("farm/", map[string]any{"name": fmt.Sprintf("Farm %d-%d", c.n, c.asked)}, &farm) {
		c.house.note("farm/", farm.ID)
	}
}

// field is the body of a field of 50 m that no other overlaps.
func (c *caller) field() map[string]any {
	c.fields++
	const west, south, side = -4.2300, 41.7670, 0.00045
	x, y := west+float64(c.n)*0.003+float64(c.fields%4)*0.0007, south+float64(c.fields/4)*0.0005
	outline := [][][2]float64{{{x, y}, {x + side, y}, {x + side, y + side}, {x, y + side}, {x, y}}}
	return map[string]any{
		"name": fmt.Sprintf("Field %d-%d", c.n, c.fields), "farm_id": c.house.farm,
		"boundary": map[string]any{"type": "Polygon", "coordinates": outline},
	}
}

// createFields creates one field, or some in one request.
func (c *caller) createFields() (fields []made) {
	if c.random.IntN(2) == 0 {
		var one made
		if c.ask("field/", c.field(), &one) {
			fields = []made{one}
		}
	} else {
		c.ask("field/", []any{c.field(), c.field(), c.field()}, &fields)
	}
	for _, f := range fields {
		c.house.note("field/", f.ID)
	}
	return fields
}

func (c *caller) order() {
	fields := c.createFields()
	if len(fields) == 0 {
		return
	}
	var order struct {
		OrderID int64 `json:"order_id"`
	}
	if c.ask(rig.OrdersPath, map[string]any{"field_uuid": fields[0].UUID, "season_id": c.house.season}, &order) {
		c.house.note(rig.OrdersPath, order.OrderID)
	}
}

// assess creates an assessment and submits it.
func (c *caller) assess() {
	fields := c.createFields()
	if len(fields) == 0 {
		return
	}
	body := map[string]any{}
	if err := json.Unmarshal([]byte(rig.Wheat), &body); err != nil {
		c.house.t.Error(err)
		return
	}
	body["resource_type"], body["resource_id"] = "field", fields[0].ID
	var one made
	if !c.ask("ghg/assessments/", body, &one) {
		return
	}
	c.house.note("ghg/assessments/", one.ID)
	var submitted struct{ Version int }
	if c.ask(fmt.Sprintf("ghg/assessments/%d/submit/", one.ID), map[string]any{}, &submitted) && submitted.Version != 1 {
		c.house.t.Errorf("the first version of assessment %d is %d", one.ID, submitted.Version)
	}
}

// importFields imports a file within the request.
func (c *caller) importFields() {
	features := make([]any, 3)
	for i := range features {
		field := c.field()
		features[i] = map[string]any{"type": "Feature", "properties": map[string]any{"name": field["name"]}, "geometry": field["boundary"]}
	}
	file, err := json.Marshal(map[string]any{"type": "FeatureCollection", "features": features})
	if err != nil {
		c.house.t.Error(err)
		return
	}
	var report struct{ Created int }
	if c.send(fmt.Sprintf("field/import/?farm_id=%d", c.house.farm), "application/geo+json", file, &report) {
		if report.Created != len(features) {
			c.house.t.Errorf("an import of %d fields created %d", len(features), report.Created)
		}
		c.house.records.Lock()
		c.house.imports += report.Created
		c.house.records.Unlock()
	}
}

func (c *caller) createKey() {
	var key struct {
		ID  int64
		Key string
	}
	if c.ask(keysPath, map[string]any{"name": fmt.Sprintf("Key %d-%d", c.n, c.asked)}, &key) {
		c.house.note(keysPath, key.ID)
		c.house.records.Lock()
		c.house.keys = append(c.house.keys, key.Key)
		c.house.records.Unlock()
	}
}
