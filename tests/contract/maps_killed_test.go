package contract

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/event"
	"tilth/core/geo"
	"tilth/tests/rig"
)

// upland is 1.2 km by 1.2 km of the synthetic archive: more cells than one request computes itself.
func upland() geo.MultiPolygon {
	const west, south, east, north = -4.222, 41.769, -4.2075, 41.780
	return geo.MultiPolygon{{{{X: west, Y: south}, {X: east, Y: south}, {X: east, Y: north}, {X: west, Y: north}, {X: west, Y: south}}}}
}

// The maps of a large area are made in the background, and a kill -9 meanwhile only costs time:
// the same job continues, and its outcome is reported once.
func TestKilledWhileMapsAreMade(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		imagery := rig.Archive(t).Dir
		first := rig.StartProcess(t, database, imagery)
		c := rig.Remote(t, first.URL, tokenOf(t, database))
		company := c.Expect(200, http.MethodGet, "auth/me/", nil).Data(t)["company"].(map[string]any)
		runJSON(t, database, "subscription", "grant", "--company", itoa(int64(company["id"].(float64))), "--service", "stratification")
		runJSON(t, database, "price", "set", "--service", "STR", "--per-ha", "0.01")
		land := c.Land(upland(), "2025-03-01", "2025-10-31")
		order := c.Make(ordersOfAOIs, map[string]any{"aoi_id": c.Make(aoisPath, map[string]any{"field_uuids": []string{land.FieldUUID}})})
		c.UntilStratified(order, "active")

		ask := map[string]any{"order": order, "max_zones": 8}
		queued, job := underWay(t, c, ask)
		first.Kill()

		second := rig.StartProcess(t, database, imagery)
		c = rig.Remote(t, second.URL, c.Token)
		feed := listen(t, second.URL, c.Token, "", "").ready()
		require.Equal(t, queued["job_id"], c.Expect(202, http.MethodPost, mapsPath+"generate/", ask).Data(t)["job_id"], "asked again, it is the same job")
		var seen map[string]any
		rig.Eventually(t, func() bool {
			seen = c.Do(http.MethodGet, job, nil).Data(t)
			return seen["status"] == "done" || seen["status"] == "failed"
		}, 5*time.Minute, 50*time.Millisecond, "nobody takes it up again")
		made := candidates(t, c, ask)
		require.Equal(t, []any{queued["job_id"], 1.0}, []any{made["job_id"], made["progress"]})
		c.Expect(200, http.MethodPost, plansPath+"generate/", map[string]any{"map_uuid": recommended(t, made)})
		next := func() string { // events from before the kill may be numbered after it
			for {
				message, ok := feed.next()
				require.True(t, ok, "the feed ended")
				mine := strings.Contains(message.data, fmt.Sprintf(`"job_id":%v,`, queued["job_id"]))
				if mine || message.event == event.TypePlanReady {
					return message.event
				}
			}
		}
		require.Equal(t, []string{event.TypeMapsReady, event.TypePlanReady}, []string{next(), next()}, "the plan's is right behind: the maps' is there once")
	})
}

// underWay requests maps until a job for them is seen running: the maps of a seed may be finished between two polls.
func underWay(t *testing.T, c *rig.Client, ask map[string]any) (queued map[string]any, job string) {
	t.Helper()
	for seed := 1; ; seed++ {
		ask["seed"] = seed
		queued = c.Expect(202, http.MethodPost, mapsPath+"generate/", ask).Data(t)
		job = mapJobs + itoa(int64(queued["job_id"].(float64))) + "/"
		var status any
		rig.Eventually(t, func() bool {
			status = c.Do(http.MethodGet, job, nil).Data(t)["status"]
			return status != "queued"
		}, 5*time.Minute, 5*time.Millisecond, "nobody takes it up")
		if status == "running" {
			return queued, job
		}
	}
}

// Concurrent requests for the same maps become one job, and none of them is refused.
func TestMapsAskedForTogether(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 100_00)
		s.Subscribe(c)
		order := stratified(t, c)
		answers := make(chan rig.Answer, 8)
		for range cap(answers) {
			go func() {
				answers <- c.Do(http.MethodPost, mapsPath+"generate/", map[string]any{"order": order, "seed": 5})
			}()
		}
		jobs := map[any]bool{}
		for range cap(answers) {
			answer := <-answers
			require.Contains(t, []int{200, 202}, answer.Status, string(answer.Body))
			jobs[answer.Data(t)["job_id"]] = true
		}
		require.Len(t, jobs, 1)
	})
}
