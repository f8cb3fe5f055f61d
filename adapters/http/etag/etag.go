// Package etag names what is answered, so that a caller can ask whether it is still so, or write only where it is.
//
// An ETag is "version:content". The version changes with every write of the record, and
// is what If-Match is held against, inside the transaction of the write; the content
// changes with every byte of the answer, also when a name that is shown with the record
// changes elsewhere, and is what If-None-Match is held against. An answer that was
// compressed carries a third part, which names the coding. Answers that are no record
// have no version.
package etag

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Versioned is implemented by answers that are records which can be written.
type Versioned interface {
	// Version changes with every write of the record. It has no quote, colon or tilde.
	Version() string
}

const versionEnd = ":"

// CodingStart parts the coding from an ETag: the answer in a content coding is another
// representation (RFC 9110, section 8.8.3.3).
const CodingStart = "~"

// Of returns the ETag of an answer of which text is the content; value may be Versioned.
func Of(value any, text []byte) string {
	version := ""
	if v, ok := value.(Versioned); ok {
		version = v.Version()
	}
	sum := sha256.Sum256(text)
	return `"` + version + versionEnd + hex.EncodeToString(sum[:10]) + `"`
}

// Matches reports whether a header If-Match allows to write a record; one without tags does.
func Matches(ifMatch []string, record Versioned) bool {
	tags := listed(ifMatch)
	// A weak tag (W/"…") matches nothing: RFC 9110, section 13.1.1.
	return len(tags) == 0 || slices.ContainsFunc(tags, func(tag string) bool {
		return tag == "*" || strings.HasPrefix(strings.TrimPrefix(tag, `"`), record.Version()+versionEnd)
	})
}

// Known reports whether a header If-None-Match names a tag, and how: the caller's own representation, in a content coding, is
// the one that is confirmed; empty for any.
func Known(ifNoneMatch []string, tag string) (known string, ok bool) {
	for _, known := range listed(ifNoneMatch) {
		known = strings.TrimPrefix(known, "W/")
		if known == "*" {
			return "", true
		}
		if uncoded, _, coded := strings.Cut(known, CodingStart); known == tag || coded && uncoded+`"` == tag {
			return known, true
		}
	}
	return "", false
}

// listed returns the members of a comma-separated header. ETags of ours hold no comma, and
// others match nothing.
func listed(values []string) []string {
	return strings.FieldsFunc(strings.Join(values, ","), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}
