package browser

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// The picture of the README, from the demonstration, in the folder that TILTH_PICTURES names (make pictures). Without a
// folder the test only checks that it can be made.
func TestPictureOfTheREADME(t *testing.T) {
	further(t)
	t.Parallel()
	server := serve(t, rig.Options{Demo: true})
	p := console(t, server.URL, "/?colour=crop", 1280, false)
	p.Until(drawn)
	p.Until(`document.querySelectorAll(".list li").length === 9`)
	click(p, "Latest index")
	click(p, "Price of 9 profiles")
	p.Until(`[...document.querySelectorAll("button.first")].some((b) => b.textContent.trim().startsWith("Order 9 profiles"))`)
	p.Run(`document.querySelector("button.first").click()`, nil)
	p.Until(`document.body.textContent.includes("9 ordered, 0 refused")`)
	p.Until(`!document.querySelector(".list").textContent.includes("Being computed")`)
	p.Run(`[...document.querySelectorAll(".list .name")].find((n) => n.textContent === "North pivot").closest("a").click()`, nil)
	p.Until(`document.querySelector(".chart canvas") && document.querySelector(".value")`)
	click(p, "Show the pictures")
	p.Until(`performance.getEntriesByType("resource").some((r) => r.name.includes("/tiles/"))`)
	p.Until(`document.body.textContent.includes("season of that pixel")`)
	p.Goto(server.URL + "/farm/1/season/1/field/1?date=2025-08-18")
	p.Until(`document.querySelector(".value")?.textContent === "0.789"`)
	p.Until(`performance.getEntriesByType("resource").some((r) => r.name.includes("/tiles/"))`)
	p.Until(drawn)
	kept(t, p, "field.png")
}

// kept saves a picture of a page, if a folder is named.
func kept(t *testing.T, p *Page, name string) {
	taken := p.Picture()
	picture, err := png.Decode(bytes.NewReader(taken))
	require.NoError(t, err)
	require.Equal(t, 1280, picture.Bounds().Dx())
	if dir := os.Getenv("TILTH_PICTURES"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), taken, 0o600))
	}
}
