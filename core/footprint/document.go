package footprint

import "time"

// The states of a footprint. An active one becomes deprecated and never anything else again.
const (
	Active     = "Active"
	Deprecated = "Deprecated"
)

// Document is a ProductFootprint of the data model. Members that are not known are left out.
type Document struct {
	ID                     string          `json:"id" format:"uuid"`
	SpecVersion            string          `json:"specVersion"`
	PrecedingPfIDs         []string        `json:"precedingPfIds,omitempty"`
	Created                time.Time       `json:"created"`
	Status                 string          `json:"status" enum:"Active,Deprecated"`
	ValidityPeriodStart    *time.Time      `json:"validityPeriodStart,omitempty"`
	ValidityPeriodEnd      *time.Time      `json:"validityPeriodEnd,omitempty"`
	CompanyName            string          `json:"companyName"`
	CompanyIDs             []string        `json:"companyIds"`
	ProductDescription     string          `json:"productDescription"`
	ProductIDs             []string        `json:"productIds"`
	ProductClassifications []string        `json:"productClassifications,omitempty"`
	ProductNameCompany     string          `json:"productNameCompany"`
	Comment                string          `json:"comment,omitempty"`
	PCF                    CarbonFootprint `json:"pcf"`
}

// CarbonFootprint is the figures of a footprint: kg CO2e per declared unit, as decimal numbers in strings. Removals and
// uptake are at most 0.
type CarbonFootprint struct {
	DeclaredUnitOfMeasurement          string                 `json:"declaredUnitOfMeasurement"`
	DeclaredUnitAmount                 string                 `json:"declaredUnitAmount"`
	ProductMassPerDeclaredUnit         string                 `json:"productMassPerDeclaredUnit"` // kg
	ReferencePeriodStart               time.Time              `json:"referencePeriodStart"`
	ReferencePeriodEnd                 time.Time              `json:"referencePeriodEnd"` // exclusive
	GeographyRegionOrSubregion         string                 `json:"geographyRegionOrSubregion,omitempty"`
	GeographyCountry                   string                 `json:"geographyCountry,omitempty"`
	GeographyCountrySubdivision        string                 `json:"geographyCountrySubdivision,omitempty"`
	BoundaryProcessesDescription       string                 `json:"boundaryProcessesDescription,omitempty"`
	PCFExcludingBiogenicUptake         string                 `json:"pcfExcludingBiogenicUptake"`
	PCFIncludingBiogenicUptake         string                 `json:"pcfIncludingBiogenicUptake"`
	FossilCarbonContent                string                 `json:"fossilCarbonContent"`             // kg C
	BiogenicCarbonContent              string                 `json:"biogenicCarbonContent,omitempty"` // kg C
	FossilGhgEmissions                 string                 `json:"fossilGhgEmissions"`
	LandUseChangeGhgEmissions          string                 `json:"landUseChangeGhgEmissions"`
	LandManagementFossilGhgEmissions   string                 `json:"landManagementFossilGhgEmissions"`
	LandManagementBiogenicCO2Emissions string                 `json:"landManagementBiogenicCO2Emissions"`
	LandManagementBiogenicCO2Removals  string                 `json:"landManagementBiogenicCO2Removals"`
	BiogenicCO2Uptake                  string                 `json:"biogenicCO2Uptake,omitempty"`
	BiogenicNonCO2Emissions            string                 `json:"biogenicNonCO2Emissions"`
	LandAreaOccupation                 string                 `json:"landAreaOccupation,omitempty"` // m2 in the year
	AircraftGhgEmissions               string                 `json:"aircraftGhgEmissions,omitempty"`
	PackagingEmissionsIncluded         bool                   `json:"packagingEmissionsIncluded"`
	CCSTechnologicalCO2CaptureIncluded bool                   `json:"ccsTechnologicalCO2CaptureIncluded"`
	IPCCCharacterizationFactors        []string               `json:"ipccCharacterizationFactors"`
	CrossSectoralStandards             []string               `json:"crossSectoralStandards"`
	ProductOrSectorSpecificRules       []Rule                 `json:"productOrSectorSpecificRules,omitempty"`
	ExemptedEmissionsPercent           string                 `json:"exemptedEmissionsPercent"`
	ExemptedEmissionsDescription       string                 `json:"exemptedEmissionsDescription,omitempty"`
	AllocationRulesDescription         string                 `json:"allocationRulesDescription,omitempty"`
	SecondaryEmissionFactorSources     []FactorSource         `json:"secondaryEmissionFactorSources,omitempty"`
	PrimaryDataShare                   string                 `json:"primaryDataShare,omitempty"` // per cent
	DQI                                *DataQualityIndicators `json:"dqi,omitempty"`
	Verification                       *Assurance             `json:"verification,omitempty"`
}

// Rule names rules of a product or a sector that were applied.
type Rule struct {
	Operator          string   `json:"operator"`
	RuleNames         []string `json:"ruleNames"`
	OtherOperatorName string   `json:"otherOperatorName,omitempty"`
}

// FactorSource names a set of emission factors.
type FactorSource struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// DataQualityIndicators are ratings from 1 (the best) to 5.
type DataQualityIndicators struct {
	TechnologicalDQR string `json:"technologicalDQR"`
	GeographicalDQR  string `json:"geographicalDQR"`
	TemporalDQR      string `json:"temporalDQR"`
}

// Assurance tells of the verification of a footprint by a third party.
type Assurance struct {
	Coverage     string     `json:"coverage,omitempty"`
	ProviderName string     `json:"providerName,omitempty"`
	CompletedAt  *time.Time `json:"completedAt,omitempty"`
	StandardName string     `json:"standardName,omitempty"`
	Comments     string     `json:"comments,omitempty"`
}

// Geography returns the region, the country or the subdivision of a footprint; empty: the world.
func (p *CarbonFootprint) Geography() string {
	return p.GeographyRegionOrSubregion + p.GeographyCountry + p.GeographyCountrySubdivision // one of them alone is set
}

// validYears is how long a footprint is valid after its reference period.
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
