package footprint

import "time"

// The states of a footprint. An active one may become deprecated, and stays so.
const (
	Active     = "Active"
	Deprecated = "Deprecated"
)

// Document is a ProductFootprint of the data model. Members that are not known are left out.
type Document struct {
	ID                     string          `json:"id" format:"uuid" doc:"The footprint's id, a UUID."`
	SpecVersion            string          `json:"specVersion" doc:"Version of the data model of PACT."`
	PrecedingPfIDs         []string        `json:"precedingPfIds,omitempty" doc:"Ids of the footprints that this one replaces; absent: none."`
	Created                time.Time       `json:"created" doc:"When it was made."`
	Status                 string          `json:"status" enum:"Active,Deprecated" doc:"Active, or Deprecated: it was revoked or replaced by another."`
	ValidityPeriodStart    *time.Time      `json:"validityPeriodStart,omitempty" doc:"The time from which it may be used."`
	ValidityPeriodEnd      *time.Time      `json:"validityPeriodEnd,omitempty" doc:"The time until which it may be used, exclusive."`
	CompanyName            string          `json:"companyName" doc:"Name of the company that it belongs to."`
	CompanyIDs             []string        `json:"companyIds" doc:"The company's identifiers, as URNs."`
	ProductDescription     string          `json:"productDescription" doc:"What the product is, for people."`
	ProductIDs             []string        `json:"productIds" doc:"The product's identifiers, as URNs."`
	ProductClassifications []string        `json:"productClassifications,omitempty" doc:"Classes of the product, as URNs; absent: none stated."`
	ProductNameCompany     string          `json:"productNameCompany" doc:"What the company calls the product."`
	Comment                string          `json:"comment,omitempty" doc:"How the figures came about, after what the company states."`
	PCF                    CarbonFootprint `json:"pcf" doc:"The figures."`
}

// CarbonFootprint is the figures of a footprint: kg CO2e per declared unit, as decimal numbers in strings. Removals and
// uptake are at most 0.
type CarbonFootprint struct {
	DeclaredUnitOfMeasurement          string                 `json:"declaredUnitOfMeasurement" doc:"Unit that the figures refer to, such as kilogram."`
	DeclaredUnitAmount                 string                 `json:"declaredUnitAmount" doc:"Number of units that the figures refer to, as a decimal number."`
	ProductMassPerDeclaredUnit         string                 `json:"productMassPerDeclaredUnit" doc:"Mass of the declared amount without packaging, kg."`
	ReferencePeriodStart               time.Time              `json:"referencePeriodStart" doc:"Beginning of the period that the data cover."`
	ReferencePeriodEnd                 time.Time              `json:"referencePeriodEnd" doc:"End of the period that the data cover, exclusive."`
	GeographyRegionOrSubregion         string                 `json:"geographyRegionOrSubregion,omitempty" doc:"Region of the United Nations; one of region, country and subdivision is present."`
	GeographyCountry                   string                 `json:"geographyCountry,omitempty" doc:"ISO 3166-1 alpha-2; one of region, country and subdivision is present."`
	GeographyCountrySubdivision        string                 `json:"geographyCountrySubdivision,omitempty" doc:"ISO 3166-2; one of region, country and subdivision is present."`
	BoundaryProcessesDescription       string                 `json:"boundaryProcessesDescription,omitempty" doc:"What the figures include."`
	PCFExcludingBiogenicUptake         string                 `json:"pcfExcludingBiogenicUptake" doc:"Footprint without the uptake of biogenic CO2 by the product, kg CO2e per declared unit."`
	PCFIncludingBiogenicUptake         string                 `json:"pcfIncludingBiogenicUptake" doc:"Footprint with the uptake of biogenic CO2 by the product, kg CO2e per declared unit."`
	FossilCarbonContent                string                 `json:"fossilCarbonContent" doc:"Fossil carbon in the declared unit, kg C: 0, because a crop takes its carbon from the air."`
	BiogenicCarbonContent              string                 `json:"biogenicCarbonContent,omitempty" doc:"Biogenic carbon in the declared unit, kg C; absent: not stated."`
	FossilGhgEmissions                 string                 `json:"fossilGhgEmissions" doc:"Fossil emissions, with those of land management, kg CO2e per declared unit."`
	LandUseChangeGhgEmissions          string                 `json:"landUseChangeGhgEmissions" doc:"Emissions of land-use change, kg CO2e per declared unit."`
	LandManagementFossilGhgEmissions   string                 `json:"landManagementFossilGhgEmissions" doc:"Part of the fossil emissions that comes from land management, kg CO2e per declared unit."`
	LandManagementBiogenicCO2Emissions string                 `json:"landManagementBiogenicCO2Emissions" doc:"CO2 from carbon stocks that land management reduced, kg CO2e per declared unit."`
	LandManagementBiogenicCO2Removals  string                 `json:"landManagementBiogenicCO2Removals" doc:"CO2 in carbon stocks that land management built up, where they are monitored, kg CO2e per declared unit; 0 or less."`
	BiogenicCO2Uptake                  string                 `json:"biogenicCO2Uptake,omitempty" doc:"CO2 in the product's biogenic carbon, kg CO2e per declared unit; 0 or less. Absent where that is not stated."`
	BiogenicNonCO2Emissions            string                 `json:"biogenicNonCO2Emissions" doc:"Methane from biogenic carbon, kg CO2e per declared unit."`
	LandAreaOccupation                 string                 `json:"landAreaOccupation,omitempty" doc:"Land that the declared unit occupies for the year, m2."`
	AircraftGhgEmissions               string                 `json:"aircraftGhgEmissions,omitempty" doc:"Emissions of transport by air, kg CO2e per declared unit; absent where the version does not separate them."`
	PackagingEmissionsIncluded         bool                   `json:"packagingEmissionsIncluded" doc:"Whether the figures include emissions of packaging."`
	CCSTechnologicalCO2CaptureIncluded bool                   `json:"ccsTechnologicalCO2CaptureIncluded" doc:"Whether the figures include capture and storage of CO2."`
	IPCCCharacterizationFactors        []string               `json:"ipccCharacterizationFactors" doc:"The assessment reports of the IPCC whose warming potentials are used, such as AR6."`
	CrossSectoralStandards             []string               `json:"crossSectoralStandards" doc:"Standards that the footprint complies with."`
	ProductOrSectorSpecificRules       []Rule                 `json:"productOrSectorSpecificRules,omitempty" doc:"Rules for a product or sector that it complies with; absent: none stated."`
	ExemptedEmissionsPercent           string                 `json:"exemptedEmissionsPercent" doc:"Emissions that are excluded under an exemption rule, per cent."`
	ExemptedEmissionsDescription       string                 `json:"exemptedEmissionsDescription,omitempty" doc:"Why emissions are excluded; absent where none are."`
	AllocationRulesDescription         string                 `json:"allocationRulesDescription,omitempty" doc:"How emissions are shared among products."`
	SecondaryEmissionFactorSources     []FactorSource         `json:"secondaryEmissionFactorSources,omitempty" doc:"Sets of emission factors that are used."`
	PrimaryDataShare                   string                 `json:"primaryDataShare,omitempty" doc:"Share of primary data, per cent; absent: not stated."`
	DQI                                *DataQualityIndicators `json:"dqi,omitempty" doc:"Ratings of the data; absent: not stated."`
	Verification                       *Assurance             `json:"verification,omitempty" doc:"The verification by a third party; absent: none stated."`
}

// Rule names rules of a product or a sector that were applied.
type Rule struct {
	Operator          string   `json:"operator" doc:"Who publishes the rules; Other: see otherOperatorName."`
	RuleNames         []string `json:"ruleNames" doc:"Names of the rules."`
	OtherOperatorName string   `json:"otherOperatorName,omitempty" doc:"Who publishes the rules, where operator is Other."`
}

// FactorSource names a set of emission factors.
type FactorSource struct {
	Name    string `json:"name" doc:"Name of the factor set."`
	Version string `json:"version" doc:"Its version."`
}

// DataQualityIndicators are ratings from 1 (the best) to 5.
type DataQualityIndicators struct {
	TechnologicalDQR string `json:"technologicalDQR" doc:"How well the data fit the technology, 1 to 5; 1 is the best."`
	GeographicalDQR  string `json:"geographicalDQR" doc:"How well the data fit the place, 1 to 5; 1 is the best."`
	TemporalDQR      string `json:"temporalDQR" doc:"How well the data fit the time, 1 to 5; 1 is the best."`
}

// Assurance describes the verification of a footprint by a third party.
type Assurance struct {
	Coverage     string     `json:"coverage,omitempty" doc:"PCF calculation model, PCF program or product level."`
	ProviderName string     `json:"providerName,omitempty" doc:"Who verified."`
	CompletedAt  *time.Time `json:"completedAt,omitempty" doc:"When the verification ended."`
	StandardName string     `json:"standardName,omitempty" doc:"The standard against which the footprint was verified."`
	Comments     string     `json:"comments,omitempty" doc:"Further remarks on the verification."`
}

// Geography returns the region, the country or the subdivision of a footprint; empty: the world.
func (p *CarbonFootprint) Geography() string {
	return p.GeographyRegionOrSubregion + p.GeographyCountry + p.GeographyCountrySubdivision // only one of them is set
}

// validYears is the number of years for which a footprint is valid after its reference period.
const validYears = 3

// Validity returns when the footprint is valid: as it states, or for three years after its reference period.
func (d *Document) Validity() (from, until time.Time) {
	from, until = d.PCF.ReferencePeriodEnd, d.PCF.ReferencePeriodEnd.AddDate(validYears, 0, 0)
	if d.ValidityPeriodStart != nil {
		from = *d.ValidityPeriodStart
	}
	if d.ValidityPeriodEnd != nil {
		until = *d.ValidityPeriodEnd
	}
	return from, until
}
