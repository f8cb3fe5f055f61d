package engine

import (
	"context"

	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/ports"
)

// BuiltIn is the engine that is part of the program.
type BuiltIn struct{}

var _ ports.Engine = BuiltIn{}

// ID names the engine.
func (BuiltIn) ID() string { return ghg.EngineID }

// Calculate computes with a built-in factor set; an empty id takes the default.
func (BuiltIn) Calculate(ctx context.Context, in ghg.Input, factorSet string, options ghg.Options) (ghg.Result, ports.EngineReference, error) {
	var none ports.EngineReference
	if err := ctx.Err(); err != nil {
		return ghg.Result{}, none, err
	}
	if factorSet == "" {
		factorSet = ghg.IPCC2019
	}
	set, err := FactorSet(factorSet)
	if err != nil {
		return ghg.Result{}, none, fault.Field("factor_set", "There is no factor set of that name: use "+ghg.IPCC2019+" or "+ghg.IPCC2006+".")
	}
	digest, err := in.Digest()
	if err != nil {
		return ghg.Result{}, none, err
	}
	result, err := ghg.Calculate(in, set, options)
	result.InputDigest = digest
	return result, none, err
}
