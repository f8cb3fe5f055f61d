package transfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/transfer"
)

func TestPartIsOneRangeOfBytes(t *testing.T) {
	t.Parallel()
	const size = 10
	for header, want := range map[string]string{
		"bytes=0-3": "0123", "bytes=4-": "456789", "bytes=-3": "789", "bytes=9-9": "9", "bytes=-99": "0123456789",
		"bytes=8-99": "89", "bytes=3-4611686018427387904": "3456789",
		"": "", "bytes=": "", "bytes=-": "", "bytes=-0": "", "bytes=10-": "", "bytes=5-4": "", "bytes=a-b": "", "bytes=0-1,3-4": "",
		"items=0-3": "", "bytes=--1": "", "bytes=+1-2": "", "bytes=99999999999999999999-": "",
	} {
		from, until, ok := transfer.Part(header, size)
		require.Equal(t, want != "", ok, header)
		if ok {
			require.Equal(t, want, "0123456789"[from:until], header)
		}
	}
	_, _, ok := transfer.Part("bytes=-1", 0)
	require.False(t, ok, "of nothing there is no part")
}

func FuzzPart(f *testing.F) {
	f.Add("bytes=0-3", 10)
	f.Add("bytes=-3", 0)
	f.Add("bytes=18446744073709551615-", 1)
	f.Fuzz(func(t *testing.T, header string, size int) {
		size = max(0, size)
		if from, until, ok := transfer.Part(header, size); ok && (from < 0 || from >= until || until > size) {
			t.Fatalf("%q of %d bytes is %d to %d", header, size, from, until)
		}
	})
}
