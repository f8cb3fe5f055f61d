package zoning

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"tilth/core/stratification/frame"
	internaldigest "tilth/core/stratification/internal/digest"
	"tilth/core/stratification/layer"
)

// SeedOf returns the seed of a caller who names none: the first 53 bits of SHA-256 over what
// the maps belong to and the other parameters, so that asking twice gives the same maps. Check accepts the parameters.
func SeedOf(p Params) uint64 {
	p.Seed = 0
	return internaldigest.Seed(p.Scope, p)
}

// fingerprint hashes everything that the maps follow from.
func fingerprint(f *frame.Frame, layers []layer.Layer, p Params) []byte {
	h := sha256.New()
	_, _ = io.WriteString(h, AlgorithmVersion) // a hash takes everything
	_, _ = h.Write(internaldigest.Canonical(p))
	internaldigest.Write(h, int64(f.EPSG), int64(f.EdgeMask), int64(len(f.Cells)), internaldigest.Bits(f.CellSize), internaldigest.Bits(f.OriginX), internaldigest.Bits(f.OriginY))
	for _, c := range f.Cells {
		masked := int32(0)
		if c.Masked {
			masked = 1
		}
		internaldigest.Write(h, c.Row, c.Col, masked)
	}
	for _, field := range f.Fields {
		for _, polygon := range field {
			for _, ring := range polygon {
				internaldigest.Write(h, int64(len(ring)))
				for _, v := range ring {
					internaldigest.Write(h, internaldigest.Bits(v.X), internaldigest.Bits(v.Y))
				}
			}
		}
	}
	for _, l := range layers {
		internaldigest.Write(h, int64(len(l.Name)))
		_, _ = io.WriteString(h, l.Name)
		for _, v := range l.Values {
			internaldigest.Write(h, internaldigest.Bits(v))
		}
	}
	return h.Sum(nil)
}

// mapUUID returns the id of the map of k zones: version 5 in the form of RFC 9562, section 5.5,
// from SHA-256.
func mapUUID(print []byte, k int) string {
	return internaldigest.UUID(append(append([]byte(nil), print...), byte(k)))
}

// RunKey names a call that makes maps: what the prepared layers of an order are (their
// digest), which of them are used, and the parameters. Check accepts the parameters.
func RunKey(digest string, layers []string, p Params) string {
	h := sha256.New()
	for _, s := range append([]string{AlgorithmVersion, digest}, layers...) {
		internaldigest.Write(h, int64(len(s)))
		_, _ = io.WriteString(h, s) // a hash takes everything
	}
	_, _ = h.Write(internaldigest.Canonical(p))
	return hex.EncodeToString(h.Sum(nil))
}
