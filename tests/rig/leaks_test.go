package rig

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLeaksAreFound(t *testing.T) {
	output, secrets = &bytes.Buffer{}, map[string]bool{}
	defer func() { output, secrets = nil, map[string]bool{} }()
	watch("a-token-of-a-caller", []byte(`{"name":"a farm with a name","password":"a password to keep"}`), []byte(`{"data":[{"key":"tk.0123456789"}]}`), 200)
	require.Empty(t, leaked([]byte("a farm with a name, id 7")))
	for _, text := range []string{"path=/x?t=a-token-of-a-caller", "a password to keep", `"tk.0123456789"`} {
		require.Len(t, leaked([]byte("before "+text+" after")), 1, text)
	}
	watch("", []byte(`{"token":"0123456789ab"}`), []byte(`{"message":"0123456789ab is no token"}`), 400)
	require.Len(t, leaked(output.Bytes()), 1, "an error that repeats it")
}
