// Package digest hashes inputs into seeds and ids. A change here changes the seeds and ids of all maps.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"math"
)

// Canonical returns parameters as JSON with its members in a fixed order.
func Canonical(p any) []byte {
	raw, err := json.Marshal(p) // maps come out with sorted keys
	if err != nil {
		panic(err) // Check refuses what is not a number
	}
	return raw
}

// Bits returns the bits of a number for hashing; every NaN has the same.
func Bits(v float64) int64 {
	if math.IsNaN(v) {
		return math.MaxInt64
	}
	return int64(math.Float64bits(v))
}

// Write hashes numbers, in network order.
func Write[T int32 | int64](h hash.Hash, numbers ...T) {
	var raw [8]byte
	for _, v := range numbers {
		binary.BigEndian.PutUint64(raw[:], uint64(v))
		_, _ = h.Write(raw[:])
	}
}

// WriteText hashes a text with its length, so that no two sequences of texts have the same bytes.
func WriteText(h hash.Hash, text string) {
	Write(h, int64(len(text)))
	_, _ = h.Write([]byte(text)) // writing to a hash never fails
}

// UUID returns the id of bytes: version 5 in the form of RFC 9562, section 5.5, from SHA-256.
func UUID(of []byte) string {
	sum := sha256.Sum256(of)
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	s := hex.EncodeToString(u)
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
