package browser

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// Page is one page, which shares only the browser with others: neither cookies nor what it stores.
type Page struct {
	t       testing.TB
	browser *chromium
	session string
	profile string // of the browser, which no other page uses

	mu         sync.Mutex
	complaints []string
}

// further skips a test where TILTH_TEST_PAGES=some, which make test sets: it opens only the pages that the others build
// on, in a third of the time. CI and make browser open all.
func further(t testing.TB) {
	t.Helper()
	if os.Getenv("TILTH_TEST_PAGES") == "some" {
		t.Skip("LEFT OUT: pages that make browser opens, as CI does")
	}
}

// Open opens an empty page, which is closed when the test ends, and records its errors.
func Open(t testing.TB) *Page {
	t.Helper()
	p := &Page{t: t, browser: running(t)}
	var profile struct{ BrowserContextID string }
	p.command("Target.createBrowserContext", nil, &profile)
	p.profile = profile.BrowserContextID
	var target struct{ TargetID string }
	p.command("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": p.profile, "newWindow": true}, &target)
	var attached struct{ SessionID string }
	p.command("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	p.browser.mu.Lock()
	p.browser.pages[p.session] = p
	p.browser.mu.Unlock()
	t.Cleanup(func() {
		p.browser.mu.Lock()
		delete(p.browser.pages, p.session)
		p.browser.mu.Unlock()
		_, _ = p.browser.ask("", "Target.disposeBrowserContext", map[string]any{"browserContextId": p.profile})
	})
	for _, domain := range []string{"Page", "Runtime", "Log", "Performance"} {
		p.command(domain+".enable", nil, nil)
	}
	p.command("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil) // pages of other tests are open at the same time
	return p
}

// complains reports whether a message is an error of the page: an exception, or a line of its console or of the
// browser's log, which also has what the content policy forbids.
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

// command sends a command of the protocol, and reads its result if one is wanted.
func (p *Page) command(method string, params, result any) {
	p.t.Helper()
	require.NoError(p.t, p.browser.result(p.session, method, params, result))
}

// Screen sets the width and height of the page, on a phone or on a desktop, in light or dark colours.
func (p *Page) Screen(width, height int, phone, dark bool) {
	p.t.Helper()
	p.command("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}, nil)
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	p.command("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Stand sets the location of the device.
func (p *Page) Stand(lon, lat, accuracy float64) {
	p.t.Helper()
	_, err := p.browser.ask("", "Browser.grantPermissions", map[string]any{"permissions": []string{"geolocation"}, "browserContextId": p.profile})
	require.NoError(p.t, err)
	p.command("Emulation.setGeolocationOverride", map[string]any{"longitude": lon, "latitude": lat, "accuracy": accuracy}, nil)
}

// Drag drags from one place of the screen to another.
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

// Run runs an expression in the page, awaits it if it is a promise, and reads its value if one is wanted.
func (p *Page) Run(expression string, value any) {
	p.t.Helper()
	require.NoError(p.t, p.evaluate(expression, value), expression)
}

func (p *Page) evaluate(expression string, value any) error {
	var ran struct {
		Result    struct{ Value json.RawMessage }
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	params := map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}
	if err := p.browser.result(p.session, "Runtime.evaluate", params, &ran); err != nil {
		return err
	}
	if ran.Exception != nil {
		return errors.New(string(ran.Exception))
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(ran.Result.Value, value)
}

// Until waits until an expression is true in the page, even if the page navigates to another meanwhile.
func (p *Page) Until(expression string) {
	p.t.Helper()
	rig.Eventually(p.t, func() bool {
		var is bool
		err := p.evaluate("document.body !== null && Boolean("+expression+")", &is) // a page that is still loading has no body
		if err != nil && strings.Contains(err.Error(), "Inspected target navigated or closed") {
			return false
		}
		require.NoError(p.t, err, expression)
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
