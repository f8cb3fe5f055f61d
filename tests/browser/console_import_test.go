package browser

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/batches"
	"tilth/tests/rig"
)

// long reports whether the long proofs are asked for (make browser); make test does a tenth of them.
func long() bool { return os.Getenv("TILTH_BROWSER") != "" }

// founded makes the first company, its owner, a farm and a season through the pages of an empty installation.
func founded(t *testing.T, p *Page, server *rig.Server) {
	t.Helper()
	token, err := server.Setup.Token(t.Context())
	require.NoError(t, err)
	p.Goto(server.URL + "/setup#" + token)
	fill(p, "company", "New company")
	fill(p, "email", "first@new.example")
	fill(p, "password", "long enough to sign in")
	click(p, "Create company and owner")
	click(p, "Add fields")
	fill(p, "farm", "Hill farm")
	fill(p, "country", "Spain")
	click(p, "Create")
	fill(p, "season", "Summer 2025")
	fill(p, "from", "2025-03-01")
	fill(p, "to", "2025-10-31")
	click(p, "Create")
	p.Until(`document.querySelector("input[type=file]")`)
}

// outlines returns a file of square fields in rows: the second lies half in the first, the third has its axes swapped,
// and the last crosses itself.
func outlines(t testing.TB, n int) string {
	t.Helper()
	const side = 0.002
	columns := int(math.Sqrt(float64(n)))
	var features []any
	for i := range n {
		west, south := -4+0.0025*float64(i%columns), 41+0.0025*float64(i/columns)
		if i == 1 {
			west -= 0.0015
		}
		ring := [][]float64{{west, south}, {west + side, south}, {west + side, south + side}, {west, south + side}, {west, south}}
		switch i {
		case 2:
			for _, place := range ring {
				place[0], place[1] = place[1], place[0]
			}
		case n - 1:
			ring[1], ring[2] = ring[2], ring[1]
		}
		features = append(features, map[string]any{
			"type": "Feature", "properties": map[string]any{"name": fmt.Sprintf("Field %d", i+1)}, "geometry": map[string]any{"type": "Polygon", "coordinates": [][][]float64{ring}},
		})
	}
	file, err := json.Marshal(map[string]any{"type": "FeatureCollection", "features": features})
	require.NoError(t, err)
	quoted, err := json.Marshal(string(file))
	require.NoError(t, err)
	return string(quoted)
}

// painted counts the pixels of a page that have the colour of new fields.
func painted(t *testing.T, p *Page) int {
	t.Helper()
	return coloured(t, p, func(r, g, b uint32) bool { return r < 60 && g > 140 && b > 90 })
}

// drop hands a file of outlines to the page.
func drop(t testing.TB, p *Page, n int) {
	t.Helper()
	hand(p, outlines(t, n))
}

// hand hands a file, a quoted JavaScript string, to the page.
func hand(p *Page, quoted string) {
	p.t.Helper()
	p.Run(`(() => { const files = new DataTransfer(); files.items.add(new File([`+quoted+`], "fields.geojson"));
		const input = document.querySelector("input[type=file]"); input.files = files.files; input.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
}

// says waits until the page shows the counts of a file of outlines, the last of which is refused.
func says(p *Page, n int) {
	p.t.Helper()
	p.Until(fmt.Sprintf(`document.body.textContent.includes((%d).toLocaleString("en") + " new, 0 changed, 0 unchanged, 1 refused")`, n-1))
}

// A file of outlines from an empty database to the farm map: errors in some of them are shown on the map before the
// import, from the row to the map and from the map to the row. The long file is imported in the background.
func TestConsoleImportsOutlines(t *testing.T) {
	further(t)
	n := 100
	if long() {
		n = 2_500
	}
	server := serve(t, rig.Options{})
	p := Open(t)
	p.Screen(1280, 900, false, false)
	founded(t, p, server)
	drop(t, p, n)
	says(p, n)
	p.Until(`["Refused", "Axes may be swapped", "Overlaps", "New"].every((word) => document.querySelector(".legend")?.textContent.includes(word)) && document.querySelector(".maplibregl-canvas")`)

	// From the map to the row, once the outlines are drawn.
	rig.Eventually(t, func() bool { return painted(t, p) > 50_000 }, patience, patience/100)
	at := 0
	rig.Eventually(t, func() bool {
		at += 3 // the click may have fallen between two fields
		p.Drag(300+at, 300+at, 300+at, 300+at)
		var chosen bool
		p.Run(`document.querySelector("tr.chosen .name[aria-pressed=true]") !== null`, &chosen)
		return chosen
	}, patience, patience/100)
	// From the row to the map: the field of the row is in the middle of the map.
	p.Run(`[...document.querySelectorAll("label input[type=checkbox]")][0].click()`, nil)
	p.Until(`document.querySelectorAll("tbody tr").length === 4`)
	accessible(p, "preview of an import")
	fits(p, server.URL, 1280)
	kept(t, p, "import.png")
	for _, name := range []string{fmt.Sprintf("Field %d", n), "Field 1"} {
		click(p, name)
		p.Until(fmt.Sprintf(`document.querySelector("tr.chosen .name")?.textContent === %q`, name))
	}
	p.Run(`[...document.querySelectorAll("label input[type=checkbox]")][0].click()`, nil)
	brought(p, n)
	settled(p, server.URL, 1280, 3, false)
	require.Empty(t, p.Complaints())
}

// estate is a file of n fields of two farms; the first field is the only one of its farm.
func estate(n int) string {
	return fmt.Sprintf(`JSON.stringify({ type: "FeatureCollection", features: Array.from({ length: %d }, (_, i) => ({ type: "Feature",
		properties: { name: "Plot " + i, farm: i === 0 ? "North" : "South" },
		geometry: { type: "Polygon", coordinates: [[[-4, 43 + i / 100], [-3.998, 43 + i / 100], [-3.998, 43.002 + i / 100], [-4, 43 + i / 100]]] } })) })`, n)
}

// settled imports a file of two farms into a company of one farm, which the address does not name, keeping each field
// in its own farm, and undoes the import on a reloaded page. In the background no features are listed.
func settled(p *Page, root string, width, n int, background bool) {
	p.t.Helper()
	const farms = `[...[...document.querySelectorAll("label")].find((l) => l.textContent.startsWith("Into")).querySelector("select").options].map((o) => o.text).filter(Boolean).join()`
	undo := fmt.Sprintf("Undo: delete the %d new fields and 2 new farms", n)
	p.Goto(root + "/add")
	p.Until(`document.querySelector("input[type=file]:not(:disabled)")`)
	hand(p, estate(n))
	p.Until(`document.body.textContent.includes("The file names 2 farms: North, South. All fields go to Hill farm.")`)
	p.Until(`document.querySelector("button.first:not(:disabled)") && ![...document.querySelectorAll("thead th")].some((h) => h.textContent === "Farm")`)
	click(p, "Put each into its own farm")
	p.Until(`document.body.textContent.includes("2 new farms: North, South")`)
	if !background {
		p.Until(`[...document.querySelectorAll("tbody tr")].map((r) => r.cells[1].textContent.trim()).join() === "North new,South new,South new"`)
	}
	accessible(p, "preview of a file of farms")
	fits(p, root, width)
	click(p, fmt.Sprintf("Import %d fields", n))
	p.Until(fmt.Sprintf(`[...document.querySelectorAll("button")].some((b) => b.textContent === %q)`, undo))
	p.Until(farms + ` === "Hill farm,North,South"`)
	p.Run(`void location.reload()`, nil)
	p.Until(fmt.Sprintf(`/^Imported .*: %d new fields, 2 new farms\.$/.test(document.querySelector(".note span")?.textContent ?? "")`, n))
	click(p, undo)
	click(p, undo+": really")
	p.Until(`document.body.textContent.includes("The new fields and farms are deleted.")`)
	p.Until(farms + ` === "Hill farm"`)
}

// brought imports a file, undoes the import on a reloaded page, imports the file again, and goes to the farm map.
func brought(p *Page, n int) {
	p.t.Helper()
	p.Until(`document.querySelector("button.first:not(:disabled)")?.textContent.startsWith("Import ")`)
	p.Run(`document.querySelector("button.first").click()`, nil)
	var undo string
	p.Until(`[...document.querySelectorAll("button")].some((b) => b.textContent.startsWith("Undo: delete the "))`)
	p.Run(`[...document.querySelectorAll("button")].find((b) => b.textContent.startsWith("Undo: ")).textContent.replaceAll(",", "")`, &undo)
	require.Equal(p.t, fmt.Sprintf("Undo: delete the %d new fields", n-1), undo)
	// After a reload the page still offers to undo; as time has passed, it asks for confirmation.
	p.Run(`void location.reload()`, nil)
	p.Until(fmt.Sprintf(`/^Imported .*: %d new fields\.$/.test(document.querySelector(".note span")?.textContent.replaceAll(",", "") ?? "")`, n-1))
	p.Run(`[...document.querySelectorAll("button")].find((b) => b.textContent.startsWith("Undo: ")).click()`, nil)
	p.Until(`[...document.querySelectorAll("button")].some((b) => b.textContent.endsWith(": really"))`)
	p.Run(`[...document.querySelectorAll("button")].find((b) => b.textContent.endsWith(": really")).click()`, nil)
	p.Until(`document.body.textContent.includes("The new fields are deleted.")`)
	drop(p.t, p, n)
	says(p, n)
	p.Until(`document.querySelector("button.first:not(:disabled)")?.textContent.startsWith("Import ")`)
	p.Run(`document.querySelector("button.first").click()`, nil)
	click(p, "Go to the farm map")
	p.Until(fmt.Sprintf(`document.querySelector(".panel")?.textContent.includes((%d).toLocaleString("en") + " fields")`, n-1))
}

// A file that is too large for the map is checked in the background, which lists what is refused, and imported.
func TestConsoleImportsALargeFile(t *testing.T) {
	if !long() {
		t.Skip("make browser does it")
	}
	server := serve(t, rig.Options{Batches: batches.Sizes{AtOnce: 20, Piece: 10}})
	p := Open(t)
	p.Screen(375, 812, true, true)
	founded(t, p, server)
	const n = 30
	drop(t, p, n)
	says(p, n)
	p.Until(`document.querySelector(".note")?.textContent.includes("too large for the map") && document.querySelectorAll("tbody tr").length === 1`)
	accessible(p, "preview of a large file")
	fits(p, server.URL, 375)
	brought(p, n)
	settled(p, server.URL, 375, n, true)
	require.Empty(t, p.Complaints())
}
