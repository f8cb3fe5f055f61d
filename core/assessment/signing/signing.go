// Package signing holds who may sign a submitted version of an assessment, and what a signature is of.
package signing

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"tilth/core/fault"
)

// Allowed refuses (Conflict) the signature of who submitted a version: a second person signs it; and a second
// signature of one person. submitter is 0 where that user is gone.
func Allowed(signer, submitter int64, signed []int64) error {
	switch {
	case signer == submitter:
		return fault.New(fault.Conflict, "own_submission", "You submitted this version; a second person signs it.")
	case slices.Contains(signed, signer):
		return fault.New(fault.Conflict, "already_signed", "You have signed this version.")
	}
	return nil
}

// Parts name what a signature is of, in the order in which it is hashed. Parts are added at the end, and a signature keeps
// how many it is of.
var Parts = []string{
	"input_digest", "entered_digest", "engine.id", "engine.version", "factor_set.id", "factor_set.version", "factor_set.digest", "gwp_set",
	"report_digest",   // the first signatures are of the parts above
	"evidence_digest", // those of before files could be attached are of the parts above
}

// Digest returns what a signature is of: the SHA-256, in hexadecimal, of [Parts] of a version, one a line.
func Digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])
}
