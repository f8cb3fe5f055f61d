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
			rig.Eventually(t, func() bool {
				return strings.Contains(s.Metrics(), "\ntilth_replicas 2\n")
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
						time.Sleep(20 * time.Millisecond) // a refusal costs no time: let the others have the processor
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

// Every response to a limited caller states what is left of its limits, in the headers that the document names.
func TestWhatIsLeftOfTheLimits(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Config: func(c *cli.Config) { c.RateLimit, c.CompanyRateLimit = 5, 10 }})
	owner := s.Company("owner", 0)
	for path, status := range map[string]int{"farm/": 200, "farm/999/": 404, "farm/?page=x": 400} {
		got := owner.Expect(status, "GET", path, nil).Header
		require.Equal(t, `"user";q=20;w=4, "company";q=40;w=4`, got.Get("RateLimit-Policy"))
		require.Regexp(t, `^"user";r=1\d;t=1, "company";r=3\d;t=1$`, got.Get("RateLimit"))
	}
	require.Regexp(t, `^"address";r=1\d;t=1$`, s.Anonymous().Expect(401, "GET", "farm/", nil).Header.Get("RateLimit"))
}

// A record beyond the maximum number per company is refused by name, with the setting and the fix.
func TestCaps(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) {
			c.MaxAPIKeys, c.MaxInvitations, c.MaxWebhooks = 1, 1, 1
		}})
		c := s.Company("owner", 0)
		invite := func(email string) map[string]any {
			return map[string]any{"email": email, "roles": []string{"viewer"}}
		}
		for path, bodies := range map[string][2]map[string]any{
			"api-key/":    {{"name": "one"}, {"name": "two"}},
			"invitation/": {invite("one@example.org"), invite("two@example.org")},
			"webhook/":    {{"url": "https://example.org/1"}, {"url": "https://example.org/2"}},
		} {
			require.Less(t, c.Do(http.MethodPost, path, bodies[0]).Status, 300, path)
			refused := c.Expect(http.StatusConflict, http.MethodPost, path, bodies[1]).Map(t)
			require.Equal(t, "limit_reached", refused["code"])
			details := refused["details"].(map[string]any)
			require.EqualValues(t, 1, details["limit"])
			require.Contains(t, refused["message"], details["setting"])
			require.Contains(t, refused["message"], "Fix:")
		}
		c.Expect(http.StatusOK, http.MethodPost, "invitation/", invite("one@example.org")) // replaces the previous one
	})
}
