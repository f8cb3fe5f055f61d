package transfer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What differs by one bit is found, and what the two databases only spell differently is not.
func TestCopiedValuesAreCompared(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 4, 12, 0, 0, 1000, time.UTC)
	for _, c := range []struct {
		kind       string
		want, have any
		same       bool
	}{
		{"text", "a", "a", true}, {"text", "a", "a ", false}, {"text", "", nil, false}, {"text", nil, nil, true},
		{"bigint", int64(1) << 62, int64(1) << 62, true}, {"bigint", int64(1) << 62, int64(1)<<62 + 1, false},
		{"integer", int64(7), int32(7), true}, {"integer", int64(7), int32(8), false},
		{"boolean", true, true, true}, {"boolean", true, false, false},
		{"double precision", 0.1, 0.1, true}, {"double precision", 0.1, 0.1 + 1e-17, true}, {"double precision", 0.1, 0.1 + 2e-17, false},
		{"bytea", []byte{0, 1}, []byte{0, 1}, true}, {"bytea", []byte{0, 1}, []byte{0, 2}, false},
		{"timestamp with time zone", noon, noon.In(time.FixedZone("", 3600)), true}, {"timestamp with time zone", noon, noon.Add(time.Microsecond), false},
		{"date", noon, noon.AddDate(0, 0, 1), false},
		{"jsonb", `{"a":1,"b":[null]}`, `{"b": [null], "a": 1}`, true}, {"jsonb", `{"a":1}`, `{"a": 2}`, false},
		{"jsonb", "null", nil, false}, {"jsonb", "null", "null", true}, {"jsonb", `{"n":9007199254740993}`, `{"n": 9007199254740992}`, false},
		{"jsonb", `[1e2,1.50,1e-7]`, `[100, 1.50, 0.0000001]`, true}, {"jsonb", `["1"]`, `[1]`, false},
		{"point", "x", "x", false},
	} {
		require.Equal(t, c.same, sameValue(c.kind, c.want, c.have), "%s %v %v", c.kind, c.want, c.have)
	}
}

func TestTablesAreCopiedBehindThoseTheyNeed(t *testing.T) {
	t.Parallel()
	names := func(all []copied) (out []string) {
		for _, one := range all {
			out = append(out, one.name)
		}
		return out
	}
	out, err := inOrder([]copied{{name: "entries"}, {name: "fields"}, {name: "farms"}}, map[string][]string{"entries": {"fields"}, "fields": {"farms"}})
	require.NoError(t, err)
	require.Equal(t, []string{"farms", "fields", "entries"}, names(out))
	_, err = inOrder([]copied{{name: "a"}, {name: "b"}}, map[string][]string{"a": {"b"}, "b": {"a"}})
	require.Error(t, err)
}
