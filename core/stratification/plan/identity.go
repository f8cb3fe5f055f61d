package plan

import (
	"crypto/sha256"
	"io"

	"tilth/core/stratification/internal/digest"
	"tilth/core/stratification/zoning"
)

// SeedOf returns the seed of a plan without one of its own; see zoning.SeedOf.
func SeedOf(p Params) uint64 {
	p.Seed = 0
	return digest.Seed(p.Scope, p)
}

func planUUID(z *zoning.Zoning, p Params) string {
	h := sha256.New()
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
