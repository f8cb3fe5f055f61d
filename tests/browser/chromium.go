// Package browser opens pages of the program in Chromium, over the browser's own protocol on a pipe: nothing but the
// browser is needed. It is for tests only.
package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// patience is how long an answer of the browser is awaited; only a hang reaches it.
const patience = time.Minute

// message is what the browser and we write to each other, each ended by a zero byte.
type message struct {
	ID        int             `json:"id,omitempty"`
	Session   string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Complaint *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Page is one page of a browser of its own.
type Page struct {
	t       testing.TB
	session string
	to      io.Writer

	mu         sync.Mutex
	last       int
	awaited    map[int]chan message
	complaints []string
}

// further leaves a test out where TILTH_TEST_PAGES=some, as make test has it: it opens the pages that the others build on, in half of the
// time. CI and make browser open all.
func further(t testing.TB) {
	t.Helper()
	if os.Getenv("TILTH_TEST_PAGES") == "some" {
		t.Skip("LEFT OUT: pages that make browser opens, as CI does")
	}
}

// program returns the browser; where there is none, the test is left out, or fails where it is required.
func program(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	const missing = "LEFT OUT: pages in a browser, for there is no Chromium. Fix: apt-get install --no-install-recommends chromium (Debian)."
	if os.Getenv("TILTH_REQUIRE_CHROMIUM") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// Open starts a browser with an empty page, which ends with the test.
func Open(t testing.TB) *Page {
	t.Helper()
	// The browser outlives the context of the test, which ends before its cleanup.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program(t), "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", // maps are drawn without a graphics card
		"--disable-gpu-rasterization", // Debian asks for it: without a card it takes a seventh more
		"--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--disable-ipc-flooding-protection", // which ignores a change of the address after 200 of them
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")
	theirs, to, err := os.Pipe()
	require.NoError(t, err)
	from, answers, err := os.Pipe()
	require.NoError(t, err)
	cmd.ExtraFiles = []*os.File{theirs, answers} // 3 and 4
	require.NoError(t, cmd.Start())
	require.NoError(t, theirs.Close())
	require.NoError(t, answers.Close())
	p := &Page{t: t, to: to, awaited: map[int]chan message{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(from)
	}()
	t.Cleanup(func() {
		_, _ = p.ask("", "Browser.close", nil)
		_ = cmd.Wait() // the browser ends as it likes
		<-read
		_, _ = to.Close(), from.Close()
	})
	p.attach()
	return p
}

// attach takes the empty page, and hears of what goes wrong in it.
func (p *Page) attach() {
	p.t.Helper()
	var attached struct{ SessionID string }
	p.command("Target.attachToTarget", map[string]any{"targetId": p.first(), "flatten": true}, &attached)
	p.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Performance"} {
		p.command(domain+".enable", nil, nil)
	}
}

// first returns the page that the browser begins with. A browser that is asked for another while it starts may never answer.
func (p *Page) first() string {
	p.t.Helper()
	for range 600 {
		var of struct {
			TargetInfos []struct{ TargetID, Type string }
		}
		p.command("Target.getTargets", nil, &of)
		for _, target := range of.TargetInfos {
			if target.Type == "page" {
				return target.TargetID
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.Fail(p.t, "the browser has no page after 30 s")
	return ""
}

// read hands answers to those who wait, and keeps what the page complains of, until the browser ends.
func (p *Page) read(from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		text, err := lines.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		p.mu.Lock()
		if waiting := p.awaited[m.ID]; m.ID != 0 && waiting != nil {
			delete(p.awaited, m.ID)
			waiting <- m
		} else if complains(m) {
			p.complaints = append(p.complaints, string(m.Params))
		}
		p.mu.Unlock()
	}
}

// complains reports whether a message is an error of the page: an exception, a line of its console or of the browser's log,
// where what its content policy forbids also stands.
func complains(m message) bool {
	var of struct {
		Type  string
		Entry struct{ Level string }
	}
	switch m.Method {
	case "Runtime.exceptionThrown":
		return true
	case "Runtime.consoleAPICalled", "Log.entryAdded":
		return json.Unmarshal(m.Params, &of) == nil && (of.Type == "error" || of.Entry.Level == "error")
	}
	return false
}

func (p *Page) ask(session, method string, params any) (message, error) {
	if params == nil {
		params = map[string]any{}
	}
	inner, err := json.Marshal(params)
	if err != nil {
		return message{}, err
	}
	answer := make(chan message, 1)
	p.mu.Lock()
	p.last++
	text, err := json.Marshal(message{ID: p.last, Session: session, Method: method, Params: inner})
	p.awaited[p.last] = answer
	if err == nil {
		_, err = p.to.Write(append(text, 0))
	}
	p.mu.Unlock()
	if err != nil {
		return message{}, err
	}
	select {
	case m := <-answer:
		if m.Complaint != nil {
			return m, fmt.Errorf("%s: %s", method, m.Complaint.Message)
		}
		return m, nil
	case <-time.After(patience):
		return message{}, fmt.Errorf("%s: no answer of the browser", method)
	}
}

// command sends a command of the protocol, and reads its result where one is asked for.
func (p *Page) command(method string, params, result any) {
	p.t.Helper()
	m, err := p.ask(p.session, method, params)
	require.NoError(p.t, err)
	if result != nil {
		require.NoError(p.t, json.Unmarshal(m.Result, result))
	}
}

// Screen makes the page so wide and so high, on a phone or on a desk, in light or dark colours.
func (p *Page) Screen(width, height int, phone, dark bool) {
	p.t.Helper()
	p.command("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}, nil)
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	p.command("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Stand lets the page know where the device is.
func (p *Page) Stand(lon, lat, accuracy float64) {
	p.t.Helper()
	_, err := p.ask("", "Browser.grantPermissions", map[string]any{"permissions": []string{"geolocation"}})
	require.NoError(p.t, err)
	p.command("Emulation.setGeolocationOverride", map[string]any{"longitude": lon, "latitude": lat, "accuracy": accuracy}, nil)
}

// Drag takes what is at a place of the screen to another.
func (p *Page) Drag(x, y, toX, toY int) {
	p.t.Helper()
	for _, step := range []struct {
		kind string
		x, y int
		held int
	}{{"mouseMoved", x, y, 0}, {"mousePressed", x, y, 1}, {"mouseMoved", (x + toX) / 2, (y + toY) / 2, 1}, {"mouseMoved", toX, toY, 1}, {"mouseReleased", toX, toY, 0}} {
		p.command("Input.dispatchMouseEvent", map[string]any{"type": step.kind, "x": step.x, "y": step.y, "button": "left", "buttons": step.held, "clickCount": 1}, nil)
	}
}

// Goto leads the page to an address.
func (p *Page) Goto(address string) {
	p.t.Helper()
	var gone struct{ ErrorText string }
	p.command("Page.navigate", map[string]any{"url": address}, &gone)
	require.Empty(p.t, gone.ErrorText)
}

// Run runs an expression in the page, awaits it where it is a promise, and reads its value where one is asked for.
func (p *Page) Run(expression string, value any) {
	p.t.Helper()
	var ran struct {
		Result    struct{ Value json.RawMessage }
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	p.command("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &ran)
	require.Empty(p.t, string(ran.Exception), expression)
	if value != nil {
		require.NoError(p.t, json.Unmarshal(ran.Result.Value, value), expression)
	}
}

// Until waits until an expression is true in the page.
func (p *Page) Until(expression string) {
	p.t.Helper()
	rig.Eventually(p.t, func() bool {
		var is bool
		p.Run("document.body !== null && Boolean("+expression+")", &is) // a page on its way has none yet
		return is
	}, patience, 5*time.Millisecond, expression)
}

// Press presses a key in the page, by its name.
func (p *Page) Press(key string) {
	p.t.Helper()
	down := map[string]any{"type": "keyDown", "key": key}
	switch {
	case len(key) == 1:
		down["text"] = key
	case key == "Enter":
		down["text"], down["windowsVirtualKeyCode"] = "\r", 13
	}
	p.command("Input.dispatchKeyEvent", down, nil)
	p.command("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// Write types text where the page has its focus.
func (p *Page) Write(text string) {
	p.t.Helper()
	p.command("Input.insertText", map[string]any{"text": text}, nil)
}

// Picture returns what the page shows, as PNG.
func (p *Page) Picture() []byte {
	p.t.Helper()
	var taken struct{ Data []byte }
	p.command("Page.captureScreenshot", map[string]any{"format": "png"}, &taken)
	return taken.Data
}

// Complaints returns the errors of the page so far.
func (p *Page) Complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.complaints...)
}
