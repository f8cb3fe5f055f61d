package footprint

import (
	"crypto/sha1" // names of version 5 are made with it (RFC 9562, section 5.5); nothing secret is
	"encoding/hex"
	"fmt"
	"strings"
)

// UUID returns the UUID of version 5 of a name in a namespace (RFC 9562, section 5.5).
func UUID(namespace, name string) (string, error) {
	space, err := hex.DecodeString(strings.ReplaceAll(namespace, "-", ""))
	if err != nil || len(space) != 16 {
		return "", fmt.Errorf("the namespace %q is not a UUID", namespace)
	}
	sum := sha1.Sum(append(space, name...))
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	text := hex.EncodeToString(id)
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-"), nil
}

// IDOf returns the id of a publication of a version in the namespace of its company: n counts the publications of the
// version from 1. Each has an id of its own, because a footprint never changes.
func IDOf(namespace string, assessment int64, version, n int) (string, error) {
	name := fmt.Sprintf("assessment/%d/version/%d", assessment, version)
	if n > 1 {
		name += fmt.Sprintf("/publication/%d", n)
	}
	return UUID(namespace, name)
}
