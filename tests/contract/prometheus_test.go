package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/brokertest"
	"tilth/tests/rig"
)

// trusting lets the server post to this machine, and configures a broker for it.
func trusting(t *testing.T) func(c *cli.Config) {
	url := brokertest.Start(t).URL
	return func(c *cli.Config) { c.WebhookAllowHTTP, c.WebhookAllowPrivate, c.BrokerURL = true, true, url }
}

// promtool runs a command of promtool.
func promtool(t *testing.T, stdin string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "promtool", arguments...)
	command.Stdin = strings.NewReader(stdin)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "promtool %s: %s", strings.Join(arguments, " "), out)
	return string(out)
}

// A Prometheus scrapes the demo while it is working, and evaluates every expression: none is empty.
func TestPrometheus(t *testing.T) {
	if os.Getenv("TILTH_OBSERVABILITY") == "" {
		t.Skip("a Prometheus is started by make observability")
	}
	for _, program := range []string{"promtool", "prometheus"} {
		_, err := exec.LookPath(program)
		require.NoError(t, err, "NOTE: %s is not there, so NO EXPRESSION IS CHECKED. Fix: apt-get install --no-install-recommends prometheus", program)
	}
	promtool(t, "", "check", "rules", in("alerts.yaml"))
	promtool(t, "", "test", "rules", in("alerts_test.yaml"))
	s := rig.Start(t, rig.Options{Demo: true, Config: trusting(t)})
	exercise(t, s)
	if wrong := promtool(t, s.Metrics(), "check", "metrics"); wrong != "" {
		require.Empty(t, wrong, "the names of the figures")
	}
	address := prometheus(t, strings.TrimPrefix(s.AdminURL, "http://"))
	// A rate needs two scrapes, with activity between them.
	waiting := expressions(t)
	rig.Eventually(t, func() bool {
		exercise(t, s)
		for place, expression := range waiting {
			if evaluated(t, address, place, expression) > 0 {
				delete(waiting, place)
			}
		}
		return len(waiting) == 0
	}, 2*time.Minute, time.Second, "expressions without a series: %v", waiting)
	for _, r := range rules(t) {
		evaluated(t, address, r.Alert, r.Expr)
	}
}

// evaluated returns the number of series of an expression.
func evaluated(t *testing.T, address, place, expression string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/v1/query?"+url.Values{"query": {expression}}.Encode(), nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var got struct {
		Status, Error string
		Data          struct{ Result []struct{ Value []any } }
	}
	require.NoError(t, json.NewDecoder(res.Body).Decode(&got))
	require.Equal(t, "success", got.Status, "%s: %s: %s", place, expression, got.Error)
	return len(got.Data.Result)
}

// prometheus starts a Prometheus that scrapes a target each second, and returns its address.
func prometheus(t *testing.T, target string) string {
	t.Helper()
	folder := t.TempDir()
	rulesFile, err := filepath.Abs(in("alerts.yaml"))
	require.NoError(t, err)
	config := filepath.Join(folder, "prometheus.yml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil,
		"global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%q]\nscrape_configs:\n  - job_name: tilth\n    static_configs: [{targets: [%q]}]\n", rulesFile, target), 0o600))
	at := rig.FreeAddr(t)
	ctx, stop := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, "prometheus", "--config.file="+config, "--storage.tsdb.path="+folder+"/data", "--web.listen-address="+at, "--log.level=warn")
	command.Stderr = os.Stderr
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		stop()
		_ = command.Wait() // it was killed
	})
	rig.Eventually(t, func() bool {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/-/ready", nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, time.Minute, 100*time.Millisecond)
	return "http://" + at
}
