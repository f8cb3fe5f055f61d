package contract

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// ring is the coordinates of a polygon with n vertices around the demo's place.
func ring(n int) string {
	var b strings.Builder
	for i := range n + 1 {
		angle := 2 * math.Pi * float64(i%n) / float64(n)
		fmt.Fprintf(&b, "[%.9f,%.9f],", -4.9+0.01*math.Cos(angle), 41.7+0.01*math.Sin(angle))
	}
	return "[[" + strings.TrimSuffix(b.String(), ",") + "]]"
}

// Every error is refused with a status, a member and words that tell a person what to
// correct, and nothing is written.
func TestRefusalsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
	farm, farms, fields := itoa(land.Farm), count(t, c, "farm/"), count(t, c, "field/")
	cultivation := itoa(int64(names[float64](t, c, "cultivation/", "id")[0]))
	outlined := func(coordinates string) string {
		return `{"name":"x","farm_id":` + farm + `,"boundary":{"type":"Polygon","coordinates":` + coordinates + `}}`
	}
	fertilized := func(members string) string { return `{"cultivation_id":` + cultivation + `,` + members + `}` }
	const square = `[[0,0],[0.01,0],[0.01,0.01],[0,0.01],[0,0]]`
	for name, bad := range map[string]struct {
		path, body string
		status     int
		member     string // of details; empty if the message alone names it
		says       string // a part of the answer, in lower case
	}{
		"self-crossing polygon":     {"field/", outlined(`[[[0,0],[0.01,0.01],[0.01,0],[0,0.01],[0,0]]]`), 400, "boundary", "cross"},
		"hole outside":              {"field/", outlined(`[` + square + `,[[1,1],[1.001,1],[1.001,1.001],[1,1]]]`), 400, "boundary", "hole"},
		"20,000 vertices":           {"field/", outlined(ring(20_000)), 400, "boundary", "10000"},
		"area 0":                    {"field/", outlined(`[[[0,0],[0.01,0],[0.02,0],[0,0]]]`), 400, "boundary", ""},
		"NaN coordinate":            {"field/", outlined(`[[[NaN,0],[0.01,0],[0.01,0.01],[0,0]]]`), 400, "", "line 1"},
		"NaN number":                {"field/", `{"name":"x","farm_id":` + farm + `,"declared_area_ha":NaN}`, 400, "", "line 1"},
		"8 MiB + 1 byte":            {"farm/", `{"name":"` + strings.Repeat("x", 8<<20+1-11) + `"}`, 413, "max_bytes", "8388608"},
		"1,001 items":               {"farm/", "[" + strings.Repeat(`{"name":"x"},`, 1000) + `{"name":"x"}]`, 400, "non_field_errors", "1000"},
		"duplicate key":             {"farm/", `{"name":"a","name":"b"}`, 400, "", "name"},
		"invalid UTF-8":             {"farm/", "{\"name\":\"\xff\xfe\"}", 400, "", "utf-8"},
		"number 1e400":              {"field/", `{"name":"x","farm_id":` + farm + `,"declared_area_ha":1e400}`, 400, "declared_area_ha", ""},
		"date 2025-02-30":           {"season/", `{"name":"x","start_date":"2025-02-30","end_date":"2025-03-01"}`, 400, "start_date", "calendar"},
		"start after end":           {"season/", `{"name":"x","start_date":"2025-03-02","end_date":"2025-03-01"}`, 400, "end_date", "before it starts"},
		"amount without unit":       {"fertilization/", fertilized(`"amount":{"value":100}`), 400, "amount", "unit"},
		"volume without density":    {"fertilization/", fertilized(`"amount":{"value":30,"unit":"m3/ha"}`), 400, "density_kg_per_l", "density"},
		"nutrient sum over 100":     {"fertilization/", fertilized(`"n_pct":60,"k2o_pct":50`), 400, "n_pct", "110"},
		"trailing data":             {"farm/", `{"name":"a"}{}`, 400, "", ""},
		"treated area of two farms": {"fertilization/", fertilized(`"treated_area_ha":50`), 400, "treated_area_ha", "5 %"},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.Expect(bad.status, "POST", bad.path, bad.body)
			m := a.Map(t)
			require.NotEmpty(t, m["code"])
			require.NotEmpty(t, m["message"])
			require.Contains(t, strings.ToLower(string(a.Body)), bad.says)
			if bad.member != "" {
				require.Contains(t, m["details"], bad.member)
			}
		})
	}
	require.Equal(t, farms, count(t, c, "farm/"))
	require.Equal(t, fields, count(t, c, "field/"))
	require.Equal(t, 1, count(t, c, "season/"))
	require.Zero(t, count(t, c, "fertilization/"))
	exact := c.Do("POST", "farm/", `{"name":"`+strings.Repeat("x", 8<<20-11)+`"}`)
	require.Equal(t, 400, exact.Status, "8 MiB is read, and the name is too long: %s", exact.Body[:min(len(exact.Body), 200)])

	// These may be right: they are stored with a warning.
	for code, coordinates := range map[string]string{
		"likely_axis_swap": `[[[-35,-60],[-34.997,-60],[-34.997,-59.997],[-35,-59.997],[-35,-60]]]`,
		"sliver":           `[[[10,45],[10.0001,45],[10.0001,45.0001],[10,45.0001],[10,45]]]`,
	} {
		stored := c.Expect(200, "POST", "field/", outlined(coordinates)).Data(t)
		require.Contains(t, fmt.Sprint(stored["warnings"]), code)
	}
}
