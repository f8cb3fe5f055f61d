package wire

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"tilth/adapters/cli"
	"tilth/adapters/persistence"
	"tilth/adapters/telemetry"
)

// flushWithin is how long a process that ends may take to send what the collector has not received yet.
const flushWithin = 5 * time.Second

// openTelemetry makes the figures of the process, and what sends them and spans to a configured collector.
func openTelemetry(cfg cli.Config, replica string, log *slog.Logger) (*telemetry.Telemetry, *prometheus.Registry, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	eyes, err := telemetry.Open(telemetry.Options{Endpoint: cfg.OTLPEndpoint, Version: version, Replica: replica, Log: log, Registry: registry})
	return eyes, registry, err
}

// watchDatabase adds the figures of the database and its pools.
func watchDatabase(eyes *telemetry.Telemetry, registry *prometheus.Registry, db *persistence.Database) error {
	var pools []prometheus.Collector
	for name, pool := range db.Pools() {
		pools = append(pools, collectors.NewDBStatsCollector(pool, name))
	}
	return eyes.Watch(registry, db.Backlog, pools...)
}

// flush sends what operators have not seen yet. An unreachable collector is no error of the program.
func (r *Running) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushWithin)
	defer cancel()
	if err := r.eyes.Close(ctx); err != nil {
		r.log.Debug("not everything was sent to the OpenTelemetry collector", "error", err)
	}
}
