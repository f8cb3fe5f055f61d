package contract

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/brokertest"
	"tilth/tests/rig"
)

// Three processes share the work of one installation, each in a role of its own, with and without a broker.
func TestEachRoleHasAProcess(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		for _, broker := range []bool{false, true} {
			url := ""
			if broker {
				url = brokertest.Start(t).URL
			}
			start := func(roles string) *rig.Server {
				return rig.Start(t, rig.Options{Database: database, Config: func(cfg *cli.Config) {
					openHooks(cfg)
					cfg.Roles, cfg.BrokerURL, cfg.BrokerBytes = roles, url, 64<<20
				}})
			}
			api, worker, relay := start("api"), start("worker"), start("relay")
			p, c, target := newPublisher(t, database), api.Company("owner", 0), newReceiver(t)
			c.Expect(200, "POST", "webhook/", map[string]any{"url": target.URL})
			stream := listen(t, api.URL, c.Token, "", "").ready()
			ids := p.publish(c.CompanyID, 5)
			require.Equal(t, ids, stream.take(5), "the relay hands events to the streams of another process")
			require.Len(t, target.await(t, 5), 5, "the worker posts")
			for role, s := range map[string]*rig.Server{"api": api, "worker": worker, "relay": relay} {
				for _, probe := range []string{"/healthz", "/readyz"} {
					rig.Remote(t, s.AdminURL, "").Expect(http.StatusOK, "GET", probe, nil)
				}
				require.Contains(t, s.Metrics(), "tilth_build_info", role)
				s.Stop()
			}
		}
	})
}

// The connections that PostgreSQL accepts are compared with those that the running servers may open.
func TestDoctorAddsUpConnections(t *testing.T) {
	t.Parallel()
	database := rig.PostgreSQL(t)
	with := func(conns string) string {
		return database + map[bool]string{true: "&", false: "?"}[strings.Contains(database, "?")] + "pool_max_conns=" + conns
	}
	files := "file:" + t.TempDir()
	for _, conns := range []string{"8", "30"} {
		rig.Start(t, rig.Options{Database: with(conns), Config: func(cfg *cli.Config) { cfg.ObjectsURL = files }})
	}
	diagnosed := func(database string) string {
		out, _, _ := run(t, database, "", "doctor", "--imagery-url", t.TempDir())
		return out
	}
	require.Contains(t, diagnosed(database), "2 servers are running, which may open 42 connections; one with this configuration may open 22")
	require.Contains(t, diagnosed(with("100000")), "pool_max_conns=")
}
