package views

import "tilth/core/ghg"

// Electricity is what was bought from the grid, by both methods of the GHG Protocol's scope 2 guidance, with the losses of the
// grid, t CO2e. The totals hold the location-based figure alone. A figure that is not given is nil, and a note states why.
type Electricity struct {
	BoughtKWh      float64  `json:"bought_kwh" doc:"Electricity bought from the grid, kWh."`
	LocationBased  float64  `json:"location_based" doc:"Its emissions by the average of the grid, t CO2e."`
	MarketBased    *float64 `json:"market_based" doc:"Its emissions by what was bought, t CO2e; null where no market-based factor is entered."`
	MarketCoverage float64  `json:"market_coverage" doc:"Share of the kWh for which a market-based factor was entered, 0 to 1; the rest takes the average of the grid, the last resort in the guidance."`
	MarketNote     string   `json:"market_note,omitempty" doc:"What to note about the market-based figure; absent where there is nothing."`
	Scope2Location float64  `json:"scope_2_location_based" doc:"Scope 2 by the average of the grid, with heat, as in the totals, t CO2e."`
	Scope2Market   *float64 `json:"scope_2_market_based" doc:"Scope 2 by what was bought, with heat, t CO2e; null where no market-based factor is entered."`
	GridLosses     *float64 `json:"grid_losses" doc:"Emissions of the losses of the grid, t CO2e: scope 3, category 3, outside the totals; null where no losses are known."`
	LossCoverage   float64  `json:"grid_loss_coverage" doc:"Share of the kWh whose losses are known, 0 to 1."`
	LossNote       string   `json:"grid_loss_note,omitempty" doc:"What to note about the losses; absent where there is nothing."`
}

// Notes where a figure is not given, or not for all of the electricity.
const (
	NoElectricity = "no electricity of the grid entered"
	NotTold       = "the engine does not state which part of its electricity was bought"
	NoMarket      = "not given: no market-based factor entered"
	PartMarket    = "electricity without a market-based factor takes the average of the grid"
	NoLosses      = "not given: no losses entered, and none with a source for the country"
	PartLosses    = "not for all electricity: the rest has no losses with a source"
)

func electricity(res ghg.Result) Electricity {
	var out Electricity
	var scope2 float64
	for _, l := range res.Lines {
		if l.Scope == 2 {
			scope2 += l.CO2e
		}
	}
	out.Scope2Location = ghg.Tonnes(scope2)
	e := res.Electricity
	if e == nil || e.KWh <= 0 {
		note := NoElectricity
		if e == nil && scope2 > 0 && res.Engine.ID != ghg.EngineID {
			note = NotTold
		}
		out.MarketNote, out.LossNote = note, note
		return out
	}
	out.BoughtKWh, out.LocationBased = ghg.Rounded(e.KWh), ghg.Tonnes(e.Location)
	out.MarketCoverage, out.LossCoverage = ghg.Rounded(e.MarketKWh/e.KWh), ghg.Rounded(e.LossKWh/e.KWh)
	if e.MarketKWh > 0 {
		bought, all := ghg.Tonnes(e.Location-e.MarketLocation+e.Market), ghg.Tonnes(scope2-e.MarketLocation+e.Market)
		out.MarketBased, out.Scope2Market = &bought, &all
	}
	if e.LossKWh > 0 {
		losses := ghg.Tonnes(e.Losses)
		out.GridLosses = &losses
	}
	out.MarketNote = noteOf(e.MarketKWh, e.KWh, NoMarket, PartMarket)
	out.LossNote = noteOf(e.LossKWh, e.KWh, NoLosses, PartLosses)
	return out
}

func noteOf(known, all float64, none, some string) string {
	switch {
	case known <= 0:
		return none
	case known < all:
		return some
	}
	return ""
}
