package contract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

func TestAPIKeyCommand(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		id := itoa(int64(runJSON(t, database, "company", "create", "--name", "Acme")["id"].(float64)))
		runJSON(t, database, "user", "create", "--company", id, "--email", "a@acme.example", "--role", "owner")
		runJSON(t, database, "user", "create", "--operator", "--email", "op@acme.example")
		runJSON(t, database, "user", "create", "--company", id, "--email", "gone@acme.example", "--role", "owner")
		runJSON(t, database, "user", "disable", "--email", "gone@acme.example")

		got := runJSON(t, database, "api-key", "create", "--user", "A@acme.example", "--name", "bridge", "--slug", "farm.*,field.view", "--ttl", "1h")
		require.NotEmpty(t, got["expires_at"])
		s := rig.Start(t, rig.Options{Database: database})
		key := got["key"].(string)
		status, body := with(t, s, "POST", "farm/", `{"name":"f"}`, "X-API-Key", key, "Content-Type", "application/json")
		require.Equal(t, 200, status, body)
		status, _ = with(t, s, "POST", "field/", `{}`, "X-API-Key", key, "Content-Type", "application/json")
		require.Equal(t, 403, status)

		for want, calls := range map[int][][]string{
			1: {
				{"--user", "nobody@acme.example", "--name", "x"}, {"--user", "op@acme.example", "--name", "x"},
				{"--user", "gone@acme.example", "--name", "x"}, {"--user", "a@acme.example", "--name", ""},
				{"--user", "a@acme.example", "--name", "x", "--slug", "everything"}, {"--user", "a@acme.example", "--name", "x", "--ttl", "-1h"},
			},
			2: {{"--user", "a@acme.example"}, {"--name", "x"}, {"--user", "a@acme.example", "--name", "x", "--ttl", "soon"}},
		} {
			for _, args := range calls {
				out, errOut, status := run(t, database, "", append([]string{"api-key", "create"}, args...)...)
				require.Equal(t, want, status, "%v", args)
				require.Empty(t, out)
				require.NotEmpty(t, errOut)
			}
		}
	})
}
