// Package signing defines who may sign a submitted version of an assessment, and what a signature covers.
package signing

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"tilth/core/fault"
)

// Allowed refuses (Conflict) the signature of the user who submitted a version, because a second person signs it, and a
// second signature of one person. submitter is 0 where that user is gone.
func Allowed(signer, submitter int64, signed []int64) error {
	switch {
	case signer == submitter:
		return fault.New(fault.Conflict, "own_submission", "You submitted this version; a second person must sign it.")
	case slices.Contains(signed, signer):
		return fault.New(fault.Conflict, "already_signed", "You have already signed this version.")
	}
	return nil
}

// Parts names the parts that a signature covers, in the order in which they are hashed. New parts are added at the end,
// and a signature keeps the number of parts that it covers.
var Parts = []string{
	"input_digest", "entered_digest", "engine.id", "engine.version", "factor_set.id", "factor_set.version", "factor_set.digest", "gwp_set",
	"report_digest",   // the first signatures cover the parts above
	"evidence_digest", // those from before files could be attached cover the parts above
}

// Digest returns what is signed: the SHA-256, in hexadecimal, of the [Parts] of a version, one per line.
func Digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])
}
