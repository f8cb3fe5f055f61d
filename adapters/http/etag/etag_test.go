package etag_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/etag"
)

type record struct{}

func (record) Version() string { return "3" }

func TestWritesAreHeldAgainstTheVersion(t *testing.T) {
	tag := etag.Of(record{}, []byte("text"))
	for header, want := range map[string]bool{
		"": true, "*": true, tag: true, etag.Of(record{}, []byte("another text")): true, `"2:x", ` + tag: true,
		`"2:x"`: false, "W/" + tag: false, `"33:x"`: false, etag.Of(nil, []byte("text")): false,
	} {
		require.Equal(t, want, etag.Matches([]string{header}, record{}), header)
	}
}

func TestReadsAreHeldAgainstTheContent(t *testing.T) {
	tag := etag.Of(record{}, []byte("text"))
	coded := tag[:len(tag)-1] + etag.CodingStart + `gzip"`
	for header, want := range map[string]string{tag: tag, "W/" + tag: tag, `"2:x", ` + coded: coded, "*": ""} {
		known, ok := etag.Known([]string{header}, tag)
		require.True(t, ok, header)
		require.Equal(t, want, known, "the caller's own representation is confirmed")
	}
	for _, header := range []string{"", `"2:x"`, etag.Of(record{}, []byte("another text"))} {
		_, ok := etag.Known([]string{header}, tag)
		require.False(t, ok, header)
	}
}
