package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tilth/ports"
)

// Bounds of what is read from the database for figures.
const (
	backlogFresh  = 5 * time.Second // how long a reading serves
	backlogWait   = time.Second     // how long a scrape waits for a new one
	backlogWithin = 5 * time.Second // how long a reading may take
)

// Watch adds figures of what waits in the database, read when they are asked for. A database that is slow or unavailable
// holds up no scrape for longer than a second: the last reading stays, with its age.
func (t *Telemetry) Watch(registry *prometheus.Registry, read func(ctx context.Context) (ports.Backlog, error), more ...prometheus.Collector) error {
	t.backlog = newBacklog(read)
	for _, one := range append(more, t.backlog) {
		if err := registry.Register(one); err != nil {
			return err
		}
	}
	return nil
}

// Kinds states which kinds of jobs there are: the figures of each begin at 0, since a rate needs a series that existed
// before.
func (t *Telemetry) Kinds(kinds ...string) {
	for _, kind := range kinds {
		for _, outcome := range []string{done, failed} {
			t.figures.jobs.WithLabelValues(kind, outcome)
		}
	}
	t.backlog.mu.Lock()
	defer t.backlog.mu.Unlock()
	t.backlog.kinds = append(t.backlog.kinds, kinds...)
}

// backlog reads and keeps what waits in the database.
type backlog struct {
	read func(ctx context.Context) (ports.Backlog, error)

	mu      sync.Mutex
	last    ports.Backlog
	at      time.Time     // of the last reading; zero: there was none
	reading chan struct{} // closed when the one under way ends; nil: none is
	failed  float64
	kinds   []string // that are shown even when they have no jobs

	jobs, oldest, events, lag, deliveries, age, failures *prometheus.Desc
}

func newBacklog(read func(ctx context.Context) (ports.Backlog, error)) *backlog {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &backlog{
		read:       read,
		jobs:       desc("tilth_jobs", "Jobs in the database by state: waiting (due), scheduled (due later), running, failed (for good); up to 10,000 per state are counted.", "kind", "state"),
		oldest:     desc("tilth_jobs_oldest_age_seconds", "How long the longest-waiting job of a kind has been due.", "kind"),
		events:     desc("tilth_outbox_events", "Events in the outbox that are not yet published; up to 10,000 are counted."),
		lag:        desc("tilth_outbox_lag_seconds", "Age of the oldest event in the outbox that is not yet published."),
		deliveries: desc("tilth_webhook_deliveries_pending", "Deliveries of webhooks that are neither made nor given up; up to 10,000 are counted."),
		age:        desc("tilth_backlog_age_seconds", "Time since the figures of jobs, outbox and deliveries were last read from the database."),
		failures:   desc("tilth_backlog_failures_total", "Failed attempts to read the figures of jobs, outbox and deliveries."),
	}
}

// Describe implements prometheus.Collector.
func (b *backlog) Describe(to chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{b.jobs, b.oldest, b.events, b.lag, b.deliveries, b.age, b.failures} {
		to <- one
	}
}

// Collect implements prometheus.Collector.
func (b *backlog) Collect(to chan<- prometheus.Metric) {
	b.refresh()
	b.mu.Lock()
	defer b.mu.Unlock()
	gauge := func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
	to <- prometheus.MustNewConstMetric(b.failures, prometheus.CounterValue, b.failed)
	if b.at.IsZero() {
		return // unknown is not zero
	}
	for of, jobs := range b.byKind() {
		gauge(b.jobs, float64(jobs.Count), of.kind, string(of.state))
		if of.state == ports.JobWaiting {
			gauge(b.oldest, jobs.Age, of.kind)
		}
	}
	gauge(b.events, float64(b.last.Events))
	gauge(b.lag, b.last.EventAge)
	gauge(b.deliveries, float64(b.last.Deliveries))
	gauge(b.age, time.Since(b.at).Seconds())
}

// standing is a kind of jobs in a state.
type standing struct {
	kind  string
	state ports.JobState
}

func (b *backlog) byKind() map[standing]ports.BacklogJobs {
	out := map[standing]ports.BacklogJobs{}
	for _, kind := range b.kinds {
		for _, state := range append([]ports.JobState{ports.JobScheduled}, ports.JobStates...) {
			out[standing{kind, state}] = ports.BacklogJobs{}
		}
	}
	for _, jobs := range b.last.Jobs {
		out[standing{jobs.Kind, jobs.State}] = jobs
	}
	return out
}

// refresh begins a reading, where the last is old and none is under way, and waits for it a while.
func (b *backlog) refresh() {
	b.mu.Lock()
	if !b.at.IsZero() && time.Since(b.at) < backlogFresh {
		b.mu.Unlock()
		return
	}
	reading := b.reading
	if reading == nil {
		reading = make(chan struct{})
		b.reading = reading
		go b.take(reading)
	}
	b.mu.Unlock()
	select {
	case <-reading:
	case <-time.After(backlogWait):
	}
}

func (b *backlog) take(reading chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), backlogWithin)
	defer cancel()
	got, err := b.read(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.last, b.at = got, time.Now()
	} else {
		b.failed++
	}
	b.reading = nil
	close(reading)
}
