package engine

import (
	"maps"
	"slices"
	"strings"

	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/ports"
)

// Registry holds the engines of a program: the built-in one, and those that are configured.
type Registry struct {
	engines map[string]ports.Engine
}

var _ ports.Engines = (*Registry)(nil)

// NewRegistry makes the registry of the built-in engine and the external ones given.
func NewRegistry(external ...ports.Engine) *Registry {
	r := &Registry{map[string]ports.Engine{ghg.EngineID: BuiltIn{}}}
	for _, e := range external {
		r.engines[e.ID()] = e
	}
	return r
}

// Engine implements ports.Engines.
func (r *Registry) Engine(id string) (ports.Engine, error) {
	if id == "" {
		id = ghg.EngineID
	}
	e, ok := r.engines[id]
	if !ok {
		return nil, fault.Newf(fault.Unavailable, "engine_unconfigured", "The calculation engine %s of your company is not configured here; tell the operator.", id)
	}
	return e, nil
}

// Check implements ports.Engines. Which factor sets an external engine has only that engine knows.
func (r *Registry) Check(choice ports.EngineChoice) error {
	f := fault.Fields{}
	e, err := r.Engine(choice.Engine)
	if err != nil {
		f.Addf("engine", "There is no engine %q here; there are %s.", choice.Engine, strings.Join(slices.Sorted(maps.Keys(r.engines)), ", "))
	}
	if _, builtIn := e.(BuiltIn); builtIn && choice.FactorSet != "" {
		if _, err := FactorSet(choice.FactorSet); err != nil {
			f.Addf("factor_set", "There is no factor set %q; there are %s and %s.", choice.FactorSet, ghg.IPCC2019, ghg.IPCC2006)
		}
	}
	return f.Err()
}
