package views

import "tilth/core/ghg"

// Parts of the inventory by the GHG Protocol's Land Sector and Removals Standard. Removals and the CO2 of biogenic products
// are apart from them.
const (
	LandUseChange  = "land_use_change"
	LandManagement = "land_management"
	NonLand        = "non_land" // energy, and goods that are made or moved elsewhere
)

// Parts by the FLAG guidance of the Science Based Targets initiative.
const (
	FLAGLandUse    = "flag_land_use_change"
	FLAGManagement = "flag_land_management"
	NonFLAG        = "non_flag"
)

// Parts of a product's footprint by ISO 14067:2018, 7.2.
const (
	Fossil   = "fossil"
	Biogenic = "biogenic"
	Aircraft = "aircraft"
)

// Rule says where the lines of a label stand in each view. Methane of biogenic carbon is biogenic on every line.
type Rule struct {
	Label string
	Model string // of the line; empty: any
	Scope int    // of the line; 0: any

	LandSector, FLAG, Product string

	Why string // the part of the guidance that it follows
}

// The reasons of the rules. docs/ghg.md names the documents.
const (
	whyChange   = "land-use change"
	whySoil     = "land management: gases of soils, plants and residues"
	whyStock    = "land management: net CO2 of carbon stocks"
	whyLime     = "land management; the carbon of lime and urea is fossil"
	whyMade     = "made elsewhere; FLAG counts the production of fertilizer"
	whyVehicle  = "burnt by vehicles on the farm, which FLAG counts"
	whyEnergy   = "energy and inputs"
	whyAircraft = "transport by air is stated separately (ISO 14067, 6.4.9.6)"
)

// rules are tried from the top: the first that matches a line applies.
var rules = []Rule{
	{ghg.LabelLandUse, "", 0, LandUseChange, FLAGLandUse, LandUseChange, whyChange},
	{ghg.LabelDirect, "", 0, LandManagement, FLAGManagement, Biogenic, whySoil},
	{ghg.LabelVolatilisation, "", 0, LandManagement, FLAGManagement, Biogenic, whySoil},
	{ghg.LabelLeaching, "", 0, LandManagement, FLAGManagement, Biogenic, whySoil},
	{ghg.LabelResidues, "", 0, LandManagement, FLAGManagement, Biogenic, whySoil},
	{ghg.LabelBurning, "", 0, LandManagement, FLAGManagement, Biogenic, whySoil},
	{ghg.LabelRice, "", 0, LandManagement, FLAGManagement, Biogenic, whySoil},
	{ghg.LabelOrganicSoils, "", 0, LandManagement, FLAGManagement, Biogenic, whyStock},
	{ghg.LabelSoilLoss, "", 0, LandManagement, FLAGManagement, Biogenic, whyStock},
	{ghg.LabelBiomassLoss, "", 0, LandManagement, FLAGManagement, Biogenic, whyStock},
	{ghg.LabelUrea, "", 0, LandManagement, FLAGManagement, Fossil, whyLime},
	{ghg.LabelLiming, "", 0, LandManagement, FLAGManagement, Fossil, whyLime},
	{ghg.LabelProduction, "", 0, NonLand, FLAGManagement, Fossil, whyMade},
	{ghg.LabelMachinery, "", 1, NonLand, FLAGManagement, Fossil, whyVehicle},
	{ghg.LabelMachinery, "", 3, NonLand, NonFLAG, Fossil, whyEnergy},
	{ghg.LabelCombustion, ghg.ModelStationary, 0, NonLand, NonFLAG, Fossil, whyEnergy},
	{ghg.LabelCombustion, "", 0, NonLand, FLAGManagement, Fossil, whyVehicle},
	{ghg.LabelTransport, ghg.ModelAircraft, 0, NonLand, NonFLAG, Aircraft, whyAircraft},
	{ghg.LabelTransport, "", 1, NonLand, FLAGManagement, Fossil, whyVehicle},
	{ghg.LabelTransport, "", 3, NonLand, NonFLAG, Fossil, whyEnergy},
	{ghg.LabelUpstream, "", 0, NonLand, NonFLAG, Fossil, whyEnergy},
	{ghg.LabelElectricity, "", 0, NonLand, NonFLAG, Fossil, whyEnergy},
	{ghg.LabelIrrigation, "", 0, NonLand, NonFLAG, Fossil, whyEnergy},
	{ghg.LabelProtection, "", 0, NonLand, NonFLAG, Fossil, whyEnergy},
	{ghg.LabelSeed, "", 0, NonLand, NonFLAG, Fossil, whyEnergy},
}

// Rules returns every rule, in the order in which they are tried.
func Rules() []Rule { return rules[:len(rules):len(rules)] }

// ruleOf returns the rule of a line. Every label of a line has a rule: a test compares the two lists.
func ruleOf(l *ghg.Line) Rule {
	for _, r := range rules {
		if r.Label == l.Label && (r.Model == "" || r.Model == l.Model) && (r.Scope == 0 || r.Scope == l.Scope) {
			return r
		}
	}
	return Rule{Label: l.Label, LandSector: NonLand, FLAG: NonFLAG, Product: Fossil, Why: whyEnergy}
}
