package contract

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/tests/rig"
)

// demonstration is what is counted of the demonstration, and what it has cost.
type demonstration struct {
	Counts map[string]float64
	Wallet rig.Wallet
}

// demonstrated counts the records of the demonstration.
func demonstrated(t *testing.T, c *rig.Client) (out demonstration) {
	t.Helper()
	out = demonstration{Counts: map[string]float64{}, Wallet: c.Wallet()}
	for name, path := range map[string]string{
		"fields": "field/", "seasons": "season/", "cultivations": "cultivation/",
		"profiles": "profiles/vegetation-index-profile/orders/?status=active", "all profiles": "profiles/vegetation-index-profile/orders/",
		"maps": "maps/vegetation-index-map/orders/", "zonings": "maps/zoning-map/orders/", "reliefs": "maps/elevation-map/orders/",
		"assessments": "ghg/assessments/", "submitted": "ghg/assessments/?status=submitted",
		"areas": "soil/aois/", "orders of zones": "soil/stratification/data-processing/orders/",
		"plans": "soil/stratification/sample-plan/sample-plan-saved-maps/", "zones": "soil/stratification/stratification-saved-maps/",
		"analysed": "soil/stratification/samples/?status=analysed",
	} {
		out.Counts[name] = listed(t, c, path)
	}
	return out
}

// listed returns the number of records of a list: some lists state it, others return all records.
func listed(t *testing.T, c *rig.Client, path string) float64 {
	t.Helper()
	var data any
	c.Expect(200, "GET", path, nil).Into(t, &data)
	if all, ok := data.([]any); ok {
		return float64(len(all))
	}
	return data.(map[string]any)["count"].(float64)
}

// The demonstration is complete, even if its first start was interrupted. Another start finds all of it, under the
// names that the user chose, and does not recreate what was deleted.
func TestTheDemonstrationArrivesFull(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		start := func() (*rig.Server, *rig.Client, *locked) {
			log := &locked{}
			s := rig.Start(t, rig.Options{Database: database, Full: true, Log: log})
			c := s.Anonymous()
			pair := c.Expect(200, "POST", "auth/token/", map[string]any{"email": demo.OwnerMail, "password": demo.Password}).Data(t)
			c.Token = pair["access"].(string)
			return s, c, log
		}
		complete := func(log *locked) {
			rig.Eventually(t, func() bool {
				said := log.String()
				require.NotContains(t, said, "a part of the demonstration is missing")
				return strings.Contains(said, "the demonstration is complete")
			}, 2*time.Minute, 20*time.Millisecond, "the demonstration is not complete")
		}

		s, c, _ := start()
		rig.Eventually(t, func() bool {
			return listed(t, c, "ghg/assessments/") > 0
		}, time.Minute, time.Millisecond, "there is no assessment")
		s.Stop()

		s, c, log := start()
		complete(log)
		rig.Eventually(t, func() bool { // until the last map is made
			return c.Wallet().Held == 0 && demonstrated(t, c).Counts["profiles"] == 18
		}, 2*time.Minute, 50*time.Millisecond, "not all orders are done")
		full := demonstrated(t, c)
		require.Equal(t, map[string]float64{
			"fields": 9, "seasons": 2, "cultivations": 18, "profiles": 18, "all profiles": 18, "maps": 1, "zonings": 1, "reliefs": 1,
			"assessments": 3, "submitted": 2, "areas": 2, "orders of zones": 1, "plans": 1, "zones": 1, "analysed": full.Counts["analysed"],
		}, full.Counts)
		require.Greater(t, full.Counts["analysed"], 10.0)
		require.Equal(t, full.Wallet.Balance, full.Wallet.Available)
		require.Greater(t, full.Wallet.Available, 600.0, "enough for what the guides order")
		var plans []struct {
			Response struct {
				MapUUID string `json:"map_uuid"`
			}
		}
		c.Expect(200, "GET", "soil/stratification/sample-plan/sample-plan-saved-maps/", nil).Into(t, &plans)
		estimate := c.Expect(200, "GET", "soil/stratification/sample-plan/"+plans[0].Response.MapUUID+"/estimate/", nil).Data(t)
		require.EqualValues(t, full.Counts["analysed"], estimate["soc"].(map[string]any)["n"])

		first := func(path string) string {
			var found struct{ Results []struct{ ID int64 } }
			c.Expect(200, "GET", path, nil).Into(t, &found)
			require.NotEmpty(t, found.Results, path)
			return strconv.FormatInt(found.Results[0].ID, 10) + "/"
		}
		pivot := "field/" + first("field/?search=North+pivot")
		c.Expect(200, "PATCH", pivot, map[string]any{"name": "The large circle"})
		for _, path := range []string{
			"cultivation/" + first("cultivation/?field="+strings.Trim(strings.TrimPrefix(pivot, "field/"), "/")),
			"field/" + first("field/?search=Border+field"), "soil/aois/1/", "ghg/assessments/1/",
		} {
			c.Expect(204, "DELETE", path, nil)
		}
		left := demonstrated(t, c)
		require.Equal(t, []float64{8, 15, 1, 2}, []float64{left.Counts["fields"], left.Counts["cultivations"], left.Counts["areas"], left.Counts["assessments"]})
		s.Stop()

		_, c, log = start()
		complete(log)
		require.Equal(t, left, demonstrated(t, c))
	})
}
