package events

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/ports"
)

// Limits on streams, in one process.
const (
	MaxStreams    = 2000
	MaxPerCompany = 50
)

// readEvents is the number of events that a stream reads at a time.
const readEvents = 100

// retryAfter is the number of seconds that a caller waits when there are too many streams.
const retryAfter = 30

// Feed lets callers follow the feed of their company. Streams read from the database by position.
// They wake when the bus of this process delivers an event of their company and, for events that
// other processes relay, when [Feed.Look] finds a new position.
type Feed struct {
	app.Deps

	mu      sync.Mutex
	streams int
	watched map[int64]*watched
}

// watched is a company whose feed is followed in this process.
type watched struct {
	streams int
	last    int64         // position at the last wake-up
	changed chan struct{} // closed at the next wake-up
}

// NewFeed returns the use case.
func NewFeed(deps app.Deps) *Feed {
	return &Feed{Deps: deps, watched: map[int64]*watched{}}
}

// Hear is the consumer that wakes the streams of this process. It changes no record.
func (f *Feed) Hear(_ context.Context, batch []CloudEvent) error {
	lasts := map[int64]int64{}
	for _, e := range batch {
		if position, ok := event.ParsePosition(e.Sequence); ok {
			lasts[e.CompanyID] = max(lasts[e.CompanyID], position)
		}
	}
	f.wake(lasts)
	return nil
}

// Look reads the ends of the feeds that are followed here, and wakes the streams of those whose end has changed. It
// returns the number of these feeds.
func (f *Feed) Look(ctx context.Context) (woken int, err error) {
	f.mu.Lock()
	companies := slices.Sorted(maps.Keys(f.watched))
	f.mu.Unlock()
	if len(companies) == 0 {
		return 0, nil
	}
	lasts, err := app.In(ctx, f.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (map[int64]int64, error) {
		return tx.Events.Lasts(ctx, companies)
	})
	if err == nil {
		woken = f.wake(lasts)
	}
	return woken, err
}

// wake wakes the streams of the feeds whose end has changed.
func (f *Feed) wake(lasts map[int64]int64) (woken int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for company, last := range lasts {
		// Any other position counts, not only a later one: a restore may set a database back.
		if w := f.watched[company]; w != nil && w.last != last {
			w.last = last
			close(w.changed)
			w.changed = make(chan struct{})
			woken++
		}
	}
	return woken
}

// Stream is one caller that follows a feed. It is not safe for concurrent use.
type Stream struct {
	feed   *Feed
	scope  access.Scope
	types  []string
	cursor int64
	closed bool
}

// Follow opens a stream of the events of the caller's company: those after a position, or from now on if that
// is nil; of the given types, or of all. The caller must close it. Faults: Invalid (a position that was never
// assigned), Limit (too_many_streams).
func (f *Feed) Follow(ctx context.Context, who access.Principal, after *int64, types []string) (*Stream, error) {
	s := &Stream{feed: f, scope: who.Scope(false), types: types}
	bounds, err := app.Read(ctx, f.Deps, who, access.Events.View, func(ctx context.Context, tx ports.Repos) (event.Bounds, error) {
		return tx.Events.Bounds(ctx, s.scope)
	})
	if err != nil {
		return nil, err
	}
	switch {
	case after == nil:
		s.cursor = bounds.Last
	case *after < 0 || *after > bounds.Last:
		return nil, fault.Field("last_event_id", "There was no event with this id; leave it out to begin with events from now on.")
	default:
		s.cursor = *after
	}
	return s, f.enter(who.CompanyID)
}

func (f *Feed) enter(company int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.watched[company]
	if f.streams >= MaxStreams || w != nil && w.streams >= MaxPerCompany {
		return fault.Newf(fault.Limit, "too_many_streams", "At most %d streams of a company may be open here; close one.", MaxPerCompany).With("retry_after", retryAfter)
	}
	if w == nil {
		w = &watched{last: -1, changed: make(chan struct{})}
		f.watched[company] = w
	}
	w.streams++
	f.streams++
	return nil
}

// Close ends the stream.
func (s *Stream) Close() {
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	f.streams--
	w := f.watched[s.scope.Company()]
	if w.streams--; w.streams == 0 {
		delete(f.watched, s.scope.Company())
	}
}

// Position returns the stream's position: all events up to it were returned or filtered out.
func (s *Stream) Position() int64 { return s.cursor }

// Batch is what a stream returns at a time: some events, or none.
type Batch struct {
	// Reset reports that events were pruned before this stream read them: what follows begins with
	// the oldest event that is kept.
	Reset  bool
	Floor  int64 // for a reset: the last position that was pruned
	Events []event.Logged
}

// Each yields the events one by one, in order, as they are published.
func (b Batch) Each() iter.Seq2[int64, CloudEvent] {
	return func(yield func(int64, CloudEvent) bool) {
		for _, e := range b.Events {
			if !yield(e.Position, CloudEventOf(e)) {
				return
			}
		}
	}
}

// Next returns the next batch. It waits up to a given time, and then returns an empty batch.
// Faults: those of the store, and the context's own error.
func (s *Stream) Next(ctx context.Context, wait time.Duration) (Batch, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		changed := s.changed() // taken before the read, so that nothing in between is missed
		batch, err := s.read(ctx)
		if err != nil || batch.Reset || len(batch.Events) > 0 {
			return batch, err
		}
		select {
		case <-changed:
		case <-timer.C:
			return Batch{}, nil
		case <-ctx.Done():
			return Batch{}, ctx.Err()
		}
	}
}

func (s *Stream) changed() <-chan struct{} {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	return s.feed.watched[s.scope.Company()].changed
}

// read returns the events that are available, and moves on. If they are fewer than a full batch,
// the stream stands at the end of the feed, past events of other types.
func (s *Stream) read(ctx context.Context) (Batch, error) {
	cursor := s.cursor
	batch, err := app.In(ctx, s.feed.Store.Read, func(ctx context.Context, tx ports.Repos) (batch Batch, err error) {
		bounds, err := tx.Events.Bounds(ctx, s.scope)
		if err != nil {
			return batch, err
		}
		if !bounds.Holds(cursor) {
			batch.Reset, batch.Floor, cursor = true, bounds.Pruned, bounds.Pruned
		}
		if cursor == bounds.Last {
			return batch, nil
		}
		batch.Events, err = tx.Events.After(ctx, s.scope, cursor, s.types, readEvents)
		cursor = bounds.Last
		if n := len(batch.Events); n == readEvents {
			cursor = batch.Events[n-1].Position
		}
		return batch, err
	})
	if err != nil {
		return Batch{}, err
	}
	s.cursor = cursor
	return batch, nil
}

// CloudEvent is an event outside the database, on every path: CloudEvents 1.0 in its JSON format
// (github.com/cloudevents/spec, cloudevents/formats/json-format.md). companyid is an extension of ours; sequence is
// the documented extension of that name (cloudevents/extensions/sequence.md), text that sorts as the events do.
type CloudEvent struct {
	SpecVersion     string          `json:"specversion"`
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	Subject         string          `json:"subject"`
	Time            time.Time       `json:"time"`
	DataContentType string          `json:"datacontenttype"`
	CompanyID       int64           `json:"companyid"`
	Sequence        string          `json:"sequence,omitempty"` // position in the feed of the company; empty if it is in none
	Data            json.RawMessage `json:"data"`
}

// Media is the content type of one CloudEvent.
const Media = "application/cloudevents+json"

// CloudEventOf returns the CloudEvent of an event.
func CloudEventOf(e event.Logged) CloudEvent {
	return CloudEvent{
		SpecVersion: "1.0", ID: e.ID, Source: "/tilth", Type: e.Type, Subject: e.Subject, Time: e.At,
		DataContentType: "application/json", CompanyID: e.CompanyID, Data: e.Data,
	}.at(e.Position)
}

// at returns the event with its position in the feed; at 0 it is in none.
func (e CloudEvent) at(position int64) CloudEvent {
	e.Sequence = ""
	if position > 0 {
		e.Sequence = event.FormatPosition(position)
	}
	return e
}
