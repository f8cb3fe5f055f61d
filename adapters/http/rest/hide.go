package rest

import (
	"bytes"
	"regexp"
)

// Errors may repeat what a caller sent, to name what is wrong. A key, a token or the secret of a
// link in the wrong place is not repeated: errors end up in the logs of callers.

const hidden = "(hidden)"

var credentialRun = regexp.MustCompile(`[A-Za-z0-9_-]{20,}`)

// hideCredentials replaces what looks like random letters and digits in the text of an error.
func hideCredentials(text []byte) []byte {
	return credentialRun.ReplaceAllFunc(text, func(run []byte) []byte {
		const upper, lower, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
		if bytes.ContainsAny(run, upper) && bytes.ContainsAny(run, lower) && bytes.ContainsAny(run, digits) {
			return []byte(hidden)
		}
		return run // words, UUIDs and digests have one case
	})
}
