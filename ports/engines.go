package ports

import (
	"context"
	"time"

	"tilth/core/access"
)

// EngineChoice names the engine and the factor set that the results of a company are
// computed with. Empty members stand for the default: the built-in engine, and the newest
// factor set of the engine.
type EngineChoice struct{ Engine, FactorSet string }

// Engines are the calculation engines that are configured.
type Engines interface {
	// Engine returns an engine by its id; the built-in one for an empty id.
	// Faults: Unavailable (engine_unconfigured).
	Engine(id string) (Engine, error)
	// Check holds a choice against the engines and their factor sets. Faults: Invalid.
	Check(choice EngineChoice) error
}

// EngineChoices are what companies have chosen.
type EngineChoices interface {
	// Get returns the choice of a company; the default where none was made.
	Get(ctx context.Context, scope access.Scope) (EngineChoice, error)
	// Set stores the choice of a company.
	Set(ctx context.Context, scope access.Scope, choice EngineChoice, at time.Time) error
}
