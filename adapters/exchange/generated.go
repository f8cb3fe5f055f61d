package exchange

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"strings"

	"tilth/core/stratification/generated"
	"tilth/ports"
)

var generatedColumns = []ports.Column{
	{Name: "at"}, {Name: "by"}, {Name: "api_key"}, {Name: "kind"}, {Name: "made"}, {Name: "saved"}, {Name: "map_uuid"}, {Name: "based_on"},
	{Name: "seed"}, {Name: "seed_source"}, {Name: "seed_phrase"}, {Name: "seed_pulse"}, {Name: "seed_value"}, {Name: "seed_text"},
	{Name: "algorithm_version"}, {Name: "parameters"}, {Name: "outcome"},
}

// WriteGenerated implements ports.StratificationFiles: a table, with parameters and outcome as JSON.
func (StratificationFiles) WriteGenerated(to io.Writer, format string, entries iter.Seq2[generated.Entry, error]) error {
	f := shapesFile{format: format, stem: "Generated", columns: generatedColumns}
	return f.write(context.Background(), to, func(yield func(shape, error) bool) {
		for e, err := range entries {
			var parameters, outcome []byte
			if err == nil {
				parameters, err = json.Marshal(e.Parameters)
			}
			if err == nil {
				outcome, err = json.Marshal(e.Outcome)
			}
			at, key := e.At, e.KeyID
			values := []any{
				&at, e.Actor(), key, e.Kind, strings.Join(e.Made, " "), strings.Join(e.Saved, " "), e.MapUUID, e.BasedOn,
				e.Seed, string(e.SeedSource), e.SeedPhrase, e.SeedPulse, e.SeedValue, e.SeedText,
				e.AlgorithmVersion, string(parameters), string(outcome),
			}
			if !yield(shape{values: values}, err) || err != nil {
				return
			}
		}
	})
}
