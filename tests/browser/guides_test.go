package browser

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/guide"
	"tilth/docs"
)

// The guides are read on a phone and on a desktop, light and dark, without horizontal scrolling; the search finds a
// section with the keyboard alone; the commands to paste name the page's own server.
func TestGuidesAreReadAndSearched(t *testing.T) {
	guides, err := guide.New(docs.Files)
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if guides.Route(r.URL.Path) == "" {
			http.NotFound(w, r)
			return
		}
		guides.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p := Open(t)
	for _, tt := range []struct {
		page  string
		width int
		dark  bool
	}{{"", 1440, false}, {"maps", 375, true}, {"operating", 1000, false}} {
		p.Screen(tt.width, 900, tt.width < 500, tt.dark)
		p.Goto(server.URL + "/docs/" + tt.page)
		p.Until(`document.readyState === "complete" && !document.getElementById("search").hidden`)
		fits(p, server.URL, tt.width)
		accessible(p, "guide "+tt.page)
	}
	var foreign bool
	p.Run(`[...document.querySelectorAll("pre")].some((one) => one.textContent.includes("http://127.0.0.1:8080"))`, &foreign)
	require.False(t, foreign)
	p.Press("/")
	p.Until(`document.activeElement.id === "search"`)
	p.Write("zoning prescriptions")
	p.Until(`document.querySelector("#found a")`)
	p.Press("ArrowDown")
	p.Until(`document.activeElement === document.querySelector("#found a")`)
	accessible(p, "search of guides")
	p.Press("Enter")
	p.Until(`location.pathname === "/docs/maps" && location.hash === "#zoning-maps"`)
	require.Empty(t, p.Complaints())
}
