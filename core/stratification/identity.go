package stratification

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"math"
)

// SeedOf gives the seed of a caller who names none: the first 53 bits of SHA-256 over what
// the maps belong to and the other parameters, so that asking twice gives the same maps. Check accepts the parameters.
func SeedOf(p Params) uint64 {
	p.Seed = 0
	return seedOf(p.Scope, p)
}

// SeedOfPlan gives the seed of a plan for which the caller names none, as SeedOf.
func SeedOfPlan(p PlanParams) uint64 {
	p.Seed = 0
	return seedOf(p.Scope, p)
}

func seedOf(scope string, params any) uint64 {
	sum := sha256.Sum256(append([]byte(scope), canonical(params)...))
	return binary.BigEndian.Uint64(sum[:8]) >> 11
}

// PlanSeedOf is SeedOf of a sample plan: what it belongs to is its map.
func PlanSeedOf(p PlanParams) uint64 {
	p = p.settled()
	p.Seed = 0
	sum := sha256.Sum256(append([]byte(p.Scope), canonical(p)...))
	return binary.BigEndian.Uint64(sum[:8]) >> 11
}

// canonical gives parameters as JSON with its members in a fixed order.
func canonical(p any) []byte {
	raw, err := json.Marshal(p) // maps come out with sorted keys
	if err != nil {
		panic(err) // Check refuses what is not a number
	}
	return raw
}

// fingerprint hashes everything that the maps follow from.
func fingerprint(f *Frame, layers []Layer, p Params) []byte {
	h := sha256.New()
	_, _ = io.WriteString(h, AlgorithmVersion) // a hash takes everything
	_, _ = h.Write(canonical(p))
	write(h, int64(f.EPSG), int64(f.EdgeMask), int64(len(f.Cells)), bitsOf(f.CellSize), bitsOf(f.OriginX), bitsOf(f.OriginY))
	for _, c := range f.Cells {
		masked := int32(0)
		if c.Masked {
			masked = 1
		}
		write(h, c.Row, c.Col, masked)
	}
	for _, field := range f.Fields {
		for _, polygon := range field {
			for _, ring := range polygon {
				write(h, int64(len(ring)))
				for _, v := range ring {
					write(h, bitsOf(v.X), bitsOf(v.Y))
				}
			}
		}
	}
	for _, l := range layers {
		write(h, int64(len(l.Name)))
		_, _ = io.WriteString(h, l.Name)
		for _, v := range l.Values {
			write(h, bitsOf(v))
		}
	}
	return h.Sum(nil)
}

// bitsOf gives a number as it is hashed; every NaN is the same.
func bitsOf(v float64) int64 {
	if math.IsNaN(v) {
		return math.MaxInt64
	}
	return int64(math.Float64bits(v))
}

// write hashes numbers, in network order.
func write[T int32 | int64](h hash.Hash, numbers ...T) {
	var raw [8]byte
	for _, v := range numbers {
		binary.BigEndian.PutUint64(raw[:], uint64(v))
		_, _ = h.Write(raw[:])
	}
}

// mapUUID gives the id of the map of k zones: version 5 in the form of RFC 9562, section 5.5,
// from SHA-256.
func mapUUID(print []byte, k int) string {
	return uuidOf(append(append([]byte(nil), print...), byte(k)))
}

// planUUID gives the id of the plan of a map.
func planUUID(z *Zoning, p PlanParams) string {
	h := sha256.New()
	_, _ = io.WriteString(h, PlanVersion)
	_, _ = h.Write(canonical(p))
	write(h, z.Labels...)
	return uuidOf(h.Sum(nil))
}

// uuidOf gives the id of what bytes stand for.
func uuidOf(of []byte) string {
	sum := sha256.Sum256(of)
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	s := hex.EncodeToString(u)
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// RunKey names a call that makes maps: what the prepared layers of an order are (their
// digest), which of them are used, and the parameters. Check accepts the parameters.
func RunKey(digest string, layers []string, p Params) string {
	h := sha256.New()
	for _, s := range append([]string{AlgorithmVersion, digest}, layers...) {
		write(h, int64(len(s)))
		_, _ = io.WriteString(h, s) // a hash takes everything
	}
	_, _ = h.Write(canonical(p))
	return hex.EncodeToString(h.Sum(nil))
}
