package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		first, second := runJSON(t, database, "secret", "create")["key"].(string), runJSON(t, database, "secret", "create")["key"].(string)
		require.NotEqual(t, first, second)
		file := filepath.Join(t.TempDir(), "key")
		require.NoError(t, os.WriteFile(file, []byte(first+"\n"), 0o600))

		// Without a key everything works, and doctor warns.
		token := tokenOf(t, database)
		out, _, status := run(t, database, "", "doctor")
		require.Zero(t, status, out)
		require.Contains(t, out, "WARN  secrets")
		_, errOut, status := run(t, database, "", "secret", "rotate")
		require.Equal(t, 1, status)
		require.Contains(t, errOut, "TILTH_SECRET_KEY")

		out, _, status = run(t, database, "", "doctor", "--secret-key-file", file)
		require.Zero(t, status, out)
		require.Contains(t, out, "WARN  secrets", "what is stored is not sealed yet")
		require.EqualValues(t, 1, runJSON(t, database, "secret", "rotate", "--secret-key-file", file)["sealed"])
		out, _, _ = run(t, database, "", "doctor", "--secret-key-file", file)
		require.Contains(t, out, "ok    secrets")

		// A server with the key knows the tokens from before; one without it, or with another, does not start.
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.SecretKeyFile = file }})
		rig.Remote(t, s.URL, token).Expect(200, "GET", "farm/", nil)
		s.Stop()
		for _, more := range [][]string{nil, {"--secret-key", second}} {
			for _, command := range [][]string{{"serve"}, {"worker"}, {"token", "create", "--user", "owner@crash.example"}} {
				out, errOut, status := run(t, database, "", append(command, more...)...)
				require.Equal(t, 1, status, "%v: %s", command, out)
				require.Contains(t, errOut, "Fix: set TILTH_SECRET_KEY")
			}
			out, _, status := run(t, database, "", append([]string{"doctor"}, more...)...)
			require.Equal(t, 1, status)
			require.Contains(t, out, "FAIL  secrets")
		}

		// After a rotation the old key is not needed.
		runJSON(t, database, "secret", "rotate", "--secret-key", second+","+first)
		s = rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.SecretKey = second }})
		rig.Remote(t, s.URL, token).Expect(200, "GET", "farm/", nil)

		// An invalid key is refused without showing it, and `config` shows none.
		_, errOut, status = run(t, database, "", "migrate", "status", "--secret-key", "hunter2")
		require.Equal(t, 1, status)
		require.NotContains(t, errOut, "hunter2")
		_, _, status = run(t, database, "", "migrate", "status", "--secret-key", first, "--secret-key-file", file)
		require.Equal(t, 2, status)
		out, _, _ = run(t, database, "", "config", "--secret-key", first)
		require.NotContains(t, out, first)
		require.Contains(t, out, "TILTH_SECRET_KEY=xxxxx")
	})
}

func TestBackupsNeedTheirSecretKey(t *testing.T) {
	t.Parallel()
	database := rig.SQLite(t)
	key := runJSON(t, database, "secret", "create")["key"].(string)
	runJSON(t, database, "secret", "rotate", "--secret-key", key)
	file := filepath.Join(t.TempDir(), "backup.db")
	runJSON(t, database, "backup", file, "--secret-key", key)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(raw), "sealed:1:")

	elsewhere := rig.SQLite(t)
	_, errOut, status := run(t, elsewhere, "", "restore", file)
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "Fix: set TILTH_SECRET_KEY")
	out, _, status := run(t, elsewhere, "", "doctor")
	require.Zero(t, status, "a refused restore changes nothing: %s", out)
	runJSON(t, elsewhere, "restore", file, "--secret-key", key)
	out, _, status = run(t, elsewhere, "", "doctor", "--secret-key", key)
	require.Zero(t, status, out)
	require.True(t, strings.Contains(out, "ok    secrets"), out)
}

// The key is lost: what can be made again is, the rest is named, and nothing happens twice.
func TestALostSecretKey(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		lostKey, newKey := runJSON(t, database, "secret", "create")["key"].(string), runJSON(t, database, "secret", "create")["key"].(string)
		runJSON(t, database, "secret", "rotate", "--secret-key", lostKey)
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.SecretKey = lostKey }})
		c := s.Company("owner", 5)
		hook := c.Make("webhook/", map[string]any{"url": "https://hooks.lost.example/"})
		farm := func() rig.Answer {
			return send(t, s, c, "POST", "farm/", `{"name":"A farm"}`, "Idempotency-Key", "lost-1")
		}
		require.Equal(t, 200, farm().Status)
		reset := func(more ...string) (string, int) {
			out, errOut, status := run(t, database, "", append([]string{"secret", "reset", "--json", "--secret-key", newKey}, more...)...)
			return out + errOut, status
		}
		out, status := reset("--yes")
		require.Equal(t, 1, status, "a server with the key runs")
		require.Contains(t, out, "A server uses this database")
		s.Stop()
		require.Contains(t, fmt.Sprint(objects(t, database, "verify", "keys", "--secret-key", lostKey)), "pem")

		out, status = reset()
		require.Equal(t, 1, status)
		for _, part := range []string{"1 keys of access tokens", "1 keys that sign", "1 secrets of webhooks", " kept answers", "--yes"} {
			require.Contains(t, out, part)
		}
		_, _, status = run(t, database, "", "verify", "ledger", "--secret-key", lostKey)
		require.Zero(t, status, "nothing was given up yet")
		out, status = reset("--yes")
		require.Zero(t, status, out)
		require.Regexp(t, `"webhooks": ?1`, out)
		out, status = reset()
		require.Zero(t, status, out)
		require.Regexp(t, `"lost": ?false`, out)

		s = rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.SecretKey = newKey }})
		rig.Remote(t, s.URL, c.Token).Expect(401, "GET", "farm/", nil)
		c = rig.Remote(t, s.URL, runJSON(t, database, "token", "create", "--user", c.Email, "--secret-key", newKey)["access"].(string))
		again := farm()
		require.Equal(t, 409, again.Status, "%s", again.Body)
		require.Contains(t, string(again.Body), "answer_lost")
		require.EqualValues(t, 1, c.Expect(200, "GET", "farm/", nil).Map(t)["data"].(map[string]any)["count"])
		shown := c.Expect(200, "GET", path("webhook", hook), nil).Data(t)
		require.Equal(t, false, shown["is_active"])
		require.Contains(t, shown["disabled_reason"], "secret was lost")
		c.Expect(200, "POST", path("webhook", hook)+"rotate-secret/", nil)
		c.Expect(200, "PATCH", path("webhook", hook), map[string]any{"is_active": true})
		s.Stop()
		for _, name := range []string{"ledger", "audit", "operator"} {
			require.Equal(t, true, objects(t, database, "verify", name, "--secret-key", newKey)[0]["whole"], name)
		}
		require.Len(t, objects(t, database, "verify", "keys", "--secret-key", newKey), 2)
		trail := fmt.Sprint(objects(t, database, "trail", "--secret-key", newKey))
		require.Contains(t, trail, "secret_key")
	})
}
