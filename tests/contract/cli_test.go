package contract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/credit"
	"tilth/tests/realdata"
	"tilth/tests/rig"
)

func amount(credits float64) credit.Amount { return credit.Amount(credits*100 + 0.5) }

func TestOperatorCommands(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		company := runJSON(t, database, "company", "create", "--name", "Acme")
		require.Len(t, company, 3)
		id := itoa(int64(company["id"].(float64)))
		out, errOut, status := run(t, database, "correct horse battery\n", "user", "create", "--company", id, "--email", "Ann@acme.example", "--role", "owner", "--password-stdin")
		require.Zero(t, status, errOut)
		require.Contains(t, out, "ann@acme.example")
		token := runJSON(t, database, "token", "create", "--user", "ann@acme.example", "--ttl", "1h")
		require.EqualValues(t, 3600, token["expires_in"])
		wallet := runJSON(t, database, "wallet", "credit", "--company", id, "--amount", "12.50", "--note", "gift")
		require.EqualValues(t, 12.5, wallet["balance"])
		price := runJSON(t, database, "price", "set", "--service", "vegetation_index_profile", "--per-ha", "2.00")
		require.EqualValues(t, 2, price["per_ha"])

		s := rig.Start(t, rig.Options{Database: database})
		c := rig.Remote(t, s.URL, token["access"].(string))
		require.Equal(t, rig.Wallet{Balance: 12.5, Held: 0, Available: 12.5}, c.Wallet())
		in := map[string]any{"email": "ann@acme.example", "password": "correct horse battery"}
		s.Anonymous().Expect(200, "POST", "auth/token/", in)

		for _, bad := range [][]string{
			{"company", "create", "--name", "Acme"},
			{"company", "create", "--name", " "},
			{"user", "create", "--company", id, "--email", "ann@acme.example", "--role", "owner"},
			{"user", "create", "--company", id, "--email", "b@acme.example", "--role", "king"},
			{"user", "create", "--company", "999999", "--email", "c@acme.example", "--role", "owner"},
			{"user", "create", "--company", id, "--email", "no address", "--role", "owner"},
			{"token", "create", "--user", "nobody@acme.example"},
			{"wallet", "credit", "--company", id, "--amount", "-5"},
			{"wallet", "credit", "--company", id, "--amount", "1.005"},
			{"wallet", "credit", "--company", "999999", "--amount", "5"},
			{"price", "set", "--service", "weather", "--per-ha", "1"},
		} {
			out, errOut, status := run(t, database, "", bad...)
			require.Equal(t, 1, status, "%v: %s", bad, out)
			require.NotEmpty(t, errOut, "%v", bad)
			require.Empty(t, out)
		}
		for _, bad := range [][]string{{"nonsense"}, {"company"}, {"company", "destroy"}, {"company", "create"}, {"serve", "--nope"}, {"--database-url", "mysql:x", "doctor"}} {
			_, errOut, status := run(t, database, "", bad...)
			if len(bad) == 1 && bad[0] == "company" {
				require.Zero(t, status) // prints its help
				continue
			}
			require.Equal(t, 2, status, "%v", bad)
			require.NotEmpty(t, errOut)
		}
		for says, bad := range map[string][]string{
			"unknown flag: --databse-url: did you mean `--database-url`?":       {"doctor", "--databse-url", "x"},
			"unknown flag: --pasword-stdin: did you mean `--password-stdin`?":   {"user", "create", "--pasword-stdin"},
			"\"compny\" is not a command of `tilth`: did you mean `company`?\n": {"compny", "create"},
			"unknown flag: --zzzzzz\n":                                          {"doctor", "--zzzzzz"},
		} {
			_, errOut, status := run(t, database, "", bad...)
			require.Equal(t, 2, status, "%v", bad)
			require.Contains(t, errOut, says)
		}
	})
}

func TestMigrateUpDownStatus(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "t.db")
	database := "sqlite:" + file
	up := runJSON(t, database, "migrate", "up")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077, "it holds password hashes and keys")
	require.NotEmpty(t, up["migrations"])
	require.Empty(t, runJSON(t, database, "migrate", "up")["migrations"])
	out, _, status := run(t, database, "", "migrate", "status")
	require.Zero(t, status)
	require.Contains(t, out, "applied")
	require.NotContains(t, out, "pending")
	names := up["migrations"].([]any)
	require.Equal(t, names[len(names)-1], runJSON(t, database, "migrate", "down")["migration"])
	out, _, _ = run(t, database, "", "migrate", "status")
	require.Equal(t, 1, strings.Count(out, "pending"), "one at a time")
	require.Contains(t, out, "pending")
	_, errOut, status := run(t, database, "", "serve", "--no-migrate")
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "tilth migrate up")
}

// No command empties an installation: what a reverted migration deletes is copied first, or
// kept where no copy can be made, and nothing is reverted while a server runs.
func TestMigrateDownLosesNothing(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		// The count of the farm is in one of the newest tables: what is removed first is lost first.
		owner := s.Company("owner", 0)
		owner.Make("farm/", map[string]any{"name": "Farm"})
		_, errOut, status := run(t, database, "", "migrate", "down", "--yes")
		require.Equal(t, 1, status)
		require.Contains(t, errOut, "tilth serve")
		s.Stop()
		all, _, _ := run(t, database, "", "migrate", "status")
		for range strings.Count(all, "applied") {
			out, errOut, status := run(t, database, "", "migrate", "down")
			if strings.HasPrefix(database, "postgres") && status == 1 {
				require.Contains(t, errOut, "--yes")
				require.Regexp(t, `deletes \d+ (rows?|values?) of`, errOut)
				return
			}
			require.Zero(t, status, errOut)
			if _, file, copied := strings.Cut(out, "the database as it was: "); copied {
				file, _, _ = strings.Cut(file, " (")
				_, errOut, status = run(t, database, "", "restore", file)
				require.Zero(t, status, errOut)
				again := rig.Start(t, rig.Options{Database: database})
				require.EqualValues(t, 1, rig.Remote(t, again.URL, owner.Token).Expect(200, "GET", "farm/", nil).Data(t)["count"])
				return
			}
		}
		t.Fatal("nothing was ever lost")
	})
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	out, errOut, status := run(t, rig.SQLite(t), "", "doctor", "--json")
	require.Zero(t, status, errOut)
	var findings []struct {
		Part string
		OK   bool
	}
	require.NoError(t, json.Unmarshal([]byte(out), &findings))
	parts := map[string]bool{}
	for _, f := range findings {
		parts[f.Part] = f.OK
	}
	for _, part := range []string{"configuration", "database", "migrations", "broker", "imagery", "clock"} {
		require.True(t, parts[part], part)
	}
	out, _, status = run(t, rig.SQLite(t), "", "doctor", "--json", "--imagery-url", filepath.Join(t.TempDir(), "none"))
	require.Equal(t, 1, status)
	require.Contains(t, out, `"fix":`, "what is wrong says how it is put right")
	out, _, status = run(t, rig.SQLite(t), "", "doctor", "--imagery-url", filepath.Join(t.TempDir(), "none"))
	require.Equal(t, 1, status)
	require.Contains(t, out, "FAIL")
	require.Contains(t, out, "catalog.json")

	fresh := filepath.Join(t.TempDir(), "tilth.db")
	out, errOut, status = run(t, "sqlite:"+fresh, "", "doctor")
	require.Zero(t, status, "nothing is wrong before the first start: %s%s", out, errOut)
	require.Contains(t, out, "none is applied: the database is empty")
	require.NoError(t, os.Chmod(fresh, 0o644))
	out, _, _ = run(t, "sqlite:"+fresh, "", "doctor")
	require.Contains(t, out, "chmod 600 "+fresh)

	newer := rig.SQLite(t)
	_, _, status = run(t, newer, "", "migrate", "up")
	require.Zero(t, status)
	rig.Exec(t, newer, "INSERT INTO schema_migrations (name, group_id, migrated_at) VALUES ('29990101000000', 9, '2999-01-01')")
	out, _, status = run(t, newer, "", "doctor")
	require.Equal(t, 1, status)
	require.Contains(t, out, "→ run that release, or restore", "the fault names its own fix")
}

func TestProfileWithoutADatabase(t *testing.T) {
	t.Parallel()
	folder := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	args := []string{"profile", "--catalog", folder, "--field", filepath.Join(folder, "field.geojson"), "--from", "2019-01-01", "--to", "2019-12-31"}
	out, errOut, status := run(t, "sqlite:unused.db", "", args...)
	require.Zero(t, status, errOut)
	var series struct {
		IndexCode string `json:"index_code"`
		Profile   []struct {
			Date  string
			Value float64
		}
		Observations, Rejected []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(out), &series))
	require.Len(t, series.Profile, 31)
	require.Len(t, series.Observations, 31)
	require.Len(t, series.Rejected, 2)
	out, _, status = run(t, "sqlite:unused.db", "", append(args, "--format", "csv")...)
	require.Zero(t, status)
	require.Len(t, splitLines(out), 34)
	out, _, status = run(t, "sqlite:unused.db", "", append(args, "--format", "svg")...)
	require.Zero(t, status)
	require.Contains(t, out, "31 dates, 2 rejected")
	_, _, status = run(t, "sqlite:unused.db", "", append(args, "--format", "gif")...)
	require.Equal(t, 2, status)
	_, errOut, status = run(t, "sqlite:unused.db", "", append(args, "--index", "XXX")...)
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "index")
	require.NoFileExists(t, "unused.db")

	// A series without a point is not a success, and the reason is given.
	for day, reason := range map[string]string{"2018-01-01": "No scene of the imagery archive covers the field", "2019-02-06": "The only acquisition was"} {
		out, errOut, status = run(t, "sqlite:unused.db", "", append(args[:5:5], "--from", day, "--to", day)...)
		require.Equal(t, 1, status)
		require.Contains(t, errOut, reason)
		require.Contains(t, out, `"profile": []`)
	}
}

func splitLines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
