package storms

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/app/events"
	"tilth/tests/rig"
)

// listener is a subscriber that follows the events of its company. It comes back with the
// last id it saw whenever its stream ends, and sometimes leaves by itself.
type listener struct {
	url   func() string
	token string
	leave int // leaves after that many events; 0: never

	mu    sync.Mutex
	heard []events.CloudEvent
	last  string // id to come back with
	calls int    // streams that were opened
}

// listen follows from the first event on, until the test ends.
func listen(t *testing.T, url func() string, token string, leave int) *listener {
	t.Helper()
	l := &listener{url: url, token: token, leave: leave, last: "0"}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			if err := l.follow(ctx); err != nil {
				t.Errorf("the stream: %v", err)
				return
			}
		}
	})
	t.Cleanup(func() { cancel(); done.Wait() })
	return l
}

// follow reads one stream to its end. It returns an error only for what no kill explains.
func (l *listener) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url()+"/api/v1.2/events/", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+l.token)
	req.Header.Set("Last-Event-ID", l.last)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil // killed
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return &refusal{res.StatusCode}
	}
	l.mu.Lock()
	l.calls++
	l.mu.Unlock()
	lines, n := bufio.NewReader(res.Body), 0
	id, data := "", ""
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case name == "id":
			id = value
		case name == "data":
			data = value
		case line == "\n":
			if err := l.take(id, data); err != nil {
				return err
			}
			if data != "" {
				n++
			}
			if id, data = "", ""; l.leave > 0 && n >= l.leave {
				return nil
			}
		}
	}
}

// take records a whole block, as browsers do: a block that is cut off does not count.
func (l *listener) take(id, data string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id != "" {
		l.last = id
	}
	if data == "" {
		return nil
	}
	var e events.CloudEvent
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return err
	}
	l.heard = append(l.heard, e)
	return nil
}

type refusal struct{ status int }

func (r *refusal) Error() string { return http.StatusText(r.status) }

// until waits until n events have been heard, and returns them and the number of streams it took.
func (l *listener) until(t *testing.T, n int) ([]events.CloudEvent, int) {
	t.Helper()
	snapshot := func() ([]events.CloudEvent, int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return slices.Clone(l.heard), l.calls
	}
	rig.Eventually(t, func() bool { heard, _ := snapshot(); return len(heard) >= n }, 10*time.Minute, 20*time.Millisecond,
		"%d events are expected", n)
	return snapshot()
}
