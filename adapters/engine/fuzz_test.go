package engine

import (
	"encoding/json"
	"math"
	"testing"

	"tilth/core/ghg/report"
)

// FuzzAnswer: whatever an engine answers is refused, or is a result that can be shown.
func FuzzAnswer(f *testing.F) {
	digest, err := snapshot().Digest()
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"contract":"tilth-ghg/1","input_digest":"` + digest + `","factor_set":{"id":"a"},"gwp_set":"ar6","gwp":{"co2":1},"lines":[{"label":"machinery","scope":1,"tier":1,"kg":{"co2":1e308}},{"label":"machinery","scope":1,"tier":1,"kg":{"co2":1e308}}],"high":1e308}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var answer computed
		if json.Unmarshal(text, &answer) != nil {
			return
		}
		res, err := answer.result("elsewhere", digest, snapshot())
		if err != nil {
			return
		}
		for _, v := range []float64{res.Emissions, res.Removed, res.Low, res.High, res.BiogenicCO2} {
			if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%g of %s", v, text)
			}
		}
		if _, err := json.Marshal(report.New(res, report.About{})); err != nil {
			t.Fatal(err)
		}
	})
}
