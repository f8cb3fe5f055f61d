package zoning

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/digest"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/seed"
)

// Seeded returns parameters that pass Check with the seed of a choice. Without a choice the seed follows from
// the scope and the other parameters, so that the same call yields the same maps.
func (p Params) Seeded(c seed.Choice) Params {
	p.Seed, p.Origin = 0, seed.Origin{}
	p.Seed, p.Origin = c.Of(p.Scope, p)
	return p
}

// named returns the parameters as they identify maps.
func (p Params) named() Params {
	p.Origin = p.Origin.Chosen()
	return p
}

func fingerprint(f *frame.Frame, layers []layer.Layer, p Params) []byte {
	h := sha256.New()
	_, _ = io.WriteString(h, AlgorithmVersion) // writing to a hash never fails
	_, _ = h.Write(digest.Canonical(p.named()))
	digest.Write(h, int64(f.EPSG), int64(f.EdgeMask), int64(len(f.Cells)), digest.Bits(f.CellSize), digest.Bits(f.OriginX), digest.Bits(f.OriginY))
	for _, c := range f.Cells {
		masked := int32(0)
		if c.Masked {
			masked = 1
		}
		digest.Write(h, c.Row, c.Col, masked)
	}
	for _, field := range f.Fields {
		for _, ring := range field.Rings() {
			digest.Write(h, int64(len(ring)))
			for _, v := range ring {
				digest.Write(h, digest.Bits(v.X), digest.Bits(v.Y))
			}
		}
	}
	for _, l := range layers {
		l.Digest(h)
	}
	return h.Sum(nil)
}

func mapUUID(print []byte, k int) string {
	return digest.UUID(append(append([]byte(nil), print...), byte(k)))
}

// RunKey names a call of Zones by the digest of the prepared layers, the layers it uses and p.
func RunKey(prepared string, layers []string, p Params) string {
	h := sha256.New()
	for _, s := range append([]string{AlgorithmVersion, prepared}, layers...) {
		digest.WriteText(h, s)
	}
	_, _ = h.Write(digest.Canonical(p.named()))
	return hex.EncodeToString(h.Sum(nil))
}
