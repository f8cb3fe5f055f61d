package plan

import (
	"crypto/sha256"
	"io"

	"tilth/core/stratification/internal/digest"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
)

// Seeded returns parameters that pass Check with the seed of a choice; see zoning.Params.Seeded.
func (p Params) Seeded(c seed.Choice) Params {
	p.Seed, p.Origin = 0, seed.Origin{}
	of := p
	of.Journey = Journey{} // the same points, wherever the crew comes from
	p.Seed, p.Origin = c.Of(p.Scope, of)
	return p
}

func planUUID(z *zoning.Zoning, p Params) string {
	h := sha256.New()
	p.Origin = p.Origin.Chosen()
	_, _ = io.WriteString(h, Version)
	_, _ = h.Write(digest.Canonical(p))
	digest.Write(h, z.Labels...)
	return digest.UUID(h.Sum(nil))
}

func customUUID(base string, operations []Operation) string {
	h := sha256.New()
	_, _ = io.WriteString(h, Version+base)
	_, _ = h.Write(digest.Canonical(operations))
	return digest.UUID(h.Sum(nil))
}
