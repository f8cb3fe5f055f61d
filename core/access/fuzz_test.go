package access_test

import (
	"testing"

	"tilth/core/access"
)

// FuzzCovers looks for patterns that are said to be covered and yet give a slug that is not held: a way to gain
// permissions.
func FuzzCovers(f *testing.F) {
	for _, seed := range [][2]string{{"*", "farm.*"}, {"*.view", "wallet.*"}, {"*.view", "audit.view"}, {"farm.view", "*"}, {"farm.*", "farm.view"}, {"", "."}, {"a.b.c", "*.b.c"}} {
		f.Add(seed[0], seed[1])
	}
	slugs := access.KnownSlugs()
	f.Fuzz(func(t *testing.T, held, pattern string) {
		if !access.Covers([]string{held}, pattern) {
			return
		}
		for _, slug := range slugs {
			if access.Match(pattern, slug) && !access.Match(held, slug) {
				t.Errorf("%q is said to cover %q, but does not give %s", held, pattern, slug)
			}
		}
	})
}
