package member_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/http/member"
)

func TestDates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf("%04d-%02d-%02d", rapid.IntRange(1, 9999).Draw(t, "y"), rapid.IntRange(0, 13).Draw(t, "m"), rapid.IntRange(0, 32).Draw(t, "d"))
		d, err := member.ParseDate(text)
		if err == nil && (d.String() != text || member.DateOf(d.Time()) != d) {
			t.Fatalf("%s became %s", text, d)
		}
	})
	_, err := member.ParseDate("2025-02-30")
	require.ErrorContains(t, err, "calendar")
}
