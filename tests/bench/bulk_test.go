package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// outlines returns a bulk of fields with round outlines of the same number of corners, all on the same ground or apart.
func outlines(b *testing.B, farm int64, count, corners, turn int, apart bool) []byte {
	b.Helper()
	fields := make([]any, count)
	for n := range fields {
		east, north := 0.0, 0.005*float64(turn%5000)
		if apart {
			east = 0.005 * float64(n)
		}
		ring := make([][2]float64, corners+1)
		for i := range ring {
			sin, cos := math.Sincos(2 * math.Pi * float64(i%corners) / float64(corners))
			ring[i] = [2]float64{-4 + east + 0.002*cos, 20 + north + 0.002*sin}
		}
		fields[n] = map[string]any{
			"name": fmt.Sprint("Field ", n), "farm_id": farm,
			"boundary": map[string]any{"type": "Polygon", "coordinates": [][][2]float64{ring}},
		}
	}
	text, err := json.Marshal(fields)
	require.NoError(b, err)
	return text
}

// BenchmarkFieldCreateBulk50 creates 50 fields of 350 corners in one request: apart from each other, and all on
// the same ground, which is the worst case of the check for overlaps.
func BenchmarkFieldCreateBulk50(b *testing.B) {
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		for ground, apart := range map[string]bool{"apart": true, "same-ground": false} {
			b.Run(name+"/"+ground, func(b *testing.B) {
				s := rig.Start(b, rig.Options{Database: open(b), Config: func(c *cli.Config) { c.RateLimit = 0 }})
				c := s.Company("owner", 0)
				farm := c.Make("farm/", map[string]any{"name": "Large", "location": map[string]any{"type": "Point", "coordinates": []float64{-4, 20}}})
				for turn := 0; b.Loop(); turn++ {
					b.StopTimer()
					body := outlines(b, farm, 50, 350, turn, apart)
					b.StartTimer()
					c.Expect(http.StatusOK, http.MethodPost, "field/", body)
				}
			})
		}
	}
}
