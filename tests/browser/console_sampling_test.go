package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/tests/rig"
)

// An area from its fields to a plan, on a desktop screen, whose points are moved by hand.
func TestConsolePlansSamples(t *testing.T) {
	further(t)
	server := serve(t, rig.Options{Demo: true})
	p := console(t, server.URL, "/sampling", 1280, false)
	planned(p, server.URL, 1280)
	p.Until(`document.querySelector(".panel dl")?.textContent && ` + said("Probability sample", "Yes"))
	// The map is drawn some time later: a point is white.
	var at image.Point
	rig.Eventually(t, func() (found bool) { at, found = spot(t, p.Picture()); return found }, patience, patience/1000)
	p.Drag(at.X, at.Y, at.X+12, at.Y+9)
	p.Until(said("Probability sample", "No"))
	accessible(p, "plan by hand")
	sampled(p, server.URL, 1280)
	require.Empty(t, p.Complaints())
}

// A crew walks the plan without a network: the page opens, its records wait on the device, and they are sent once.
func TestConsoleCrewWorksWithoutANetwork(t *testing.T) {
	further(t)
	server := serve(t, rig.Options{Demo: true})
	cable := rig.NewCable(t, strings.TrimPrefix(server.URL, "http://"))
	root := "http://" + cable.Address()
	p := console(t, root, "/sampling", 375, true)
	planned(p, root, 375)
	sampled(p, root, 375)
	p.Stand(-4.2, 41.78, 4)
	click(p, "Crew mode")
	p.Until(`document.querySelector(".way")?.textContent.includes(" m ") && document.body.textContent.includes("works without a network")`)
	accessible(p, "crew")
	fits(p, root, 375)
	var here string
	p.Run("location.href", &here)

	cable.Set(true)
	p.Goto(here)
	p.Until(`document.querySelector(".way") && document.body.textContent.includes("No network")`)
	const points = 10
	for n := range points {
		click(p, "Record sample")
		if n == 0 {
			accessible(p, "record")
			p.Run(`new Promise((done) => { const c = document.createElement("canvas"); c.toBlob((blob) => { const files = new DataTransfer(); files.items.add(new File([blob], "hole.png", { type: "image/png" }));
				const input = document.querySelector("input[type=file]"); input.files = files.files; input.dispatchEvent(new Event("change", { bubbles: true })); done() }) })`, nil)
		}
		fill(p, "note", fmt.Sprint("point ", n))
		if n == 1 {
			click(p, "Cannot be sampled")
			click(p, "Cannot be sampled: really")
		} else {
			click(p, "Done")
		}
		p.Until(fmt.Sprintf(`document.body.textContent.includes("%d points wait to be sent")`, n+1))
	}
	p.Goto(here) // the waiting records outlive the page
	p.Until(fmt.Sprintf(`document.querySelector(".way") && document.body.textContent.includes("%d points wait to be sent")`, points))
	cable.Set(false)
	click(p, "Send now")
	p.Until(`document.body.textContent.includes("Everything is sent.")`)
	p.Until(`document.querySelector("[role=status]").textContent.includes("10 of ")`)

	var samples []struct {
		ID        int64
		Status    string
		Notes     string
		Collected *struct {
			Lon, Lat float64
			Accuracy float64 `json:"accuracy_m"`
		}
	}
	token, err := server.Operating.CreateToken(t.Context(), demo.OwnerMail, time.Hour)
	require.NoError(t, err)
	owner := rig.Remote(t, server.URL, token)
	owner.Expect(200, "GET", "soil/stratification/samples/?page=all", nil).Into(t, &samples)
	taken, missed := 0, 0
	for _, s := range samples {
		switch s.Status {
		case "collected":
			taken++
			require.InDelta(t, -4.2, s.Collected.Lon, 1e-9)
			require.InDelta(t, 4, s.Collected.Accuracy, 1e-9)
			if s.Notes == "point 0" {
				var attached struct{ Photos []struct{ Name string } }
				owner.Expect(200, "GET", "soil/stratification/samples/"+rig.Itoa(s.ID)+"/photos/", nil).Into(t, &attached)
				require.Len(t, attached.Photos, 1)
			}
		case "missed":
			missed++
			require.Equal(t, "point 1", s.Notes)
		}
	}
	require.Equal(t, []int{points - 1, 1}, []int{taken, missed})
	for _, complaint := range p.Complaints() {
		require.Regexp(t, `ERR_|Failed to fetch`, complaint, "what the browser logs of a network that is away")
	}
}

// planned goes from the list of areas to a plan that is not kept yet.
func planned(p *Page, root string, width int) {
	p.t.Helper()
	p.Until(`document.querySelector(".panel .list a")`)
	accessible(p, "sampling")
	fits(p, root, width)
	click(p, "New area")
	fill(p, "area", "North side")
	p.Until(`document.querySelectorAll("fieldset input").length >= 2`)
	p.Run(`[...document.querySelectorAll("fieldset input")].slice(0, 2).forEach((e) => e.click())`, nil)
	accessible(p, "new area")
	click(p, "Create")
	click(p, "Order zones")
	click(p, "Find zones")
	p.Until(`document.querySelectorAll(".maps svg path").length > 5`)
	accessible(p, "zones")
	fits(p, root, width)
	click(p, "Place samples")
	p.Until(`document.querySelector(".value")`)
	accessible(p, "plan")
}

// sampled keeps the plan and creates its samples.
func sampled(p *Page, root string, width int) {
	p.t.Helper()
	click(p, "Keep this plan")
	click(p, "Create samples")
	p.Until(`[...document.querySelectorAll("a")].some((a) => a.textContent === "Crew mode")`)
	accessible(p, "samples")
	fits(p, root, width)
	var kinds []string
	p.Run(`Promise.all(["Field sheet", "Labels", "GPX"].map((text) => fetch([...document.querySelectorAll("a")].find((a) => a.textContent === text).href).then((r) => r.headers.get("Content-Type"))))`, &kinds)
	require.Equal(p.t, []string{"application/pdf", "application/pdf", "application/gpx+xml"}, kinds)
}

// said is an expression that is true when a list of figures shows a value.
func said(name, value string) string {
	return `[...document.querySelectorAll("dt")].some((e) => e.textContent === "` + name + `" && e.nextElementSibling.textContent === "` + value + `")`
}

// spot finds a point of the plan in a picture of the page: a white disc on the map.
func spot(t *testing.T, picture []byte) (image.Point, bool) {
	seen, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	for y := 60; y < 700; y++ {
	place:
		for x := 160; x < 800; x++ {
			for dx := -4; dx <= 4; dx++ {
				for dy := -4; dy <= 4; dy++ {
					if r, g, b, _ := seen.At(x+dx, y+dy).RGBA(); r&g&b != 0xffff {
						continue place
					}
				}
			}
			return image.Pt(x, y), true
		}
	}
	return image.Point{}, false
}
