// Package etag computes ETags for answers, so that a caller can ask whether an answer is unchanged, or write only if it is.
//
// An ETag is "version:content". The version changes with every write of the record. If-Match is
// compared with it, inside the transaction of the write. The content changes with every byte of the
// answer, also when a name that is shown with the record changes elsewhere; If-None-Match is compared
// with it. A compressed answer has a third part, which names the coding. Answers that are not
// records have no version.
package etag

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Versioned is implemented by answers that are writable records.
type Versioned interface {
	// Version changes with every write of the record. It has no quote, colon or tilde.
	Version() string
}

const versionEnd = ":"

// CodingStart separates the coding from the rest of an ETag: the answer in a content coding is
// another representation (RFC 9110, section 8.8.3.3).
const CodingStart = "~"

// Of returns the ETag of an answer with the content text; value may be Versioned.
func Of(value any, text []byte) string {
	version := ""
	if v, ok := value.(Versioned); ok {
		version = v.Version()
	}
	sum := sha256.Sum256(text)
	return `"` + version + versionEnd + hex.EncodeToString(sum[:10]) + `"`
}

// Matches reports whether an If-Match header allows a record to be written; a header without tags does.
func Matches(ifMatch []string, record Versioned) bool {
	tags := listed(ifMatch)
	// A weak tag (W/"…") matches nothing: RFC 9110, section 13.1.1.
	return len(tags) == 0 || slices.ContainsFunc(tags, func(tag string) bool {
		return tag == "*" || strings.HasPrefix(strings.TrimPrefix(tag, `"`), record.Version()+versionEnd)
	})
}

// Known reports whether an If-None-Match header names a tag, and in which form. The representation that the caller has,
// possibly in a content coding, is the one to confirm; known is empty if the header matches anything (*).
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

// listed returns the members of a comma-separated header. Our ETags contain no comma, and others match nothing.
func listed(values []string) []string {
	return strings.FieldsFunc(strings.Join(values, ","), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}
