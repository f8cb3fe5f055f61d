package soil_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/v12/soil"
)

// A name that a user gives to a field cannot become markup of the page that a stranger opens.
func TestPageOfACodeEscapesNames(t *testing.T) {
	t.Parallel()
	const hostile, escaped = `"><script>alert('1')</script>&`, `&#34;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;`
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, c := range []struct {
		opens *soil.Linked
		names int
		shown []string
	}{
		{nil, 0, []string{"<h1>This code opens nothing</h1>", "<title>Nothing here · Tilth</title>"}},
		{&soil.Linked{Area: hostile, ExpiresAt: at, Sample: &soil.LinkedSample{
			Label: hostile, Point: hostile, Field: hostile, Zone: 2, Role: "reserve", Round: 3, DepthTo: 22.5, Status: "planned", CollectedAt: &at,
			Planned: soil.PlanPosition{Lon: 11.5, Lat: -48.123456789},
		}}, 5, []string{
			", a reserve point", "0 to 22.5 cm", "<dt>Taken</dt><dd>2026-03-04 05:06 UTC</dd>", "opens until 2026-03-04",
			`<a href="geo:-48.1234568,11.5000000">-48.1234568, 11.5000000</a>`,
		}},
		{&soil.Linked{Area: hostile, ExpiresAt: at, Plan: &soil.LinkedPlan{MapUUID: "u", Fields: []string{hostile, hostile}, Round: 2, Points: []soil.LinkedPoint{
			{ID: hostile, Field: hostile, Zone: 1, Role: "reserve", Samples: []soil.LabelledSample{{Label: hostile, DepthTo: 30, Status: "missed"}}}, {ID: "q"},
		}}}, 6, []string{"<title>Field sheet · Tilth</title>", "<dt>Points</dt><dd>2</dd>", " (reserve)", "<br>0 to 30 cm: ", escaped + ", " + escaped}},
	} {
		page := string(soil.LinkPage(c.opens))
		require.NotContains(t, page, "<script")
		require.NotContains(t, page, "%!")
		require.Equal(t, c.names, strings.Count(page, escaped), page)
		for _, part := range c.shown {
			require.Contains(t, page, part)
		}
	}
}
