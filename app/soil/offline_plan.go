package soil

import "tilth/core/stratification/plan"

// plan makes the sample plan of the recommended zones, if one is asked for and there are any.
func (a *OfflineAnswer) plan(req OfflineRequest) error {
	if req.Plan == nil {
		return nil
	}
	for i := range a.Result.Candidates {
		c := &a.Result.Candidates[i]
		if !c.Recommended {
			continue
		}
		p := *req.Plan
		p.Scope, p.Seed = c.MapUUID, req.Params.Seed
		p.CV, p.Rho2 = req.Params.CV, req.Params.Rho2
		if !req.Seeded {
			p.Seed = plan.SeedOf(p)
		}
		plan, err := plan.New(&a.Frame, &c.Zoning, p)
		if err != nil {
			return err
		}
		a.Plan = &plan
	}
	return nil
}
