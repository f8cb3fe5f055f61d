package browser

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTenThousandFieldsOnTheFarmMap measures what the farm map of a company with 10,000 fields takes: until the list is there and until
// the outlines are, the memory of the page, and what a search and another colour keep the page busy for.
func TestTenThousandFieldsOnTheFarmMap(t *testing.T) {
	if os.Getenv("TILTH_FIELDS") == "" {
		t.Skip("make fields measures it")
	}
	server, c := wide(t, 125, 80)
	c.Make("season/", map[string]any{"name": "S", "start_date": "2025-01-01", "end_date": "2025-12-31"})
	p := console(t, server.URL, "/fields", 1280, false)
	p.Until(`document.querySelector("tbody tr")`)
	begun := time.Now()
	p.Goto(server.URL + "/")
	p.Until(`document.querySelector(".panel")?.textContent.includes("10,000 fields")`)
	listed := time.Since(begun)
	require.Eventually(t, func() bool { return covered(t, p) > 10_000 }, patience, patience/600)
	drawn := time.Since(begun)
	p.Run(`void (window.long = [], new PerformanceObserver((list) => window.long.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask", buffered: true }))`, nil)
	time.Sleep(3 * time.Second) // the last tiles
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
		t.Logf("a search of %q is in the list after %.0f ms", text, search(text))
		time.Sleep(2 * time.Second)
		busy("the search and what the map does of it")
	}
	begun = time.Now()
	click(p, "Crop")
	p.Until(`document.querySelector(".legend")?.textContent.includes("No crop")`)
	t.Logf("another colour after %.0f ms", float64(time.Since(begun).Milliseconds()))
	time.Sleep(2 * time.Second)
	busy("another colour")
	require.Empty(t, p.Complaints())
}
