package contract

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// namesOf returns the names of a list in the order of ids.
func namesOf(t *testing.T, c *rig.Client, path string) (names []string) {
	t.Helper()
	for _, record := range listedAt(t, c, path) {
		name, _ := record.(map[string]any)["name"].(string)
		names = append(names, name)
	}
	return names
}

func TestListsOfNamedRecords(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		server := rig.Start(t, rig.Options{Database: database})
		c, other := server.Company("owner", 0), server.Company("owner", 0)
		id := func(c *rig.Client, name, external string) string {
			return itoa(c.Make("farm/", map[string]any{"name": name, "external_id": external}))
		}
		a, b, d := id(c, "A", "k-1"), id(c, "B", "k,2"), id(c, "C", "")
		foreign := id(other, "X", "k-1")

		for query, want := range map[string][]string{
			"?id=" + a:                                   {"A"},
			"?id=" + b + "," + a + "," + b:               {"A", "B"},
			"?id=" + a + "," + foreign + ",999999":       {"A"},
			"?id=" + foreign:                             nil,
			"?id=" + a + "," + d + "&search=c":           {"C"},
			"?external_id=k-1":                           {"A"},
			"?external_id=" + url.QueryEscape("k,2"):     {"B"},
			"?external_id=k-1," + url.QueryEscape("k,2"): {"A"},
			"?external_id=k-1,k,none":                    {"A"},
		} {
			require.ElementsMatch(t, want, namesOf(t, c, "farm/"+query), query)
		}
		for _, wrong := range []string{"?id=", "?id=a", "?id=1,,2", "?id=1&id=2", "?id=" + strings.Repeat("1,", 1000) + "1", "?external_id=a&external_id=b"} {
			c.Expect(400, "GET", "farm/"+wrong, nil)
		}
		many := make([]string, 1000)
		for i := range many {
			many[i] = strconv.Itoa(i + 1)
		}
		require.Equal(t, namesOf(t, c, "farm/"), namesOf(t, c, "farm/?id="+strings.Join(many, ",")))
		server.Subscribe(c)
		for _, path := range []string{"field/", "season/", "cultivation/", "crop/", "fertilization/", "soil/aois/", "ghg/assessments/", "field/eudr-check/", "field/export/",
			"profiles/vegetation-index-profile/orders/"} {
			c.Expect(200, "GET", path+"?id=1,2", nil)
		}
	})
}
