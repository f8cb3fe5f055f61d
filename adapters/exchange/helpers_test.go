package exchange_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
)

// refusal returns the message of a file that is refused as a whole.
func refusal(t testing.TB, err error) string {
	t.Helper()
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, fault.Invalid, f.Kind)
	return f.Fields["file"].([]string)[0]
}
