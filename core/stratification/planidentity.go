package stratification

import (
	"crypto/sha256"
	"io"
)

// SeedOfPlan gives the seed of a plan for which the caller names none, as SeedOf.
func SeedOfPlan(p PlanParams) uint64 {
	p.Seed = 0
	return seedOf(p.Scope, p)
}

// planUUID gives the id of the plan of a map.
func planUUID(z *Zoning, p PlanParams) string {
	h := sha256.New()
	_, _ = io.WriteString(h, PlanVersion)
	_, _ = h.Write(canonical(p))
	write(h, z.Labels...)
	return uuidOf(h.Sum(nil))
}

// customUUID gives the id of a plan that operations make of another.
func customUUID(base string, operations []Operation) string {
	h := sha256.New()
	_, _ = io.WriteString(h, PlanVersion+base)
	_, _ = h.Write(canonical(operations))
	return uuidOf(h.Sum(nil))
}
