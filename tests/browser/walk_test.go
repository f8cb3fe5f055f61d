package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/tests/rig"
)

// serve starts a server for pages. Without a browser the whole test is left out, so that it compares nothing that its parts
// would have seen.
func serve(t testing.TB, opts rig.Options) *rig.Server {
	t.Helper()
	program(t)
	return rig.Start(t, opts)
}

// console opens the console in a page of its own, at an address, and signs in.
func console(t *testing.T, root, address string, width int, dark bool) *Page {
	t.Helper()
	p := Open(t)
	p.Screen(width, 900, width < 500, dark)
	p.Goto(root + address)
	p.Until(`document.querySelector("form [name=email]")`)
	accessible(p, "sign in")
	signInAs(p, demo.OwnerMail, demo.Password)
	return p
}

// accessible checks a page with axe, where the console's own tools are installed.
func accessible(p *Page, screen string) {
	p.t.Helper()
	axe, err := os.ReadFile(filepath.FromSlash("../../adapters/console/web/node_modules/axe-core/axe.min.js"))
	if err != nil {
		const missing = "LEFT OUT: accessibility of the console, for axe-core is not installed. Fix: make console."
		if os.Getenv("TILTH_REQUIRE_AXE") != "" {
			p.t.Fatal(missing)
		}
		p.t.Log(missing)
		return
	}
	p.Run(string(axe)+";0", nil)
	var found []struct{ ID, Help string }
	p.Run(`axe.run().then((r) => r.violations.map((v) => ({ id: v.id, help: v.help + ": " + v.nodes.map((n) => n.html + " " + n.failureSummary).join(" | ") })))`, &found)
	require.Empty(p.t, found, screen)
}

// fits checks that a screen needs no horizontal scrolling, and that nothing came from elsewhere.
func fits(p *Page, root string, width int) {
	p.t.Helper()
	var is struct {
		Width int
		Hosts []string
	}
	p.Run(`({ width: document.documentElement.scrollWidth, hosts: [...new Set(performance.getEntriesByType("resource").map((r) => new URL(r.name).host))] })`, &is)
	require.LessOrEqual(p.t, is.Width, width)
	own, err := url.Parse(root)
	require.NoError(p.t, err)
	for _, host := range is.Hosts {
		require.Contains(p.t, []string{own.Host, ""}, host)
	}
}

// click presses the button or the link with that text.
func click(p *Page, text string) {
	p.t.Helper()
	quoted, err := json.Marshal(text)
	require.NoError(p.t, err)
	find := fmt.Sprintf(`[...document.querySelectorAll("button, a, summary")].find((e) => e.textContent.trim() === %s && !e.disabled)`, quoted)
	p.Until(find)
	p.Run(find+".click()", nil)
}

const drawn = `document.querySelector(".maplibregl-canvas") && document.querySelector(".panel h1")`

// fill writes into the input with that name, as its user would.
func fill(p *Page, name, text string) {
	p.t.Helper()
	at := `document.querySelector("[name=` + name + `]")`
	p.Until(at)
	p.Run(`(() => { const e = `+at+`; e.focus(); e.value = `+fmt.Sprintf("%q", text)+`; e.dispatchEvent(new Event("input", { bubbles: true })) })()`, nil)
}

func signInAs(p *Page, email, password string) {
	p.t.Helper()
	fill(p, "email", email)
	fill(p, "password", password)
	p.Press("Enter")
	p.Until(`document.querySelector("#content") && !document.querySelector("form [name=email]")`)
}

// enter writes into the input with that label.
func enter(p *Page, label, value string) {
	p.t.Helper()
	at := `document.getElementById([...document.querySelectorAll(".input label")].find((l) => l.firstChild.textContent.trim() === "` + label + `")?.htmlFor)`
	p.Until(at)
	p.Run(`(() => { const e = `+at+`; e.value = "`+value+`"; e.dispatchEvent(new Event(e.tagName === "SELECT" ? "change" : "input", { bubbles: true })) })()`, nil)
}
