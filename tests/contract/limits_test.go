package contract

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// Two servers on one database hold a user to one limit between them.
func TestRateLimitAcrossReplicas(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		const perSecond, burst, wanted = 5, 20, 90
		limited := func(c *cli.Config) { c.RateLimit = perSecond }
		servers := []*rig.Server{
			rig.Start(t, rig.Options{Database: database, Config: limited}), rig.Start(t, rig.Options{Database: database, Config: limited}),
		}
		for _, s := range servers {
			require.Eventually(t, func() bool {
				return strings.Contains(string(s.Anonymous().Do(http.MethodGet, "/metrics", nil).Body), "\ntilth_replicas 2\n")
			}, time.Minute, 100*time.Millisecond)
		}
		token := servers[0].Company("owner", 0).Token
		var answered atomic.Int64
		var all sync.WaitGroup
		began := time.Now()
		for _, s := range servers {
			all.Go(func() {
				c := s.Anonymous()
				c.Token = token
				for answered.Load() < wanted {
					switch status := c.Do(http.MethodGet, "farm/", nil).Status; status {
					case http.StatusOK:
						answered.Add(1)
					case http.StatusTooManyRequests:
						time.Sleep(20 * time.Millisecond) // the limit refuses without work: let the others have the processor
					default:
						t.Errorf("status %d", status)
						return
					}
				}
			})
		}
		all.Wait()
		allowed := burst + perSecond*time.Since(began).Seconds()
		require.Less(t, float64(wanted), 1.25*allowed, "two limits apart would be twice as much")
	})
}
