package callers

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"tilth/tests/rig"
)

const jsonMedia = "application/json"

// keysPath is where keys are made: their responses contain secrets and are not stored, so a repeated request makes another key.
const keysPath = "api-key/"

// caller does one thing after another, in an order that its seed determines.
type caller struct {
	house  *House
	n      int
	random *rand.Rand
	asked  int
	fields int
	keys   int
}

func (c *caller) work() {
	what := []func(){c.createFarm, c.createFields, c.order, c.assess, c.importFields, c.createKey, c.deleteFarm}
	if c.house.load.Seasons > 1 {
		what = append(what, c.order, c.order, c.order, c.assess, c.assess, c.deleteFarm, c.deleteFarm, c.deleteFarm, c.deleteFarm, c.deleteFarm)
	}
	for !c.house.done.Load() && !c.house.t.Failed() {
		if c.fields > ownLand-3 {
			what = []func(){c.createFarm, c.createKey, c.deleteFarm}
		}
		what[c.random.IntN(len(what))]()
		time.Sleep(c.house.load.Pause)
	}
}

// key returns the key of the next request.
func (c *caller) key() string {
	c.asked++
	return fmt.Sprintf("%d-%d", c.n, c.asked)
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
	status, answer, ok := c.house.send(http.MethodPost, c.key(), path, media, body, c.random.IntN(3) == 0 && path != keysPath)
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

// deleteFarm creates a farm and deletes it.
func (c *caller) deleteFarm() {
	var farm made
	if !c.ask("farm/", map[string]any{"name": fmt.Sprintf("Sold %d-%d", c.n, c.asked)}, &farm) {
		return
	}
	status, answer, ok := c.house.send(http.MethodDelete, c.key(), fmt.Sprintf("farm/%d/", farm.ID), jsonMedia, nil, false)
	// Deletes take no key: a delete that was done but not answered finds nothing when it is repeated.
	if ok && status != http.StatusNoContent && status != http.StatusNotFound {
		c.house.t.Errorf("DELETE farm %d: %d %s", farm.ID, status, answer)
	}
	c.house.records.Lock()
	defer c.house.records.Unlock()
	c.house.deleted = append(c.house.deleted, farm.ID)
}

// The land of a caller has room for ownLand fields: the archive covers 2.5 km from south to north.
const (
	abreast = 6
	ownLand = 40 * abreast
)

// field is the body of a field of 50 m that overlaps no other.
func (c *caller) field() map[string]any {
	c.fields++
	const west, south, side = -4.2300, 41.7670, 0.00045
	x, y := west+float64(c.n)*0.003+float64(c.fields%abreast)*0.0005, south+float64(c.fields/abreast)*0.0005
	outline := [][][2]float64{{{x, y}, {x + side, y}, {x + side, y + side}, {x, y + side}, {x, y}}}
	return map[string]any{
		"name": fmt.Sprintf("Field %d-%d", c.n, c.fields), "farm_id": c.house.farm,
		"boundary": map[string]any{"type": "Polygon", "coordinates": outline},
	}
}

// createField creates a field.
func (c *caller) createField() (one made, ok bool) {
	if ok = c.ask("field/", c.field(), &one); ok {
		c.house.note("field/", one.ID)
	}
	return one, ok
}

// createFields creates several in one request.
func (c *caller) createFields() {
	var fields []made
	c.ask("field/", []any{c.field(), c.field(), c.field()}, &fields)
	for _, f := range fields {
		c.house.note("field/", f.ID)
	}
}

// order orders a field for every season.
func (c *caller) order() {
	field, ok := c.createField()
	if !ok {
		return
	}
	for _, season := range c.house.seasons {
		var order struct {
			OrderID int64 `json:"order_id"`
		}
		if !c.ask(rig.OrdersPath, map[string]any{"field_uuid": field.UUID, "season_id": season}, &order) {
			return
		}
		c.house.note(rig.OrdersPath, order.OrderID)
	}
	c.house.records.Lock()
	defer c.house.records.Unlock()
	c.house.ordered++
}

// assess creates an assessment and submits it.
func (c *caller) assess() {
	field, ok := c.createField()
	if !ok {
		return
	}
	body := map[string]any{}
	if err := json.Unmarshal([]byte(rig.Wheat), &body); err != nil {
		c.house.t.Error(err)
		return
	}
	body["resource_type"], body["resource_id"] = "field", field.ID
	var one made
	if !c.ask("ghg/assessments/", body, &one) {
		return
	}
	c.house.note("ghg/assessments/", one.ID)
	c.attach(one.ID)
	var submitted struct{ Version int }
	if c.ask(fmt.Sprintf("ghg/assessments/%d/submit/", one.ID), map[string]any{}, &submitted) && submitted.Version != 1 {
		c.house.t.Errorf("the first version of assessment %d is %d", one.ID, submitted.Version)
	}
}

// attach attaches a file to an assessment: its bytes are kept beside the database.
func (c *caller) attach(assessment int64) {
	content := fmt.Sprintf("what the laboratory of caller %d found for assessment %d", c.n, assessment)
	path := fmt.Sprintf("ghg/assessments/%d/evidence/", assessment)
	var file made
	if c.send(path+"?name=lab.txt", "application/octet-stream", []byte(content), &file) {
		c.house.records.Lock()
		defer c.house.records.Unlock()
		c.house.files[fmt.Sprintf("%s%d/", path, file.ID)] = content
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
		c.house.imported++
		c.house.imports += report.Created
		c.house.records.Unlock()
	}
}

// ownKeys is the number of keys that a caller creates: a company has up to 500.
const ownKeys = 30

func (c *caller) createKey() {
	if c.keys == ownKeys {
		c.createFarm()
		return
	}
	c.keys++
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
