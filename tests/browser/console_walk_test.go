package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/tests/rig"
)

// place is a stop of a walk: its name, its address, and the condition that holds there.
type place struct{ name, address, shown string }

const onMap = drawn + ` && !document.querySelector("[role=status]")?.textContent.startsWith("Loading")`

// look is a screen size with light or dark colours.
type look struct {
	name  string
	width int
	dark  bool
}

var looks = []look{{"desk-light", 1280, false}, {"desk-dark", 1280, true}, {"phone-light", 375, false}, {"phone-dark", 375, true}}

// walk visits places in a look: axe finds nothing, nothing needs horizontal scrolling or comes from elsewhere, and the
// console of the browser has no error. Pictures are saved below the folder that TILTH_PICTURES names.
func walk(t *testing.T, p *Page, root, of string, in look, places []place) {
	t.Helper()
	p.Screen(in.width, map[bool]int{false: 900, true: 812}[in.width < 500], in.width < 500, in.dark)
	for _, at := range places {
		if at.address != "" {
			p.Goto(root + at.address)
		}
		p.Until(at.shown)
		accessible(p, of+" "+at.name+" "+in.name)
		fits(p, root, in.width)
		if dir := os.Getenv("TILTH_PICTURES"); dir != "" {
			p.Run(`document.fonts.ready.then(() => true)`, nil)
			time.Sleep(time.Second) // the pictures show what the map still draws
			require.NoError(t, os.MkdirAll(filepath.Join(dir, of), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, of, fmt.Sprintf("%s-%s.png", at.name, in.name)), p.Picture(), 0o600))
		}
	}
	require.Empty(t, p.Complaints(), in.name)
}

// settings are the tabs of the settings, some of which are empty in a new company.
func settings() (out []place) {
	for _, tab := range []string{"account", "wallet", "team", "shares", "keys", "webhooks", "audit", "health"} {
		out = append(out, place{"settings-" + tab, "/settings/" + tab, `document.querySelector("main h1, main h2") && !document.querySelector("[role=status]")?.textContent.startsWith("Loading")`})
	}
	return out
}

// All screens of an empty installation say what to do. make test walks over them in one look, make browser in four.
func TestWalkOverAnEmptyInstallation(t *testing.T) {
	further(t)
	server := serve(t, rig.Options{})
	p := Open(t)
	p.Screen(375, 812, true, true)
	founded(t, p, server)
	has := func(text string) string {
		return fmt.Sprintf(`document.querySelector("main")?.textContent.includes(%q)`, text)
	}
	places := []place{
		{"map", "/", onMap}, {"fields", "/fields", has("No fields yet")}, {"add", "/add", `document.querySelector("input[type=file]")`},
		{"draw", "/draw", onMap}, {"assessments", "/assessments", has("No assessments yet")}, {"dashboard", "/dashboard", `document.querySelector("main h1")`},
		{"settings-keys", "/settings/keys", has("There are no API keys.")},
	}
	walked := looks[3:]
	if long() {
		walked = looks
		places = append(places, settings()...)
		places = append(places, place{"sampling", "/sampling", `document.querySelector("[role=alert] code")`}) // no subscription
	}
	for _, in := range walked {
		if !long() {
			walk(t, p, server.URL, "empty", in, places)
			continue
		}
		// The browser logs the 403 of a service without a subscription; the page shows the command that grants it.
		walk(t, p, server.URL, "empty", in, places[:len(places)-1])
	}
	if long() {
		in := looks[2]
		p.Screen(in.width, 812, true, false)
		p.Goto(server.URL + "/sampling")
		p.Until(`document.querySelector("[role=alert] code")`)
		accessible(p, "empty sampling")
		for _, complaint := range p.Complaints() {
			require.Contains(t, complaint, "status of 403")
		}
		bare := serve(t, rig.Options{})
		for _, in := range looks {
			walk(t, Open(t), bare.URL, "empty", in, []place{{"setup", "/", `location.pathname === "/setup" && document.querySelector("[name=token]")`}})
		}
	}
}

// The ten screens of the full demonstration, in four looks (make browser).
func TestWalkOverTheDemonstration(t *testing.T) {
	if !long() {
		t.Skip("make browser walks over the full demonstration")
	}
	server := serve(t, rig.Options{Full: true})
	for _, in := range looks {
		p := Open(t)
		walk(t, p, server.URL, "demo", in, []place{{"sign-in", "/", `document.querySelector("form [name=email]")`}})
		signInAs(p, demo.OwnerMail, demo.Password)
		// The results of the demonstration are computed some time after the server has started.
		rig.Eventually(t, func() bool {
			var ready bool
			p.Run(`fetch("/api/v1.2/ogc/collections/samples/items/?limit=1").then((r) => r.json()).then((a) => a.features?.length === 1)`, &ready)
			return ready
		}, 5*time.Minute, time.Second)
		var ids struct{ Field, Area, Plan, Submitted, Draft int64 }
		p.Run(`(async () => {
			const get = (path) => fetch("/api/v1.2/" + path).then((r) => r.json());
			const fields = (await get("field/?page=all")).data.results, sample = (await get("ogc/collections/samples/items/?limit=1")).features[0].properties;
			const read = (await get("ghg/assessments/?page=all")).data, all = read.results ?? read;
			return {
				field: fields.find((f) => f.name === "North pivot").id, area: sample.aoi_id, plan: sample.plan_id,
				submitted: all.find((a) => a.status === "submitted").id, draft: all.find((a) => a.status !== "submitted").id,
			};
		})()`, &ids)
		const table, heading = `document.querySelectorAll("tbody tr").length > 0`, `document.querySelector("main h1")`
		places := []place{{"map", "/", onMap + ` && document.querySelectorAll(".list li").length === 9`}}
		for _, by := range []string{"crop", "anomaly", "profile", "assessment"} {
			places = append(places, place{"map-" + by, "/?colour=" + by, onMap + ` && document.querySelectorAll(".legend li").length > 0`})
		}
		places = append(places,
			place{"field", fmt.Sprintf("/field/%d", ids.Field), drawn + ` && document.querySelector(".chart canvas") && document.querySelector(".value")`},
			place{"fields", "/fields", table}, place{"add", "/farm/1/add", `document.querySelector("input[type=file]")`}, place{"draw", "/farm/1/draw", onMap},
			place{"merge", fmt.Sprintf("/farm/1/draw?as=merge&field=%d", ids.Field), onMap + ` && document.querySelector("fieldset input")`},
			place{"assessments", "/assessments", table},
			place{"assessment", fmt.Sprintf("/assessment/%d/general", ids.Draft), heading + ` && document.querySelector("main input, main select")`},
			place{"report", fmt.Sprintf("/assessment/%d/report", ids.Submitted), heading + ` && document.querySelector("main svg, main table")`},
			place{"dashboard", "/dashboard", heading + ` && document.querySelector("main table, main svg, main dl")`},
			place{"sampling", "/sampling", drawn + ` && document.querySelector(".panel .list a")`},
			place{"area", fmt.Sprintf("/sampling/%d", ids.Area), drawn + ` && document.querySelector(".panel dl, .panel .list, .panel button")`},
			place{"crew", fmt.Sprintf("/crew/%d", ids.Plan), `document.querySelector("main h1, main h2, main .way")`},
		)
		walk(t, p, server.URL, "demo", in, append(places, settings()...))
	}
}
