package telemetry_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tilth/adapters/telemetry"
	"tilth/core/fault"
	"tilth/ports"
	"tilth/tests/collector"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, endpoint string) (*telemetry.Telemetry, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewRegistry()
	eyes, err := telemetry.Open(telemetry.Options{Endpoint: endpoint, Version: "1", Replica: "r", Log: slog.New(slog.DiscardHandler), Registry: registry})
	require.NoError(t, err)
	return eyes, registry
}

// values returns the values of a figure by the labels of its series.
func values(t *testing.T, from *prometheus.Registry, name string) map[string]float64 {
	t.Helper()
	families, err := from.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, one := range family.Metric {
			labels := ""
			for _, label := range one.Label {
				labels += label.GetValue() + " "
			}
			out[labels] = one.GetGauge().GetValue() + one.GetCounter().GetValue()
		}
	}
	return out
}

// A collector that takes connections and stays silent holds up nobody: more spans than the queue has room for begin
// and end, and the end of the process waits for it no longer than it may.
func TestSilentCollector(t *testing.T) {
	asked, released := make(chan struct{}, 100), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-released
	}))
	defer silent.Close()
	defer close(released) // before the server closes, so that pending requests end
	eyes, _ := open(t, silent.URL)
	for range 10_000 {
		_, end := eyes.Tracer().Begin(t.Context(), ports.Activity{Kind: ports.ActUseCase, Name: "farm_list"})
		end(ports.Ending{})
	}
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.Error(t, eyes.Close(ctx))
}

func TestWithoutCollector(t *testing.T) {
	eyes, registry := open(t, "")
	require.Nil(t, eyes.Tracer(), "requests and statements are followed by nobody")
	ctx, end := eyes.Observer().Begin(t.Context(), ports.Activity{Kind: ports.ActJob, Name: "a"})
	end(ports.Ending{})
	for _, ending := range []ports.Ending{{Err: errors.New("x")}, {Err: context.Canceled}, {Err: context.Canceled, Lost: true}} {
		_, end := eyes.Observer().Begin(t.Context(), ports.Activity{Kind: ports.ActJob, Name: "a"})
		end(ending)
	}
	require.Equal(t, map[string]float64{"a done ": 1, "a failed ": 1, "a cancelled ": 1, "a lost ": 1}, values(t, registry, "tilth_job_runs_total"))
	require.Empty(t, eyes.Observer().Trace(ctx))
	require.NoError(t, eyes.Close(t.Context()))
}

func TestRefusedSettings(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	_, err := telemetry.Open(telemetry.Options{Endpoint: "http://localhost:4317", Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry()})
	require.ErrorContains(t, err, "http/protobuf")
}

// A span shows the code of a fault, and never the words of an error, which may quote what a record holds.
func TestCodes(t *testing.T) {
	to := collector.Start(t)
	eyes, _ := open(t, to.URL)
	codes := map[string]error{
		"lease_lost": fault.New(fault.Conflict, "lease_lost", "secret"), "error": errors.New("duplicate key: secret"),
		"cancelled": context.Canceled, "timeout": context.DeadlineExceeded,
	}
	for code, err := range codes {
		_, end := eyes.Tracer().Begin(t.Context(), ports.Activity{Kind: ports.ActUseCase, Name: "ends with " + code})
		end(ports.Ending{Err: err})
	}
	require.NoError(t, eyes.Close(t.Context()))
	require.Len(t, to.Spans(), len(codes))
	for want := range codes {
		spans := to.Spans().Named("ends with " + want)
		require.Len(t, spans, 1)
		require.Equal(t, want, spans[0].Status.Message)
		require.Equal(t, want, collector.Attribute(spans[0], "error.type"))
	}
	require.NotContains(t, string(to.Raw()), "secret")
}

// A scrape does not wait for a database that is slow: what is not known is absent, what was known stays.
func TestBacklogOfASlowDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer, asked := make(chan error), make(chan struct{}, 10)
		eyes, registry := open(t, "")
		require.NoError(t, eyes.Watch(registry, func(context.Context) (ports.Backlog, error) {
			asked <- struct{}{}
			err := <-answer
			return ports.Backlog{Events: 7, Jobs: []ports.BacklogJobs{
				{Kind: "a", State: ports.JobWaiting, Count: 3, Age: 4}, {Kind: "a", State: ports.JobFailed, Count: 1},
			}}, err
		}))
		require.Empty(t, values(t, registry, "tilth_outbox_events"))
		require.Empty(t, values(t, registry, "tilth_outbox_events"), "the first reading is still under way")
		require.Len(t, asked, 1, "it is not begun twice")
		answer <- nil
		synctest.Wait() // until the reading has ended
		require.Equal(t, map[string]float64{"": 7}, values(t, registry, "tilth_outbox_events"))
		require.Equal(t, map[string]float64{"a waiting ": 3, "a failed ": 1}, values(t, registry, "tilth_jobs"))
		require.Equal(t, map[string]float64{"a ": 4}, values(t, registry, "tilth_jobs_oldest_age_seconds"))
		require.Len(t, asked, 1, "a reading serves for a while")

		time.Sleep(time.Minute) // of the clock of the bubble
		require.Equal(t, map[string]float64{"": 7}, values(t, registry, "tilth_outbox_events"), "the last reading stays")
		require.Greater(t, values(t, registry, "tilth_backlog_age_seconds")[""], 59.0)
		answer <- errors.New("gone")
		synctest.Wait()
		require.Equal(t, map[string]float64{"": 1}, values(t, registry, "tilth_backlog_failures_total"))
		answer <- nil // to the reading that this scrape began
	})
}
