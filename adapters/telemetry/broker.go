package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"tilth/ports"
)

// WatchBroker adds figures of the connection to a broker.
func WatchBroker(registry *prometheus.Registry, read func() ports.BrokerTraffic) error {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return registry.Register(brokerFigures{
		read:      read,
		connected: desc("tilth_broker_connected", "1 while this process is connected to the broker, else 0."),
		messages: desc("tilth_broker_messages_total",
			"Events of this process and the broker: published (stored there), refused (not stored; they come again), received by consumers, ignored (not events).", "outcome"),
	})
}

// brokerFigures implements prometheus.Collector.
type brokerFigures struct {
	read                func() ports.BrokerTraffic
	connected, messages *prometheus.Desc
}

func (f brokerFigures) Describe(to chan<- *prometheus.Desc) { to <- f.connected; to <- f.messages }

func (f brokerFigures) Collect(to chan<- prometheus.Metric) {
	now := f.read()
	connected := 0.0
	if now.Connected {
		connected = 1
	}
	to <- prometheus.MustNewConstMetric(f.connected, prometheus.GaugeValue, connected)
	for outcome, n := range map[string]int64{"published": now.Published, "refused": now.Refused, "received": now.Received, "ignored": now.Ignored} {
		to <- prometheus.MustNewConstMetric(f.messages, prometheus.CounterValue, float64(n), outcome)
	}
}
