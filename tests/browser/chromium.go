// Package browser opens pages of the program in Chromium, over the browser's own protocol on a pipe: nothing but the
// browser is needed. It is for tests only.
package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds the wait for an answer of the browser; only a hang reaches it.
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

// chromium is a running browser. All tests share one, because a start takes longer than most pages.
type chromium struct {
	cmd    *exec.Cmd
	folder string
	to     io.WriteCloser
	ended  chan struct{}

	mu      sync.Mutex
	last    int
	awaited map[int]chan message
	pages   map[string]*Page // by session
}

// shared is the browser of this process, once a page was opened.
var shared struct {
	sync.Mutex
	browser *chromium
}

// Tests are the tests of a package that opens pages; the browser ends after them.
type Tests struct{ M *testing.M }

// Run runs them.
func (t Tests) Run() int {
	defer func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.browser != nil {
			shared.browser.close()
		}
	}()
	return t.M.Run()
}

// running returns the browser of this process.
func running(t testing.TB) *chromium {
	t.Helper()
	name := program(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.browser == nil {
		b, err := start(name)
		require.NoError(t, err)
		shared.browser = b
	}
	return shared.browser
}

func start(name string) (*chromium, error) {
	folder, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	b := &chromium{folder: folder, ended: make(chan struct{}), awaited: map[int]chan message{}, pages: map[string]*Page{}}
	b.cmd = exec.Command(name, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", // maps are drawn without a graphics card
		"--disable-gpu-rasterization", // as Debian requires: without a card it takes a seventh longer
		"--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--disable-ipc-flooding-protection",                                                                                     // it ignores changes of the address after 200 of them
		"--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", // tests run side by side
		"--remote-debugging-pipe", "--user-data-dir="+folder, "about:blank")
	theirs, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, answers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b.to = to
	b.cmd.ExtraFiles = []*os.File{theirs, answers} // 3 and 4
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	_, _ = theirs.Close(), answers.Close()
	go func() {
		defer close(b.ended)
		b.read(from)
		_ = from.Close()
	}()
	return b, b.awake()
}

// awake waits for the page that the browser begins with. A browser that is asked for another while it starts may never answer.
func (b *chromium) awake() error {
	for range 600 {
		var of struct {
			TargetInfos []struct{ Type string }
		}
		if err := b.result("", "Target.getTargets", nil, &of); err != nil {
			return err
		}
		for _, target := range of.TargetInfos {
			if target.Type == "page" {
				return nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the browser has no page after 30 s")
}

func (b *chromium) close() {
	_, _ = b.ask("", "Browser.close", nil)
	_ = b.cmd.Wait() // the exit status of the browser does not matter
	<-b.ended
	_ = b.to.Close()
	_ = os.RemoveAll(b.folder)
}

// read passes answers to their callers, and keeps the errors of pages, until the browser ends.
func (b *chromium) read(from io.Reader) {
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
		b.mu.Lock()
		waiting, page := b.awaited[m.ID], b.pages[m.Session]
		delete(b.awaited, m.ID)
		b.mu.Unlock()
		if m.ID != 0 && waiting != nil {
			waiting <- m
		} else if page != nil && complains(m) {
			page.mu.Lock()
			page.complaints = append(page.complaints, string(m.Params))
			page.mu.Unlock()
		}
	}
}

// ask sends a command to the browser, or to the session of a page, and returns the answer.
func (b *chromium) ask(session, method string, params any) (message, error) {
	if params == nil {
		params = map[string]any{}
	}
	inner, err := json.Marshal(params)
	if err != nil {
		return message{}, err
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	b.last++
	text, err := json.Marshal(message{ID: b.last, Session: session, Method: method, Params: inner})
	b.awaited[b.last] = answer
	if err == nil {
		_, err = b.to.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return message{}, err
	}
	select {
	case m := <-answer:
		if m.Complaint != nil {
			return m, fmt.Errorf("%s: %s", method, m.Complaint.Message)
		}
		return m, nil
	case <-b.ended:
		return message{}, fmt.Errorf("%s: the browser has ended", method)
	case <-time.After(patience):
		return message{}, fmt.Errorf("%s: no answer of the browser", method)
	}
}

// result asks, and reads the result if one is wanted.
func (b *chromium) result(session, method string, params, result any) error {
	m, err := b.ask(session, method, params)
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(m.Result, result)
}

// missing is what a test says that is left out.
const missing = "LEFT OUT: pages in a browser, for there is no Chromium. Fix: apt-get install --no-install-recommends chromium (Debian)."

// program returns the browser. Without one the test is skipped, or fails where the browser is required.
func program(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	if os.Getenv("TILTH_REQUIRE_CHROMIUM") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}
