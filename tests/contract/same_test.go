package contract

import (
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/tests/rig"
)

// twins are two companies that receive the same commands, one on each database.
type twins struct {
	clients [2]*rig.Client
	ids     map[string][][2]int64 // by resource, in order of creation
	named   int
}

// The same commands get the same responses on SQLite and on PostgreSQL, whatever
// they are: statuses, codes, messages, names, order and counts. Only ids, uuids and
// times may differ.
func TestSQLiteEqualsPostgreSQL(t *testing.T) {
	t.Parallel()
	servers := [2]*rig.Server{
		rig.Start(t, rig.Options{Database: rig.SQLite(t)}), rig.Start(t, rig.Options{Database: rig.PostgreSQL(t)}),
	}
	for part := range sameParts {
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			sameAnswers(t, servers)
		})
	}
}

// sameParts is the number of tests into which the random commands are divided: a
// command waits for its response most of the time, so they run side by side.
const sameParts = 4

// A part has its share of forty checks, or of four hundred in `make compare`; -rapid.checks
// still overrides this.
func init() {
	if err := flag.Set("rapid.checks", strconv.Itoa(40/sameParts)); err != nil {
		panic(err)
	}
}

func sameAnswers(t *testing.T, servers [2]*rig.Server) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &twins{ids: map[string][][2]int64{}}
		for i, s := range servers {
			w.clients[i] = s.Company("owner", 5_00)
		}
		crops := [2]int64{w.clients[0].Crop("maize"), w.clients[1].Crop("maize")}
		rt.Repeat(map[string]func(*rapid.T){
			"farm":   func(rt *rapid.T) { w.create(t, rt, "farm", [2]map[string]any{{}, {}}) },
			"season": func(rt *rapid.T) { w.createSeason(t, rt) },
			"field": func(rt *rapid.T) {
				farm := w.pick(rt, "farm")
				both := [2]map[string]any{{"farm_id": farm[0]}, {"farm_id": farm[1]}}
				if rapid.Bool().Draw(rt, "outlined") {
					shape := rig.GeoJSON(t, rig.Square(100, rapid.IntRange(0, 5).Draw(rt, "place")))
					both[0]["boundary"], both[1]["boundary"] = shape, shape
				}
				w.create(t, rt, "field", both)
			},
			"cultivation": func(rt *rapid.T) {
				field, season := w.pick(rt, "field"), w.pick(rt, "season")
				n := rapid.IntRange(1, 3).Draw(rt, "how many")
				var bodies [2]any
				for i := range bodies {
					one := map[string]any{"field_id": field[i], "season_id": season[i], "crop_id": crops[i]}
					bodies[i] = one
					if n > 1 {
						bodies[i] = []any{one, one, map[string]any{"field_id": field[i], "season_id": season[i], "crop_id": -n}}[:n]
					}
				}
				w.remember("cultivation", w.tell(t, "POST", [2]string{"cultivation/", "cultivation/"}, bodies))
			},
			"rename": func(rt *rapid.T) {
				resource := rapid.SampledFrom([]string{"farm", "field", "season"}).Draw(rt, "resource")
				body := map[string]any{"name": rapid.SampledFrom([]string{"new", "", strings.Repeat("x", 300), "ÄÖ ñ", "null"}).Draw(rt, "name")}
				w.tell(t, "PATCH", w.paths(resource, w.pick(rt, resource)), [2]any{body, body})
			},
			"move season": func(rt *rapid.T) {
				body := map[string]any{"end_date": rapid.SampledFrom([]string{"2019-01-01", "2025-12-31", "2030-01-01", "2025-02-30"}).Draw(rt, "end")}
				w.tell(t, "PATCH", w.paths("season", w.pick(rt, "season")), [2]any{body, body})
			},
			"delete": func(rt *rapid.T) {
				resource := rapid.SampledFrom([]string{"farm", "field", "season", "cultivation"}).Draw(rt, "resource")
				w.tell(t, "DELETE", w.paths(resource, w.pick(rt, resource)), [2]any{})
			},
			"retrieve": func(rt *rapid.T) {
				resource := rapid.SampledFrom([]string{"farm", "field", "season", "cultivation"}).Draw(rt, "resource")
				w.tell(t, "GET", w.paths(resource, w.pick(rt, resource)), [2]any{})
			},
			"list": func(rt *rapid.T) {
				resource := rapid.SampledFrom([]string{"farm", "field", "season", "cultivation"}).Draw(rt, "resource")
				query := rapid.SampledFrom([]string{"", "?page=all", "?page=2", "?page_size=3", "?share=true", "?page=9", "?created_by=x"}).Draw(rt, "query")
				w.tell(t, "GET", [2]string{resource + "/" + query, resource + "/" + query}, [2]any{})
			},
			"filter": func(rt *rapid.T) {
				by := rapid.SampledFrom([]string{"field", "season"}).Draw(rt, "by")
				id := w.pick(rt, by)
				w.tell(t, "GET", [2]string{fmt.Sprintf("cultivation/?%s=%d", by, id[0]), fmt.Sprintf("cultivation/?%s=%d", by, id[1])}, [2]any{})
			},
			"wallet": func(*rapid.T) { w.tell(t, "GET", [2]string{"wallet/", "wallet/"}, [2]any{}) },
		})
	})
}

func (w *twins) create(t *testing.T, rt *rapid.T, resource string, bodies [2]map[string]any) {
	w.named++
	name := fmt.Sprintf("%s %s", resource, string(rune('a'+w.named%26)))
	if rapid.IntRange(0, 9).Draw(rt, "flaw") == 0 {
		name = ""
	}
	for i := range bodies {
		bodies[i]["name"] = name
	}
	w.remember(resource, w.tell(t, "POST", [2]string{resource + "/", resource + "/"}, [2]any{bodies[0], bodies[1]}))
}

func (w *twins) createSeason(t *testing.T, rt *rapid.T) {
	start := rapid.SampledFrom([]string{"2024-10-01", "2025-03-01"}).Draw(rt, "start")
	end := rapid.SampledFrom([]string{"2025-07-31", "2024-12-31", "2031-01-01"}).Draw(rt, "end")
	var both [2]map[string]any
	for i := range both {
		both[i] = map[string]any{"start_date": start, "end_date": end}
	}
	w.create(t, rt, "season", both)
}

// pick returns the ids of a record, possibly a deleted one, or ids that do not exist.
func (w *twins) pick(rt *rapid.T, resource string) [2]int64 {
	have := w.ids[resource]
	i := rapid.IntRange(0, len(have)).Draw(rt, resource)
	if i == len(have) {
		return [2]int64{1 << 40, 1 << 40}
	}
	return have[i]
}

func (w *twins) paths(resource string, id [2]int64) [2]string {
	return [2]string{path(resource, id[0]), path(resource, id[1])}
}

// tell sends a command to both, and requires the same answer.
func (w *twins) tell(t *testing.T, method string, paths [2]string, bodies [2]any) [2]rig.Answer {
	var out [2]rig.Answer
	var both sync.WaitGroup
	for i, c := range w.clients {
		both.Go(func() { out[i] = c.Do(method, paths[i], bodies[i]) })
	}
	both.Wait()
	require.Equal(t, out[0].Status, out[1].Status, "%s %s: %s and %s", method, paths[0], out[0].Body, out[1].Body)
	require.Equal(t, plain(t, out[0].Body), plain(t, out[1].Body), "%s %s", method, paths[0])
	return out
}

func (w *twins) remember(resource string, answers [2]rig.Answer) {
	if answers[0].Status != 200 {
		return
	}
	var made [2][]int64
	for i, a := range answers {
		var one struct{ Data struct{ ID int64 } }
		var many struct{ Data []struct{ ID int64 } }
		if json.Unmarshal(a.Body, &one) == nil && one.Data.ID > 0 {
			made[i] = []int64{one.Data.ID}
		} else if json.Unmarshal(a.Body, &many) == nil {
			for _, m := range many.Data {
				made[i] = append(made[i], m.ID)
			}
		}
	}
	for i := range made[0] {
		w.ids[resource] = append(w.ids[resource], [2]int64{made[0][i], made[1][i]})
	}
}

var digits = regexp.MustCompile(`[0-9]+`)

// plain returns a response without the parts that may differ: ids, uuids, times, the
// names of users and companies, and digits in messages.
func plain(t *testing.T, body []byte) any {
	if len(body) == 0 {
		return nil
	}
	var v any
	require.NoError(t, json.Unmarshal(body, &v), "%s", body)
	return stripped(v)
}

func stripped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			switch {
			case key == "id" || key == "uuid" || strings.HasSuffix(key, "_id") && !isMessages(value) || strings.HasSuffix(key, "_at"):
				v[key] = value == nil
			case key == "company" || key == "created_by":
				v[key] = "somebody"
			default:
				v[key] = stripped(value)
			}
		}
		return v
	case []any:
		for i := range v {
			v[i] = stripped(v[i])
		}
		return v
	case string:
		return digits.ReplaceAllString(v, "#")
	default:
		return v
	}
}

// isMessages reports whether a value is the list of messages of a field, and not an id.
func isMessages(v any) bool {
	_, ok := v.([]any)
	return ok
}
