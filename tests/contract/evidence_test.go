package contract

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// objects returns the output of a command, one object per line.
func objects(t testing.TB, database string, args ...string) (out []map[string]any) {
	t.Helper()
	text, errOut, status := run(t, database, "", append(args, "--json")...)
	require.Zero(t, status, errOut+text)
	for dec := json.NewDecoder(strings.NewReader(text)); dec.More(); {
		var one map[string]any
		require.NoError(t, dec.Decode(&one))
		out = append(out, one)
	}
	return out
}

// TestEvidence kills the server while rows wait, and recomputes the chain from an export as
// docs/evidence.md describes, with no code of the program.
func TestEvidence(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		source := newGate(t)
		token := tokenOf(t, database)
		for range 3 {
			p := rig.StartProcess(t, database, source.URL)
			c := rig.Remote(t, p.URL, token)
			for range 20 {
				c.Make("farm/", map[string]any{"name": "A <farm>"})
			}
			p.Kill()
		}
		p := rig.StartProcess(t, database, source.URL)
		rig.Remote(t, p.URL, token).Make("farm/", map[string]any{"name": "The last"})
		require.NoError(t, p.Terminate())
		whole := objects(t, database, "verify", "audit", "--company", "1")[0]
		require.Equal(t, true, whole["whole"])
		require.Zero(t, whole["waiting"], "a stop chains what was committed last")
		require.GreaterOrEqual(t, whole["verified"], float64(61))
		require.Equal(t, true, objects(t, database, "verify", "ledger")[0]["whole"])

		runJSON(t, database, "price", "set", "--service", "STR", "--per-ha", "2")
		p = rig.StartProcess(t, database, source.URL)
		require.NoError(t, p.Terminate())
		operator := objects(t, database, "verify", "operator")
		require.Len(t, operator, 1)
		require.Equal(t, true, operator[0]["whole"])
		require.Zero(t, operator[0]["waiting"])
		lines := objects(t, database, "verify", "export", "operator")
		require.Contains(t, fmt.Sprint(lines), `"resource":"price"`)
		require.Equal(t, operator[0]["hash"], lines[len(lines)-1]["hash"])

		key := objects(t, database, "verify", "keys")[0]["key"].(string)
		require.Equal(t, true, objects(t, database, "verify", "audit", "--key", key)[0]["whole"])
		other := base64.StdEncoding.EncodeToString(make([]byte, 32))
		out, _, status := run(t, database, "", "verify", "audit", "--key", other)
		require.Equal(t, 1, status)
		require.Contains(t, out, "checkpoint forged")

		sum := func(text string) string {
			digest := sha256.Sum256([]byte(text))
			return hex.EncodeToString(digest[:])
		}
		before, rows := sum("tilth chain audit 1"), 0
		public, err := base64.StdEncoding.DecodeString(key)
		require.NoError(t, err)
		for _, line := range objects(t, database, "verify", "export", "audit", "--company", "1") {
			if statement, ok := line["checkpoint"].(string); ok {
				signature, err := base64.StdEncoding.DecodeString(line["signature"].(string))
				require.NoError(t, err)
				require.True(t, ed25519.Verify(public, []byte(statement), signature), statement)
				continue
			}
			rows++
			text := line["text"].(string)
			require.Equal(t, line["digest"], sum(text))
			before = sum(fmt.Sprintf("%s %.0f %s", before, line["position"], line["digest"]))
			require.Equal(t, line["hash"], before)
			for _, v := range line["values"].([]any) {
				value := v.(map[string]any)
				require.Contains(t, text, fmt.Sprintf("%q:%q", value["name"], sum(fmt.Sprint(value["salt"], " ", value["value"]))))
			}
		}
		require.EqualValues(t, whole["verified"], rows)
		require.Equal(t, whole["hash"], before)

		for _, bad := range [][]string{{"verify", "audit", "--company", "999"}, {"verify", "audit", "--key", "x"}, {"verify", "export", "audit", "--company", "999"}} {
			_, errOut, status := run(t, database, "", bad...)
			require.Equal(t, 1, status, "%v", bad)
			require.NotEmpty(t, errOut)
		}
		for _, bad := range [][]string{{"verify", "export", "farms", "--company", "1"}, {"verify", "export", "audit"}, {"verify", "export", "operator", "--company", "1"}, {"verify", "x"}} {
			_, _, status := run(t, database, "", bad...)
			require.Equal(t, 2, status, "%v", bad)
		}
	})
}

// TestRowsAreChainedByARunningServer waits for the sequencer of a running server.
func TestRowsAreChainedByARunningServer(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		s.Company("owner", 5).Make("farm/", map[string]any{"name": "A farm"})
		rig.Eventually(t, func() bool {
			one := objects(t, database, "verify", "audit", "--company", "1")[0]
			return one["waiting"].(float64) == 0 && one["verified"].(float64) > 0
		}, 2*time.Minute, 50*time.Millisecond)
	})
}

func TestRetentionKeepsWhatTheInterfacePromises(t *testing.T) {
	t.Parallel()
	database := rig.SQLite(t)
	for _, bad := range []string{"--keep-answers=1h", "--keep-events=1h", "--keep-deliveries=1h", "--keep-imports=1h", "--keep-jobs=0", "--keep-audit=24h", "--keep-sessions=-1h"} {
		_, errOut, status := run(t, database, "", "doctor", bad)
		require.Equal(t, 2, status, bad)
		require.Contains(t, errOut, "TILTH_KEEP_")
	}
}

// TestPersonIsExportedAndErased erases a person whose session is in use, beside a running server.
func TestPersonIsExportedAndErased(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		token := tokenOf(t, database)
		company := "1"
		create := []string{"user", "create", "--company", company, "--email", "ann@x.example", "--name", "Ann Person", "--role", "owner", "--password-stdin"}
		_, errOut, status := run(t, database, "correct horse battery\n", create...)
		require.Zero(t, status, errOut)
		in := map[string]any{"email": "ann@x.example", "password": "correct horse battery"}
		tokens := s.Anonymous().Expect(200, "POST", "auth/token/", in).Data(t)
		ann := rig.Remote(t, s.URL, tokens["access"].(string))
		farm := ann.Make("farm/", map[string]any{"name": "Of Ann"})

		held := objects(t, database, "user", "export", "--email", "ann@x.example")
		require.Len(t, held, 1)
		require.Len(t, held[0]["made_farms"], 1)
		require.Len(t, held[0]["sessions"], 1)
		_, errOut, status = run(t, database, "", "user", "erase", "--email", "ann@x.example")
		require.Equal(t, 1, status)
		require.Contains(t, errOut, "--yes")
		ann.Expect(200, "GET", "farm/", nil)

		erased := runJSON(t, database, "user", "erase", "--email", "ann@x.example", "--yes")
		require.Positive(t, erased["values"])
		ann.Expect(401, "GET", "farm/", nil)
		s.Anonymous().Expect(401, "POST", "auth/token/", in)
		s.Anonymous().Expect(401, "POST", "auth/token/refresh/", map[string]any{"refresh": tokens["refresh"]})
		owner := rig.Remote(t, s.URL, token)
		require.Equal(t, "Of Ann", owner.Expect(200, "GET", path("farm", farm), nil).Data(t)["name"], "records stay")
		trail := string(owner.Expect(200, "GET", "audit/?page=all", nil).Body)
		require.NotContains(t, trail, "ann@x.example")
		require.NotContains(t, trail, "Ann Person")
		require.Contains(t, trail, erased["name"].(string))
		for _, chain := range []string{"audit", "ledger"} {
			require.Equal(t, true, objects(t, database, "verify", chain, "--company", company)[0]["whole"])
		}

		_, errOut, status = run(t, database, "", "user", "erase", "--email", "owner@crash.example", "--yes")
		require.Equal(t, 1, status)
		require.Contains(t, errOut, "Fix: make another user an owner first")
		for _, command := range []string{"export", "erase"} {
			_, _, status = run(t, database, "", "user", command, "--email", "nobody@x.example")
			require.Equal(t, 1, status)
		}
	})
}
