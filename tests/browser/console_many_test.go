package browser

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// TestTenThousandFieldsOnTheFarmMap measures the farm map of a company with 10,000 fields: the time until the list is there and until
// the outlines are, the memory of the page, and how long searches, another colour and a filter keep the page busy: in total, and in
// the longest of the tasks, during which the page responds to nothing. Eight crops grow in its columns, and nothing in the ninth.
func TestTenThousandFieldsOnTheFarmMap(t *testing.T) {
	if os.Getenv("TILTH_FIELDS") == "" {
		t.Skip("make fields measures it")
	}
	server, c := wide(t, 125, 80)
	sown(t, c, c.Make("season/", map[string]any{"name": "S", "start_date": "2025-01-01", "end_date": "2025-12-31"}))
	p := console(t, server.URL, "/fields", 1280, false)
	p.Until(`document.querySelector("tbody tr")`)
	begun := time.Now()
	p.Goto(server.URL + "/")
	p.Until(`document.querySelector(".panel")?.textContent.includes("10,000 fields")`)
	listed := time.Since(begun)
	rig.Eventually(t, func() bool { return covered(t, p) > 10_000 }, patience, patience/600)
	drawn := time.Since(begun)
	p.Run(`void (window.long = [], new PerformanceObserver((list) => window.long.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask", buffered: true }))`, nil)
	time.Sleep(3 * time.Second) // for the last tiles
	var long []float64
	busy := func(what string) {
		p.Run(`window.long.splice(0)`, &long)
		sum, most := 0.0, 0.0
		for _, one := range long {
			sum, most = sum+one, max(most, one)
		}
		t.Logf("%s: %d long tasks of %.0f ms together, the longest %.0f ms", what, len(long), sum, most)
	}
	var heap struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	p.command("Performance.getMetrics", nil, &heap)
	for _, m := range heap.Metrics {
		if m.Name == "JSHeapUsedSize" {
			t.Logf("10,000 fields: listed after %.1f s, drawn after %.1f s, %.0f MB of JavaScript", listed.Seconds(), drawn.Seconds(), m.Value/1e6)
		}
	}
	busy("opening")
	search := func(text string) float64 {
		var took float64
		p.Run(fmt.Sprintf(`(async () => {
			const e = document.querySelector("input[type=search]"), begun = performance.now();
			e.value = %q;
			e.dispatchEvent(new Event("input", { bubbles: true }));
			await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
			return performance.now() - begun;
		})()`, text), &took)
		return took
	}
	for _, text := range []string{"9", "99", "999", ""} {
		took := search(text)
		time.Sleep(2 * time.Second)
		busy(fmt.Sprintf("a search of %q, in the list after %.0f ms", text, took))
	}
	begun = time.Now()
	click(p, "Crop")
	p.Until(`document.querySelector(".legend")?.textContent.includes("No crop")`)
	took := time.Since(begun)
	rig.Eventually(t, func() bool { return covered(t, p) < 5_000 }, patience, patience/600)
	onMap := time.Since(begun)
	time.Sleep(2 * time.Second)
	busy(fmt.Sprintf("another colour, in the legend after %d ms, on the map after %d ms", took.Milliseconds(), onMap.Milliseconds()))
	for _, crop := range []int{1, 0} {
		p.Run(fmt.Sprintf(`(() => { const e = document.querySelector("select[aria-label=Crop]"); e.value = e.options[%d].value; e.dispatchEvent(new Event("change", { bubbles: true })) })()`, crop), nil)
		time.Sleep(3 * time.Second)
		busy([]string{"all crops", "one crop"}[crop])
	}
	require.Empty(t, p.Complaints())
}

// sown grows eight crops on the fields of a company, and none on every ninth.
func sown(t *testing.T, c *rig.Client, season int64) {
	var fields, crops struct{ Results []struct{ ID int64 } }
	c.Expect(200, "GET", "field/?page=all", nil).Into(t, &fields)
	c.Expect(200, "GET", "crop/?page=all", nil).Into(t, &crops)
	var grown []any
	for i, field := range fields.Results {
		if i%9 < 8 {
			grown = append(grown, map[string]any{"field_id": field.ID, "season_id": season, "crop_id": crops.Results[i%9].ID})
		}
	}
	for piece := range slices.Chunk(grown, 1_000) {
		c.Expect(200, "POST", "cultivation/", piece)
	}
}
