package telemetry

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tilth/ports"
)

// figures counts and times activities. Labels are words of the program, so that their number is bounded.
type figures struct {
	spans *spans // nil: none are made

	jobs         *prometheus.CounterVec
	jobSeconds   *prometheus.HistogramVec
	reads        *prometheus.CounterVec
	readSeconds  *prometheus.HistogramVec
	requests     *prometheus.CounterVec
	bytes        prometheus.Counter
	tries        *prometheus.CounterVec
	trySeconds   prometheus.Histogram
	orders       *prometheus.CounterVec
	transactions *prometheus.CounterVec
	credits      *prometheus.CounterVec
	build        prometheus.Gauge
}

// Outcomes of what is counted.
const (
	done    = "done"
	failed  = "failed"
	lost    = "lost"
	stopped = "cancelled"
)

func newFigures(version string) *figures {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	timing := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	f := &figures{
		jobs:       counter("tilth_job_runs_total", "Jobs that this process ran.", "kind", "outcome"),
		jobSeconds: timing("tilth_job_run_duration_seconds", "How long a job ran.", []float64{.01, .05, .25, 1, 5, 15, 60, 300, 1800}, "kind"),

		reads: counter("tilth_imagery_reads_total", "Searches of the imagery source, and reads of georeferences, bands and elevation models.", "operation", "outcome"),
		readSeconds: timing("tilth_imagery_read_duration_seconds", "Duration of such a search or read, with the requests it takes.",
			[]float64{.001, .005, .025, .1, .25, 1, 2.5, 10, 30, 120}, "operation"),
		requests: counter("tilth_imagery_requests_total", "Requests to hosts of imagery, and reads of its files on this machine.", "outcome"),
		bytes:    prometheus.NewCounter(prometheus.CounterOpts{Name: "tilth_imagery_bytes_total", Help: "Bytes that came from hosts and files of imagery."}),

		tries: counter("tilth_webhook_tries_total", "Posts to webhooks and to systems of PACT clients.", "outcome"),
		trySeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "tilth_webhook_try_duration_seconds", Help: "Duration of such a post.", Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}),

		orders:       counter("tilth_orders_total", "Orders that entered a status.", "product", "status"),
		transactions: counter("tilth_ledger_transactions_total", "Transactions of wallets.", "kind", "product"),
		credits:      counter("tilth_ledger_credits_total", "Credits that these transactions moved.", "kind", "product"),

		build: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tilth_build_info", Help: "1, with the version of the program.", ConstLabels: prometheus.Labels{"version": version},
		}),
	}
	f.build.Set(1)
	// A rate needs a series that existed before: those that are known begin at 0.
	for _, outcome := range []string{done, failed} {
		f.requests.WithLabelValues(outcome)
	}
	for _, outcome := range []string{"delivered", "refused", "unreachable"} {
		f.tries.WithLabelValues(outcome)
	}
	return f
}

func (f *figures) register(to *prometheus.Registry) (err error) {
	for _, one := range []prometheus.Collector{
		f.jobs, f.jobSeconds, f.reads, f.readSeconds, f.requests, f.bytes, f.tries, f.trySeconds, f.orders, f.transactions, f.credits, f.build,
	} {
		err = errors.Join(err, to.Register(one))
	}
	return err
}

// Begin implements ports.Observer.
func (f *figures) Begin(ctx context.Context, a ports.Activity) (context.Context, func(ports.Ending)) {
	var endSpan func(ports.Ending)
	if f.spans != nil {
		ctx, endSpan = f.spans.begin(ctx, a)
	}
	began := time.Now()
	return ctx, func(e ports.Ending) {
		f.count(a, e, time.Since(began))
		if endSpan != nil {
			endSpan(e)
		}
	}
}

// Trace implements ports.Observer.
func (f *figures) Trace(ctx context.Context) string { return traceOf(ctx) }

func (f *figures) count(a ports.Activity, e ports.Ending, took time.Duration) {
	switch a.Kind {
	case ports.ActJob:
		f.jobs.WithLabelValues(a.Name, outcomeOf(e)).Inc()
		f.jobSeconds.WithLabelValues(a.Name).Observe(took.Seconds())
	case ports.ActImagery:
		f.reads.WithLabelValues(a.Name, outcomeOf(e)).Inc()
		f.readSeconds.WithLabelValues(a.Name).Observe(took.Seconds())
		refused := e.Traffic.Failed.Load()
		f.requests.WithLabelValues(done).Add(float64(e.Traffic.Requests.Load() - refused))
		f.requests.WithLabelValues(failed).Add(float64(refused))
		f.bytes.Add(float64(e.Traffic.Bytes.Load()))
	case ports.ActHook:
		outcome := "delivered"
		switch {
		case e.Status == 0:
			outcome = "unreachable"
		case e.Err != nil:
			outcome = "refused"
		}
		f.tries.WithLabelValues(outcome).Inc()
		f.trySeconds.Observe(took.Seconds())
	}
}

func outcomeOf(e ports.Ending) string {
	switch {
	case e.Lost:
		return lost
	case e.Err == nil:
		return done
	case errors.Is(e.Err, context.Canceled):
		return stopped
	}
	return failed
}
