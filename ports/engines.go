package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/ghg"
)

// Engine computes the greenhouse-gas result of an assessment. Implementations are safe for
// concurrent use and bound every external call by time and number of tries. The same input and
// factor set yield the same result, however often it is requested.
//
// Faults: Invalid, with the section, the item and the field, when the input cannot be computed;
// Unavailable when an external engine cannot be reached or its answer is not a result.
type Engine interface {
	// ID names the engine in results.
	ID() string
	// Calculate returns the result by a factor set, and what an external engine calls it.
	// The reference is private: it belongs in a table of its own, and in no result, report
	// or answer.
	Calculate(ctx context.Context, in ghg.Input, factorSet string, options ghg.Options) (ghg.Result, EngineReference, error)
}

// EngineReference is what an external engine calls an assessment; else empty. It has no JSON form on purpose.
type EngineReference struct {
	Account    string `json:"-"`
	Assessment string `json:"-"`
	Run        string `json:"-"`
}

// EngineChoice names the engine and the factor set that the results of a company are
// computed with. Empty members stand for the default: the built-in engine, and the newest
// factor set of the engine.
type EngineChoice struct{ Engine, FactorSet string }

// Engines are the calculation engines that are configured.
type Engines interface {
	// Engine returns an engine by its id, empty for the built-in one. Faults: Unavailable (engine_unconfigured).
	Engine(id string) (Engine, error)
	// Check verifies a choice against the engines and their factor sets. Faults: Invalid.
	Check(choice EngineChoice) error
}

// EngineChoices are what companies have chosen.
type EngineChoices interface {
	// Get returns the choice of a company; the default where none was made.
	Get(ctx context.Context, scope access.Scope) (EngineChoice, error)
	// Set stores the choice of a company.
	Set(ctx context.Context, scope access.Scope, choice EngineChoice, at time.Time) error
}
