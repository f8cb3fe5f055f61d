package farm

import (
	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/agronomy"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
)

// Amount is a quantity as it was entered.
type Amount struct {
	Value float64 `json:"value" exclusiveMinimum:"0" doc:"How much, in the unit."`
	Unit  string  `json:"unit" enum:"kg/ha,t/ha,l/ha,m3/ha,lb/acre,gal/acre,kg,t,l,m3" doc:"A rate per treated area, or a total over it. Gallons are US gallons."`
}

// FertilizationWrite is the writable form of a fertilization.
type FertilizationWrite struct {
	form.OfCompany
	CultivationID      int64        `json:"cultivation_id" minimum:"1" doc:"Id of the cultivation that the product was applied to, of your company."`
	AppliedOn          *member.Date `json:"applied_on" required:"false" doc:"Day of the application, from 1900 to 2200; null: not known."`
	ProductName        string       `json:"product_name" required:"false" maxLength:"255" doc:"Name of the product, as on the bag."`
	Product            *string      `json:"product" required:"false" maxLength:"64" doc:"Key of the product, as in assessments; see the description of the list."`
	Amount             *Amount      `json:"amount" required:"false" doc:"How much was applied, as it was entered; null: not known."`
	DensityKgPerL      *float64     `json:"density_kg_per_l" required:"false" exclusiveMinimum:"0" maximum:"5" doc:"Needed for an amount by volume."`
	TreatedAreaHa      *float64     `json:"treated_area_ha" required:"false" exclusiveMinimum:"0" maximum:"100000" doc:"At most 5 % more than the field. Default: the field."`
	NPct               *float64     `json:"n_pct" required:"false" minimum:"0" maximum:"100" doc:"Nitrogen (N), per cent of the product as it is spread, like all contents. Default: those of the product."`
	P2O5Pct            *float64     `json:"p2o5_pct" required:"false" minimum:"0" maximum:"100" doc:"Phosphorus as P2O5, per cent of the product; as P where nutrient_basis is elemental."`
	K2OPct             *float64     `json:"k2o_pct" required:"false" minimum:"0" maximum:"100" doc:"Potassium as K2O, per cent of the product; as K where nutrient_basis is elemental."`
	SPct               *float64     `json:"s_pct" required:"false" minimum:"0" maximum:"100" doc:"Sulphur (S), per cent of the product."`
	CaOPct             *float64     `json:"cao_pct" required:"false" minimum:"0" maximum:"100" doc:"Calcium as CaO, per cent of the product; as Ca where nutrient_basis is elemental."`
	MgOPct             *float64     `json:"mgo_pct" required:"false" minimum:"0" maximum:"100" doc:"Magnesium as MgO, per cent of the product; as Mg where nutrient_basis is elemental."`
	NitrateSharePct    *float64     `json:"n_nitrate_share_pct" required:"false" minimum:"0" maximum:"100" doc:"Nitrate, per cent of the nitrogen."`
	AmmoniumSharePct   *float64     `json:"n_ammonium_share_pct" required:"false" minimum:"0" maximum:"100" doc:"Ammonium, per cent of the nitrogen."`
	UreaSharePct       *float64     `json:"n_urea_share_pct" required:"false" minimum:"0" maximum:"100" doc:"Urea, per cent of the nitrogen."`
	OrganicSharePct    *float64     `json:"n_organic_share_pct" required:"false" minimum:"0" maximum:"100" doc:"Organically bound, per cent of the nitrogen."`
	DryMatterPct       *float64     `json:"dry_matter_pct" required:"false" minimum:"0" maximum:"100" doc:"Dry matter, per cent of the product."`
	NutrientBasis      *string      `json:"nutrient_basis" required:"false" enum:"oxide,elemental" doc:"Default oxide."`
	Inhibitor          *string      `json:"inhibitor" required:"false" enum:"none,nitrification,urease,both" doc:"What slows the conversion of the nitrogen; null: not known."`
	ApplicationMethod  *string      `json:"application_method" required:"false" enum:"broadcast,incorporated,injected,fertigation" doc:"How it was applied; null: not known."`
	IncorporationHours *float64     `json:"incorporation_hours" required:"false" minimum:"0" maximum:"8784" doc:"Hours from spreading to incorporation."`
	Notes              string       `json:"notes" required:"false" maxLength:"4000" doc:"Free text, for people; no rule reads it."`
	form.External
}

// Fertilization is a fertilization in answers.
type Fertilization struct {
	form.Meta
	FertilizationWrite
	Cultivation form.Ref `json:"cultivation" doc:"Its name is that of the crop, the field and the season."`
	MassKgPerHa *float64 `json:"mass_kg_per_ha" doc:"Product per treated hectare; null where it cannot be worked out."`
	NKgPerHa    *float64 `json:"n_kg_per_ha" doc:"Nitrogen (N) per treated hectare, kg; null where it cannot be worked out."`
	P2O5KgPerHa *float64 `json:"p2o5_kg_per_ha" doc:"Phosphorus as P2O5 per treated hectare, kg; null where it cannot be worked out."`
	K2OKgPerHa  *float64 `json:"k2o_kg_per_ha" doc:"Potassium as K2O per treated hectare, kg; null where it cannot be worked out."`
}

func registerFertilizations(a *rest.API, records *farmapp.Records[farm.Fertilization]) {
	registerRecords(a, records, rest.Resource[FertilizationWrite, Fertilization]{
		Plural: "fertilizations", Shareable: true,
		Description: "A fertilization is one application of a product to a cultivation. Amounts are kept as they were entered; rates per hectare are worked out.\n\n" +
			"Products: " + form.CodeList(agronomy.ProductKeys()) + ".",
		Filters: append([]rest.Param{
			{Name: "cultivation", Type: rest.Integer, Description: "Id of the cultivation."},
			{Name: "farm", Type: rest.Integer, Description: "Id of the farm of the field."},
			{Name: "field", Type: rest.Integer, Description: "Id of the field."},
			{Name: "season", Type: rest.Integer, Description: "Id of the season."},
			{Name: "crop", Type: rest.Integer, Description: "Id of the crop."},
			{Name: "product", Type: rest.String, Enum: agronomy.ProductKeys(), Description: "Key of the product."},
		}, form.WithExternalID(form.ListParams("A part of the name of the product, whatever its case.", "applied_on"))...),
	}, form.Mapping[farm.Fertilization, FertilizationWrite, Fertilization]{Apply: applyFertilization, Write: writeFertilization, Show: showFertilization})
}

func applyFertilization(_ *effort.Budget, b FertilizationWrite, r *farm.Fertilization) fault.Fields {
	b.Apply(&r.Meta)
	r.Cultivation, r.AppliedOn = record.Ref{ID: b.CultivationID}, form.TimeOf(b.AppliedOn)
	r.ProductName, r.Product = b.ProductName, form.OrZero(b.Product)
	r.Amount = form.Pointed(b.Amount, func(a Amount) agronomy.Amount { return agronomy.Amount{Value: a.Value, Unit: agronomy.Unit(a.Unit)} })
	r.DensityKgPerL, r.TreatedAreaHa = b.DensityKgPerL, b.TreatedAreaHa
	r.Nutrients = farm.Nutrients{N: b.NPct, P2O5: b.P2O5Pct, K2O: b.K2OPct, S: b.SPct, CaO: b.CaOPct, MgO: b.MgOPct}
	r.Forms = farm.NitrogenForms{Nitrate: b.NitrateSharePct, Ammonium: b.AmmoniumSharePct, Urea: b.UreaSharePct, Organic: b.OrganicSharePct}
	r.DryMatterPct, r.NutrientBasis, r.Inhibitor = b.DryMatterPct, form.OrZero(b.NutrientBasis), form.OrZero(b.Inhibitor)
	r.ApplicationMethod, r.IncorporationHours, r.Notes = form.OrZero(b.ApplicationMethod), b.IncorporationHours, b.Notes
	r.External = b.External.Record()
	return nil
}

func writeFertilization(r farm.Fertilization) FertilizationWrite {
	return FertilizationWrite{
		OfCompany: form.CompanyOf(r.Meta), CultivationID: r.Cultivation.ID, AppliedOn: form.DateOf(r.AppliedOn),
		Amount:      form.Pointed(r.Amount, func(a agronomy.Amount) Amount { return Amount{a.Value, string(a.Unit)} }),
		ProductName: r.ProductName, Product: form.OrNull(r.Product), DensityKgPerL: r.DensityKgPerL, TreatedAreaHa: r.TreatedAreaHa,
		NPct: r.Nutrients.N, P2O5Pct: r.Nutrients.P2O5, K2OPct: r.Nutrients.K2O,
		SPct: r.Nutrients.S, CaOPct: r.Nutrients.CaO, MgOPct: r.Nutrients.MgO,
		NitrateSharePct: r.Forms.Nitrate, AmmoniumSharePct: r.Forms.Ammonium, UreaSharePct: r.Forms.Urea, OrganicSharePct: r.Forms.Organic,
		DryMatterPct: r.DryMatterPct, NutrientBasis: form.OrNull(r.NutrientBasis), Inhibitor: form.OrNull(r.Inhibitor),
		ApplicationMethod: form.OrNull(r.ApplicationMethod), IncorporationHours: r.IncorporationHours, Notes: r.Notes, External: form.ExternalOf(r.External),
	}
}

func showFertilization(r farm.Fertilization) Fertilization {
	rates := r.Rates()
	return Fertilization{
		Meta: form.MetaOf(r.Meta), FertilizationWrite: writeFertilization(r), Cultivation: form.RefOf(r.Cultivation),
		MassKgPerHa: rates.Mass, NKgPerHa: rates.N, P2O5KgPerHa: rates.P2O5, K2OKgPerHa: rates.K2O,
	}
}
