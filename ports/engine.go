package ports

import (
	"context"

	"tilth/core/ghg"
)

// Engine computes the greenhouse-gas result of an assessment. Implementations are safe
// for concurrent use and bound every external call by time and number of tries. The same
// input and factor set give the same result, however often they are asked for.
//
// Faults: Invalid, with the section, the item and the field, when the input cannot be
// computed; Unavailable when an external engine cannot be reached or its answer is no
// result.
type Engine interface {
	// ID names the engine in results.
	ID() string
	// Calculate returns the result by a factor set, and what an external engine calls it.
	// The reference is private: it belongs in a table of its own, and in no result, report
	// or answer.
	Calculate(ctx context.Context, in ghg.Input, factorSet string, options ghg.Options) (ghg.Result, EngineReference, error)
}

// EngineReference holds the identifiers that an external engine gave an assessment; empty
// for an engine without any. It has no JSON form on purpose.
type EngineReference struct {
	Account    string `json:"-"`
	Assessment string `json:"-"`
	Run        string `json:"-"`
}
