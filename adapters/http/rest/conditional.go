package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"tilth/core/fault"
)

// An ETag is "version:content". The version changes with every write of the record, and
// is what If-Match is held against, inside the transaction of the write; the content
// changes with every byte of the answer, also when a name that is shown with the record
// changes elsewhere, and is what If-None-Match is held against. An answer that was
// compressed carries a third part, which names the coding. Answers that are no record
// have no version.

// Versioned is implemented by answers that are records which can be written.
type Versioned interface {
	// Version changes with every write of the record. It has no quote, colon or tilde.
	Version() string
}

const versionEnd = ":"

// CodingStart parts the coding from an ETag: the answer in a content coding is another
// representation (RFC 9110, section 8.8.3.3).
const CodingStart = "~"

// Tag returns the ETag of an answer of which text is the content; value may be Versioned.
func Tag(value any, text []byte) string {
	version := ""
	if v, ok := value.(Versioned); ok {
		version = v.Version()
	}
	sum := sha256.Sum256(text)
	return `"` + version + versionEnd + hex.EncodeToString(sum[:10]) + `"`
}

// IfMatch refuses a write whose If-Match names another version of the record. It is
// called under the lock of the write. Without the header there is nothing to refuse.
// Faults: Precondition (precondition_failed).
func (c *Call) IfMatch(record Versioned) error {
	tags := listed(c.request.Header.Values("If-Match"))
	// A weak tag (W/"…") matches nothing: RFC 9110, section 13.1.1.
	if len(tags) == 0 || slices.ContainsFunc(tags, func(tag string) bool {
		return tag == "*" || strings.HasPrefix(strings.TrimPrefix(tag, `"`), record.Version()+versionEnd)
	}) {
		return nil
	}
	return fault.New(fault.Precondition, "precondition_failed",
		"The record has changed since the version that If-Match names; get it again.")
}

// unchanged answers a GET with 304 where If-None-Match names what would be answered.
func (c *Call) unchanged(tag string) bool {
	if c.route.Method != http.MethodGet {
		return false
	}
	for _, known := range listed(c.request.Header.Values("If-None-Match")) {
		known = strings.TrimPrefix(known, "W/")
		if known != "*" {
			if uncoded, _, coded := strings.Cut(known, CodingStart); known != tag && (!coded || uncoded+`"` != tag) {
				continue
			}
			c.SetHeader("ETag", known) // the caller's own representation is the one that is confirmed
		}
		c.writer.WriteHeader(http.StatusNotModified)
		return true
	}
	return false
}

// listed returns the members of a comma-separated header. ETags of ours hold no comma, and
// others match nothing.
func listed(values []string) []string {
	return strings.FieldsFunc(strings.Join(values, ","), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}
