package contract

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/persistence"
	"tilth/app/events"
	"tilth/core/event"
	"tilth/ports"
	"tilth/tests/rig"
)

// publisher writes events into a database, as a use case of the program does: in a
// transaction, through the outbox.
type publisher struct {
	t  *testing.T
	db *persistence.Database
	n  atomic.Int64
}

func newPublisher(t *testing.T, database string) *publisher {
	t.Helper()
	db, err := persistence.Open(t.Context(), database, persistence.Options{Clock: identity.Clock{}, IDs: identity.Random{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return &publisher{t: t, db: db}
}

// publish commits n events of a company, one transaction each, and returns their ids.
func (p *publisher) publish(company int64, n int) []string {
	p.t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = identity.Random{}.UUID()
		e := event.Event{
			ID: ids[i], Type: event.TypeProfileCompleted, CompanyID: company, Subject: fmt.Sprintf("profile/%d", p.n.Add(1)),
			At: identity.Clock{}.Now(), Data: event.ProfileCompleted{IndexCode: "NDVI", Status: "active"},
		}
		require.NoError(p.t, p.db.Write(context.Background(), func(ctx context.Context, tx ports.Repos) error { return tx.Outbox.Add(ctx, e) }))
	}
	return ids
}

// reader is a subscriber that reads a stream as a browser does.
type reader struct {
	t      *testing.T
	res    *http.Response
	cancel context.CancelFunc
	lines  *bufio.Reader
	lastID string // sent when it reconnects
}

// message is an event as it is read; comments and blocks without data do not count.
type message struct {
	id, event string
	data      string
}

// listen opens a stream, after an id where one is given.
func listen(t *testing.T, url, token, lastID, query string) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1.2/events/"+query, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept-Encoding", "gzip")
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	r := &reader{t: t, res: res, cancel: cancel, lines: bufio.NewReader(res.Body), lastID: lastID}
	t.Cleanup(r.leave)
	return r
}

func (r *reader) leave() {
	r.cancel()
	_ = r.res.Body.Close()
}

// block reads up to the next empty line; ok is false at the end of the stream.
func (r *reader) block() (m message, ok bool) {
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			return m, false
		}
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "":
			if line == "" {
				return m, true
			}
		case "id":
			m.id, r.lastID = value, value
		case "event":
			m.event = value
		case "data":
			m.data = value
		}
	}
}

// ready waits until the stream has sent its position.
func (r *reader) ready() *reader {
	r.t.Helper()
	require.Equal(r.t, 200, r.res.StatusCode)
	for {
		m, ok := r.block()
		require.True(r.t, ok, "the stream ended at once")
		if m.id != "" {
			return r
		}
	}
}

// next returns the next event; ok is false at the end of the stream.
func (r *reader) next() (m message, ok bool) {
	for {
		if m, ok = r.block(); !ok || m.data != "" {
			return m, ok
		}
	}
}

// take reads n events and returns their ids.
func (r *reader) take(n int) []string {
	r.t.Helper()
	var out []string
	for range n {
		m, ok := r.next()
		require.True(r.t, ok, "the stream ended after %d of %d events", len(out), n)
		require.Equal(r.t, event.TypeProfileCompleted, m.event)
		var e events.CloudEvent
		require.NoError(r.t, json.Unmarshal([]byte(m.data), &e))
		require.Equal(r.t, "1.0", e.SpecVersion)
		require.Equal(r.t, m.id, e.Sequence)
		out = append(out, e.ID)
	}
	return out
}

func TestEventStream(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(cfg *cli.Config) { cfg.ShutdownTimeout = time.Hour }})
		p, c, other := newPublisher(t, database), s.Company("owner", 0), s.Company("viewer", 0)
		p.publish(c.CompanyID, 3)
		all := func() []string {
			t.Helper()
			return listen(t, s.URL, c.Token, "0", "").take(3)
		}()

		first := listen(t, s.URL, c.Token, "", "").ready()
		require.Equal(t, "text/event-stream", first.res.Header.Get("Content-Type"))
		require.Equal(t, "no", first.res.Header.Get("X-Accel-Buffering"))
		require.Empty(t, first.res.Header.Get("Content-Encoding"))
		strangers := listen(t, s.URL, other.Token, "", "").ready()

		// Readers come and go, each with the id it saw last, while events are written: each
		// event reaches each reader once, in order.
		const n = 60
		written := make(chan []string, 1)
		go func() {
			var ids []string
			for range n / 3 {
				ids = append(ids, p.publish(c.CompanyID, 3)...)
				p.publish(other.CompanyID, 1)
			}
			written <- ids
		}()
		var got []string
		r := first
		for _, part := range []int{1, 7, 2, 25, 5, 20} {
			got = append(got, r.take(part)...)
			r.leave()
			r = listen(t, s.URL, c.Token, r.lastID, "")
		}
		want := <-written
		require.Equal(t, want, got)
		require.Equal(t, append(all, want...), listen(t, s.URL, c.Token, "", "?last_event_id=0&type="+event.TypeProfileCompleted).take(3+n))
		require.Equal(t, want[n-2:], listen(t, s.URL, c.Token, event.FormatPosition(n+1), "?last_event_id=1").take(2), "the header comes first")

		theirs := strangers.take(n / 3)
		for _, id := range theirs {
			require.NotContains(t, want, id, "an event of another company")
		}

		for query, field := range map[string]string{
			"?last_event_id=yesterday": "last_event_id", "?last_event_id=-1": "last_event_id", "?last_event_id=999999": "last_event_id", "?type=nothing": "type",
		} {
			a := c.Expect(400, "GET", "events/"+query, nil).Map(t)
			require.Contains(t, a["details"], field, query)
		}
		require.Equal(t, 200, c.Do(http.MethodHead, "events/", nil).Status)

		// The stream reports that events were forgotten, and then sends the oldest that is left.
		require.NoError(t, p.db.Operate(t.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
			_, err := tx.Events.Prune(ctx, time.Now().Add(time.Hour), 10)
			return err
		}))
		back := listen(t, s.URL, c.Token, event.FormatPosition(1), "")
		m, ok := back.next()
		require.True(t, ok)
		require.Equal(t, "reset", m.event)
		resumed := listen(t, s.URL, c.Token, m.id, "")
		require.Equal(t, back.take(5), resumed.take(5), "the id of a reset is one to come back with")

		// A stop ends the streams, and does not wait for them.
		open := listen(t, s.URL, c.Token, "", "").ready()
		s.Stop() // if it waited out the grace period of requests, this test would not end
		_, ok = open.next()
		require.False(t, ok)
	})
}

// kill -9 while events are written: what was committed is delivered, each event once
// to a reader that reconnects.
func TestEventsSurviveAKill(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		archive := rig.Archive(t).Dir
		first := rig.StartProcess(t, database, archive)
		token, p := tokenOf(t, database), newPublisher(t, database)
		const company = 1
		r := listen(t, first.URL, token, "", "").ready()
		written := make(chan []string, 1)
		go func() { written <- p.publish(company, 40) }()
		got := r.take(3)
		first.Kill()
		for { // events already sent
			m, ok := r.next()
			if !ok {
				break
			}
			var e events.CloudEvent
			require.NoError(t, json.Unmarshal([]byte(m.data), &e))
			got = append(got, e.ID)
		}
		want := append(<-written, p.publish(company, 5)...)
		second := rig.StartProcess(t, database, archive)
		got = append(got, listen(t, second.URL, token, r.lastID, "").take(len(want)-len(got))...)
		require.Equal(t, want, got)
	})
}

// A company has a bounded number of streams; a stream that ends makes room for another.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("viewer", 0)
	last := listen(t, s.URL, c.Token, "", "").ready()
	for range events.MaxPerCompany - 1 {
		listen(t, s.URL, c.Token, "", "").ready()
	}
	refused := listen(t, s.URL, c.Token, "", "")
	require.Equal(t, 429, refused.res.StatusCode)
	require.NotEmpty(t, refused.res.Header.Get("Retry-After"))
	require.Equal(t, 200, listen(t, s.URL, s.Company("viewer", 0).Token, "", "").ready().res.StatusCode, "of each company")
	last.leave()
	rig.Eventually(t, func() bool {
		again := listen(t, s.URL, c.Token, "", "")
		defer again.leave()
		return again.res.StatusCode == 200
	}, 10*time.Minute, 20*time.Millisecond)
}
