package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/tests/rig"
)

// wide starts a server with a company of round fields of 24 corners, in columns and rows.
func wide(t *testing.T, columns, rows int) (*rig.Server, *rig.Client) {
	t.Helper()
	server := serve(t, rig.Options{})
	c := server.Company("owner", 0)
	_, err := server.Operating.CreateUser(t.Context(), operating.NewUser{CompanyID: c.CompanyID, Email: demo.OwnerMail, Role: access.RoleOwner, Password: demo.Password})
	require.NoError(t, err)
	farm := c.Make("farm/", map[string]any{"name": "Wide"})
	const corners = 24
	for row := range rows {
		var fields []any
		for column := range columns {
			ring := make([][]float64, 0, corners+1)
			for corner := range corners + 1 {
				around := 2 * math.Pi * float64(corner%corners) / corners
				ring = append(ring, []float64{-4 + 0.004*float64(column) + 0.0018*math.Cos(around), 41 + 0.003*float64(row) + 0.0013*math.Sin(around)})
			}
			fields = append(fields, map[string]any{"name": fmt.Sprintf("Field %d", row*columns+column+1), "farm_id": farm, "boundary": map[string]any{"type": "Polygon", "coordinates": [][][]float64{ring}}})
		}
		c.Expect(200, "POST", "field/", fields)
	}
	return server, c
}

// thousandFields opens the farm map of a company with a thousand fields.
func thousandFields(t *testing.T) (p *Page, company int64) {
	t.Helper()
	server, c := wide(t, 40, 25)
	p = console(t, server.URL, "/", 1280, false)
	p.Until(drawn)
	p.Until(`document.querySelector(".panel")?.textContent.includes("1,000 fields")`)
	return p, c.CompanyID
}

// coloured counts the pixels of a page whose colour is wanted.
func coloured(t *testing.T, p *Page, wanted func(r, g, b uint32) bool) (pixels int) {
	t.Helper()
	shown, err := png.Decode(bytes.NewReader(p.Picture()))
	require.NoError(t, err)
	for y := range shown.Bounds().Dy() {
		for x := range shown.Bounds().Dx() {
			if r, g, b, _ := shown.At(x, y).RGBA(); wanted(r>>8, g>>8, b>>8) {
				pixels++
			}
		}
	}
	return pixels
}

// covered counts the pixels of fields without a profile.
func covered(t *testing.T, p *Page) int {
	t.Helper()
	return coloured(t, p, func(r, g, b uint32) bool { return r == 210 && g == 206 && b == 194 })
}

// A thousand outlines are on the map, and one opens with a click. make frames measures how fast the map moves.
func TestConsoleDrawsAThousandFields(t *testing.T) {
	further(t)
	p, company := thousandFields(t)
	rig.Eventually(t, func() bool { return covered(t, p) > 50_000 }, patience, patience/100)
	carries(t, p)
	opens := func(click func(x, y int)) {
		t.Helper()
		at := 0
		rig.Eventually(t, func() bool {
			at += 5 // the click may have fallen between two fields
			click(300+at, 400+at)
			var opened bool
			p.Run(`/\/field\/\d+$/.test(location.pathname)`, &opened)
			return opened
		}, patience, patience/100, "no field opens")
	}
	opens(func(x, y int) { p.Run(fmt.Sprintf(`clicked([%d, %d])`, x, y), nil) })
	p.Run(`history.back()`, nil)
	p.Until(onMap + ` && document.querySelector(".panel")?.textContent.includes("1,000 fields")`)
	opens(func(x, y int) { p.Drag(x, y, x, y) })
	require.Empty(t, p.Complaints())

	// This company has no subscription: the page shows the command that grants it.
	click(p, "Sampling")
	p.Until(fmt.Sprintf(`document.querySelector("[role=alert] code")?.textContent === "tilth subscription grant --company %d --service stratification"`, company))
	accessible(p, "no subscription")
}

// carries drags the map by 120 px: its picture moves with the hand, up to the edge that came into view, and is what the map draws
// there when the hand pauses.
func carries(t *testing.T, p *Page) {
	t.Helper()
	p.Run(dragging, nil)
	p.Run(`document.querySelector(".maplibregl-ctrl-zoom-in").click()`, nil) // so that fields are all around
	p.Run(`still()`, nil)
	before := p.Picture()
	var was dragged
	p.Run(`dragged(Array.from({ length: 13 }, (_, i) => [300 + 10 * i, 450 + 2 * i]))`, &was)
	require.Positive(t, was.Carried, "the map was drawn for each frame, in software")
	moving := p.Picture()
	around := image.Rect(200, 300, 600, 600) // free of the panel and the controls, there and where it is dragged to
	require.Less(t, differing(t, part(t, before, around), part(t, moving, around.Add(image.Pt(120, 24)))), 0.03, "what the hand holds stays under it")
	p.Run(`still()`, nil)
	require.Less(t, differing(t, part(t, moving, screen), part(t, p.Picture(), screen)), 0.03)
	require.Greater(t, covered(t, p), 50_000)
}

var screen = image.Rect(0, 0, 1280, 900)

// part returns a part of the picture of a page.
func part(t *testing.T, picture []byte, of image.Rectangle) image.Image {
	t.Helper()
	whole, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	require.True(t, of.In(whole.Bounds()))
	return whole.(interface {
		SubImage(of image.Rectangle) image.Image
	}).SubImage(of)
}

// differing returns the share of the pixels in which two pictures of the same size differ.
func differing(t *testing.T, a, b image.Image) float64 {
	t.Helper()
	size := a.Bounds().Size()
	require.Equal(t, size, b.Bounds().Size())
	differ := 0
	for y := range size.Y {
		for x := range size.X {
			if a.At(a.Bounds().Min.X+x, a.Bounds().Min.Y+y) != b.At(b.Bounds().Min.X+x, b.Bounds().Min.Y+y) {
				differ++
			}
		}
	}
	return float64(differ) / float64(size.X*size.Y)
}

// spent returns the processor time, in seconds, that all processes of the browser have used.
func spent(t *testing.T, p *Page) (seconds float64) {
	t.Helper()
	var of struct {
		ProcessInfo []struct {
			CPUTime float64 `json:"cpuTime"`
		}
	}
	require.NoError(t, p.browser.result("", "SystemInfo.getProcessInfo", nil, &of))
	for _, one := range of.ProcessInfo {
		seconds += one.CPUTime
	}
	return seconds
}

// dragging is the script with which the page moves its map as a hand does, one step per frame, and counts the frames
// that showed a different picture from the one before: either the map was drawn in the frame, or its picture was moved.
const dragging = `(() => {
	let drew = false;
	for (const name of ["drawElements", "drawArrays"]) {
		const draw = WebGL2RenderingContext.prototype[name];
		WebGL2RenderingContext.prototype[name] = function (...all) { drew = true; return draw.apply(this, all) };
	}
	const canvas = document.querySelector(".maplibregl-canvas");
	const tell = (kind, [x, y]) => canvas.dispatchEvent(new MouseEvent(kind, { bubbles: true, button: 0, buttons: 1, clientX: x, clientY: y }));
	// still waits until nothing was drawn and nothing moved in thirty frames.
	window.still = async () => {
		for (let quiet = 0; quiet < 30; quiet++) {
			await new Promise((done) => requestAnimationFrame(done));
			if (drew || canvas.style.transform !== "") quiet = 0;
			drew = false;
		}
	};
	// dragged moves the map along a way, with as many frames of rest after it; without them the hand holds it at the end.
	window.dragged = async (way, rest) => {
		const was = { frames: 0, drawn: 0, carried: 0, seconds: 0, longest: 0 }, begun = performance.now();
		let last = canvas.style.transform, before = begun;
		const step = async () => {
			const now = await new Promise((done) => requestAnimationFrame(done)), lies = canvas.style.transform;
			if (drew) was.drawn++;
			if (lies !== "" && lies !== last) was.carried++;
			if (!drew && lies === last) return;
			was.frames++;
			was.longest = Math.max(was.longest, now - before);
			[drew, last, before] = [false, lies, now];
		};
		tell("mousedown", way[0]);
		for (const at of way.slice(1)) {
			tell("mousemove", at);
			await step();
		}
		if (rest !== undefined) tell("mouseup", way.at(-1));
		for (let i = 0; i < rest; i++) await step();
		was.seconds = (performance.now() - begun) / 1000;
		return was;
	};
	// clicked clicks at a place while the map is still carried there, and lets go when it was drawn again.
	window.clicked = async ([x, y]) => {
		tell("mouseup", [x, y]); // of whatever the hand held
		await dragged([[x - 30, y], [x - 20, y], [x - 10, y], [x, y]], 0);
		tell("mousedown", [x, y]);
		await still();
		tell("mouseup", [x, y]);
		tell("click", [x, y]);
	};
})()`

type dragged struct{ Frames, Drawn, Carried, Seconds, Longest float64 }

// TestFramesOfAThousandFields measures how many frames per second the screen shows while the map is dragged, and the processor time
// per frame of the whole browser, including the renderer in software. A frame counts if the visible part of the map changed. The
// map used to be drawn for each frame, until the renderer's pixels were found to be too many. Now it moves a picture between
// drawings, so WebGL draws alone no longer tell what is seen. A hand moves by 12.5 px a frame, 375 px a second at thirty frames.
// The distance per frame is always the same, so a busy machine, which shows few frames, does not have to make longer moves in each.
// The hand moves in a circle of 150 px about a place, and in strokes of up to 510 px with a pause of twenty frames after each. The
// strokes use up what is drawn around the view: their cost includes all the drawings that they need, including those of the pauses.
//
// A busy machine shows fewer frames per second, so make test skips this test. A low rate says little about the cost: a frame
// that costs less than a thirtieth of a second is shown thirty times a second by one core that has nothing else to do.
func TestFramesOfAThousandFields(t *testing.T) {
	if os.Getenv("TILTH_FRAMES") == "" {
		t.Skip("make frames measures it")
	}
	p, _ := thousandFields(t)
	rig.Eventually(t, func() bool { return covered(t, p) > 50_000 }, patience, patience/100)
	p.Run(dragging, nil)
	p.Run(`still()`, nil)
	circle := `Array.from({ length: 121 }, (_, i) => [450 + 150 * Math.cos(i / 12), 450 + 150 * Math.sin(i / 12)])`
	var strokes []string
	for _, to := range [][2]int{{500, 0}, {-300, 400}, {-400, -300}, {200, -100}, {-500, 100}, {500, -100}} {
		strokes = append(strokes, fmt.Sprintf(`((x, y, steps) => Array.from({ length: steps + 1 }, (_, i) => [450 + x * (i / steps - 0.5), 480 + y * (i / steps - 0.5)]))(%d, %d, %.0f)`, to[0], to[1], math.Hypot(float64(to[0]), float64(to[1]))/12.5))
	}
	for _, kind := range []struct {
		name string
		ways []string
	}{{"in a circle", []string{circle}}, {"in strokes", strokes}} {
		var sum dragged
		before := spent(t, p)
		for _, way := range kind.ways {
			var was dragged
			p.Run(`dragged(`+way+`, 20)`, &was)
			sum = dragged{sum.Frames + was.Frames, sum.Drawn + was.Drawn, sum.Carried + was.Carried, sum.Seconds + was.Seconds, max(sum.Longest, was.Longest)}
		}
		rate, cost := sum.Frames/sum.Seconds, (spent(t, p)-before)/sum.Frames
		t.Logf("1,000 fields %s: %.1f frames a second, the longest %.0f ms after the one before; a frame costs %.1f ms of processors; the map was drawn in %.0f of %.0f", kind.name, rate, sum.Longest, 1000*cost, sum.Drawn, sum.Frames)
		p.Run(`still()`, nil)
		require.True(t, rate >= 30 || cost <= 1.0/30, "neither thirty frames a second, nor cheap enough for them on a machine at rest")
	}
}
