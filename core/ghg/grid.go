package ghg

var (
	stepMarket = newStep("market_based_electricity", "W * EF", "kg CO2e", "GHG Protocol, scope 2 guidance, market-based method", of2(product),
		"W kWh", "EF kg CO2e/kWh")
	// Of the electricity fed in, p per cent is lost, so the loss is p / (100 - p) of what arrives.
	stepGridLoss = newStep("grid_losses", "E * p / (100 - p)", "kg CO2e", "GHG Protocol, scope 3 standard, category 3",
		of2(func(e, p float64) float64 { return e * p / (100 - p) }), "E kg CO2e", "p %")
	stepGridLossRow = newStep("grid_losses_of_country", "W * EF", "kg CO2e", "transmission and distribution", of2(product), "W kWh", "EF kg CO2e/kWh")
)

// Electricity is what was bought from the grid, in kWh and kg CO2e, with the figures that stand beside the totals. The
// totals hold Location alone.
type Electricity struct {
	KWh, Location     float64 // in scope 2 of the totals
	MarketKWh, Market float64 // for which a market-based figure was entered
	// MarketLocation is the part of Location that belongs to MarketKWh.
	MarketLocation  float64
	LossKWh, Losses float64 // for which the losses of the grid are known
}

// bought counts electricity from the grid. f is nil for a pump, which states neither contract nor losses.
func (r *run) bought(kwh, location quantity, f *Fuel) {
	if r.err != nil {
		return
	}
	if r.result.Electricity == nil {
		r.result.Electricity = &Electricity{}
	}
	e := r.result.Electricity
	e.KWh += kwh.v
	e.Location += location.v
	if f != nil && f.MarketEF != nil {
		e.MarketKWh += kwh.v
		e.MarketLocation += location.v
		e.Market += r.do(stepMarket, kwh, r.given(*f.MarketEF, "market_ef")).v
	}
	if f != nil && f.GridLossPct != nil {
		if *f.GridLossPct >= 100 {
			r.refuse("grid_loss_pct", "Losses of the grid must be less than 100 % of what is fed in.")
			return
		}
		e.LossKWh += kwh.v
		e.Losses += r.do(stepGridLoss, location, r.given(*f.GridLossPct, "grid_loss_pct")).v
	} else if row, ok := r.set.mapping.Find(sectionGeneral, "farm_country/grid_losses", r.in.General.Country); ok {
		e.LossKWh += kwh.v
		e.Losses += r.do(stepGridLossRow, kwh, r.resolved(row)).v
	}
}
