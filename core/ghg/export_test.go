package ghg

// Steps returns every equation of the engine, in a fixed order.
func Steps() []*Step { return steps }

// Compute returns the result for the arguments in their order.
func (s *Step) Compute(arguments ...float64) float64 { return s.compute(arguments) }

// WarmingPotential returns kg CO2e per kg of a gas over 100 years.
func (s *FactorSet) WarmingPotential(g Gas) float64 { return s.gwp[g] }
