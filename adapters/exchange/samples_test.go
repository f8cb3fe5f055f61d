package exchange_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/fault"
	"tilth/core/stratification/labtable"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// Whatever a file holds, its rows can be applied to a sample, or it is refused with a reason.
func FuzzSampleRows(f *testing.F) {
	for _, seed := range []string{
		"label,soc_pct\nP1-Z1-01-0-30,2.5\n", "\xef\xbb\xbfLabel;lon;lat\na;1;2\n", `[{"label": "a", "soc_pct": 2.5, "notes": null}]`,
		"", "label\n\"", "[null]", "label,soc_pct\na,NaN\n", `[{"label": {"a": [1]}}]`,
		"Sample;SOC [g/kg];BD (kg/m\xb3)\na;23,4;1300\na;<2;n.d.\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		table, err := exchange.SampleTables{}.Read(bytes.NewReader(content), ports.SampleTableOptions{MaxRows: 100})
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		labtable.Repeats(table.Rows, true)
		for _, r := range table.Rows {
			if len(r.Errors) > 0 {
				continue
			}
			s, _, _ := r.Apply(sample.Sample{})
			s.Normalise()
			s.Check()
		}
	})
}
