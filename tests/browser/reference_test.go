package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/tests/rig"
)

func TestMain(m *testing.M) { rig.Main(Tests{m}) }

// Bounds of a page: an operation opens at once because only that operation is rendered, and what is nested only when it is opened.
const (
	maxOverview  = 2500 // elements, with the list of all operations
	maxOperation = 2500 // elements of one operation
)

// reference opens the reference in a page of its own.
func reference(t *testing.T, root string) *Page {
	t.Helper()
	p := Open(t)
	p.Screen(375, 812, true, false)
	p.Goto(root + "/docs/api/")
	ready(p)
	return p
}

func ready(p *Page) {
	p.t.Helper()
	p.Until(`document.readyState === "complete" && document.querySelector("#index details") && document.querySelector("#content h1")`)
}

func signIn(p *Page) {
	p.t.Helper()
	p.Run(`document.getElementById("session").click()`, nil)
	p.Until(`document.querySelector("dialog[open]")`)
	p.Run(`document.querySelector("dialog [name=email]").value = "`+demo.OwnerMail+`";
		document.querySelector("dialog [name=password]").value = "`+demo.Password+`";
		document.querySelector("dialog form").requestSubmit()`, nil)
	p.Until(`!document.querySelector("dialog")`)
}

// Every operation opens on a phone without horizontal scrolling and without an error, and its form begins with the example.
func TestReferenceOpensEveryOperation(t *testing.T) {
	server := serve(t, rig.Options{Demo: true})
	p := reference(t, server.URL)
	var elements int
	p.Run(`document.querySelectorAll("*").length`, &elements)
	require.Less(t, elements, maxOverview)
	type operation struct {
		ID              string
		Elements, Width int
		Title, Body     string
		Ready           bool
	}
	var opened []operation
	each := 1
	if os.Getenv("TILTH_TEST_PAGES") == "some" {
		each = 5
	}
	for { // a few at a time: on a busy machine all take minutes, and no single answer may take that long
		var few []operation
		p.Run(fmt.Sprintf(openOperations, each, len(opened), len(opened)+20), &few)
		if len(few) == 0 {
			break
		}
		opened = append(opened, few...)
	}
	require.Greater(t, len(opened)*each, 200)
	for _, one := range opened {
		require.LessOrEqual(t, one.Width, 375, one.ID)
		require.Less(t, one.Elements, maxOperation, one.ID)
		require.Empty(t, one.Title+one.Body, one.ID)
		require.True(t, one.Ready, one.ID)
	}
	require.Empty(t, p.Complaints())
}

// openOperations opens every n-th operation of the document, those from one index to another.
const openOperations = `(async () => {
		const whole = await (await fetch("/openapi.json")).json();
		const out = [];
		for (const stated of Object.values(whole.paths).flatMap(Object.values).filter((_, at) => at %% %d === 0).slice(%d, %d)) {
			location.hash = "#" + stated.operationId;
			await new Promise((done) => addEventListener("hashchange", () => setTimeout(done), { once: true }));
			const content = document.getElementById("content");
			while (content.ariaBusy === "true") await new Promise((done) => setTimeout(done));
			const shown = Object.values(stated.requestBody?.content || {}).some((one) => one.example !== undefined);
			const text = content.querySelector("textarea");
			const elements = content.querySelectorAll("*").length;
			for (const one of content.querySelectorAll("details")) one.open = true;
			await new Promise((done) => setTimeout(done));
			out.push({ id: stated.operationId, elements, width: document.documentElement.scrollWidth,
				title: content.querySelector("h1")?.textContent === stated.summary ? "" : "another title",
				body: shown && !text?.value ? "no example" : "", ready: Boolean(content.querySelector("form.trial")) });
		}
		return out;
	})()`

// With the keyboard alone: find an operation, open it, send its example unchanged, and read the response. The same
// behind a proxy that adds a path prefix, in both colours, on a phone and on a desktop.
func TestReferenceTriesAnOperation(t *testing.T) {
	server := serve(t, rig.Options{Demo: true})
	to, err := url.Parse(server.URL)
	require.NoError(t, err)
	proxy := httptest.NewServer(http.StripPrefix("/farm/tilth", httputil.NewSingleHostReverseProxy(to)))
	t.Cleanup(proxy.Close)
	colours := map[string]bool{}
	for _, tt := range []struct {
		name, address, key string
		width              int
		dark               bool
	}{
		{"phone", server.URL, "GV-1-7", 375, false}, {"phone, dark", server.URL, "GV-1-8", 375, true},
		{"desk, dark", server.URL, "GV-1-9", 1280, true}, {"behind a prefix", proxy.URL + "/farm/tilth", "GV-1-10", 1280, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := reference(t, tt.address)
			p.Screen(tt.width, 900, tt.width < 500, tt.dark)
			signIn(p)
			p.Press("/")
			p.Until(`document.activeElement.id === "search"`)
			p.Write("field create one")
			p.Press("Enter")
			p.Until(`location.hash === "#field_create" && document.querySelector("form.trial textarea")`)
			// The example can be sent unchanged only once; a second field must not have the same key in another system.
			p.Run(`document.querySelector("form.trial textarea").value = document.querySelector("form.trial textarea").value.replace("GV-1-7", "`+tt.key+`");
				document.querySelector("form.trial").requestSubmit()`, nil)
			p.Until(`document.querySelector(".answer .status")`)
			var shown struct {
				Status, Answer, Command, Colour string
				Width                           int
			}
			p.Run(`(() => {
				const command = document.querySelector(".command");
				command.open = true;
				return new Promise((done) => setTimeout(done, 0)).then(() => ({
					status: document.querySelector(".answer .status").textContent,
					answer: document.querySelector(".answer > pre").textContent,
					command: command.querySelector("pre").textContent,
					colour: getComputedStyle(document.body).backgroundColor,
					width: document.documentElement.scrollWidth }));
			})()`, &shown)
			require.Contains(t, shown.Status, "200")
			require.Contains(t, shown.Answer, `"Long field"`)
			require.Contains(t, shown.Command, tt.address+"/api/v1.2/field/")
			require.NotContains(t, strings.ToLower(shown.Command), "bearer ey", "the token stays out of the command")
			require.LessOrEqual(t, shown.Width, tt.width)
			colours[shown.Colour] = tt.dark
			require.Empty(t, p.Complaints())
		})
	}
	require.Len(t, colours, 2, "light and dark differ")
}

// The page is at its address with and without a slash at the end, and an address that names an operation opens it.
func TestReferenceOpensFromAnAddress(t *testing.T) {
	server := serve(t, rig.Options{Demo: true})
	p := reference(t, server.URL)
	p.Goto(server.URL + "/docs/api#farm_list")
	p.Until(`document.querySelector("#content h1")?.textContent === "List farms"`)
	p.Until(`document.querySelector("#index a[aria-current]")?.hash === "#farm_list"`)
	p.Run(`document.querySelector("header .back").click()`, nil)
	p.Until(`document.getElementById("index").checkVisibility()`)
	p.Goto(server.URL + "/docs/api/#nothing")
	p.Until(`document.querySelector("#content [role=alert]")`)
	require.Empty(t, p.Complaints())
}
