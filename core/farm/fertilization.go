package farm

import (
	"cmp"
	"math"
	"time"

	"tilth/core/agronomy"
	"tilth/core/fault"
	"tilth/core/record"
)

// NutrientBases are the forms in which contents of phosphorus, potassium, calcium and magnesium are
// stated: as oxides, as on most labels, or as elements.
var NutrientBases = []string{BasisOxide, BasisElemental}

// The nutrient bases.
const (
	BasisOxide     = "oxide"
	BasisElemental = "elemental"
)

// AreaTolerance is the maximum treated area, as a multiple of the field's: machines overlap, and boundaries are drawn by hand.
const AreaTolerance = 1.05

// Nutrients are contents in per cent of the product as it is spread. nil: not stated.
type Nutrients struct{ N, P2O5, K2O, S, CaO, MgO *float64 }

// NitrogenForms are shares of the nitrogen, in per cent of it.
type NitrogenForms struct{ Nitrate, Ammonium, Urea, Organic *float64 }

// Fertilization is one application of a product to a cultivation.
type Fertilization struct {
	record.Meta
	Cultivation        record.Ref
	AppliedOn          *time.Time // civil date
	ProductName        string
	Product            string           // key of the catalog of agronomy; empty: not stated
	Amount             *agronomy.Amount // as entered
	DensityKgPerL      *float64
	TreatedAreaHa      *float64
	Nutrients          Nutrients
	Forms              NitrogenForms
	DryMatterPct       *float64
	NutrientBasis      string
	Inhibitor          string
	ApplicationMethod  string
	IncorporationHours *float64
	Notes              string
	record.External

	// FieldAreaHa is read-only: the area of the boundary, or else as declared; nil where neither is known.
	FieldAreaHa *float64
}

// Normalise sets the defaults.
func (r *Fertilization) Normalise() {
	if r.NutrientBasis == "" {
		r.NutrientBasis = BasisOxide
	}
}

// Check returns what is wrong with the record itself.
func (r *Fertilization) Check() fault.Fields {
	f := fault.Fields{}
	if r.Cultivation.ID <= 0 {
		f.Add("cultivation_id", "This field is required.")
	}
	if d := r.AppliedOn; d != nil && (d.Year() < 1900 || d.Year() > 2200) {
		f.Add("applied_on", "A date from 1900-01-01 to 2200-12-31.")
	}
	f.Text("product_name", r.ProductName, 255)
	r.External.Check(f)
	choice(f, "product", r.Product, agronomy.ProductKeys())
	choice(f, "nutrient_basis", r.NutrientBasis, NutrientBases)
	choice(f, "inhibitor", r.Inhibitor, agronomy.Inhibitors)
	choice(f, "application_method", r.ApplicationMethod, agronomy.Methods)
	f.Text("notes", r.Notes, 4000)
	r.checkAmount(f)
	r.checkContents(f)
	within(f, "incorporation_hours", r.IncorporationHours, 0, 8784, "Hours from 0 to 8784 (one year).")
	return f
}

func (r *Fertilization) checkAmount(f fault.Fields) {
	if a := r.Amount; a != nil {
		switch {
		case a.Unit == "":
			f.Add("amount", "Give the unit of the amount as well.")
		case !a.Unit.Known():
			f.Addf("amount", "%q is not a unit for an amount; the units are %s.", a.Unit, fault.List(agronomy.Units()))
		case a.Unit.Volume() && r.DensityKgPerL == nil:
			f.Addf("density_kg_per_l", "An amount in %s needs the density of the product.", a.Unit)
		}
		above0(f, "amount", &a.Value, 1e9, "A value above 0 and at most 1000000000.")
	}
	above0(f, "density_kg_per_l", r.DensityKgPerL, 5, "Kilograms per litre, above 0 and at most 5.")
	above0(f, "treated_area_ha", r.TreatedAreaHa, 100_000, "An area in hectares, above 0 and at most 100000.")
}

func (r *Fertilization) checkContents(f fault.Fields) {
	n := r.Nutrients
	percentages(f, "The nutrients add up to %g per cent of the product; at most 100 is possible.", []part{
		{"n_pct", n.N}, {"p2o5_pct", n.P2O5}, {"k2o_pct", n.K2O}, {"s_pct", n.S}, {"cao_pct", n.CaO}, {"mgo_pct", n.MgO},
	})
	percentages(f, "The forms add up to %g per cent of the nitrogen; at most 100 is possible.", []part{
		{"n_nitrate_share_pct", r.Forms.Nitrate}, {"n_ammonium_share_pct", r.Forms.Ammonium},
		{"n_urea_share_pct", r.Forms.Urea}, {"n_organic_share_pct", r.Forms.Organic},
	})
	within(f, "dry_matter_pct", r.DryMatterPct, 0, 100, "A percentage from 0 to 100.")
}

// CheckTreatedArea compares the treated area with that of the field, where it is known.
func (r *Fertilization) CheckTreatedArea(fieldHa *float64) fault.Fields {
	f := fault.Fields{}
	if r.TreatedAreaHa == nil || fieldHa == nil {
		return f
	}
	if upper := *fieldHa * AreaTolerance; *r.TreatedAreaHa > upper {
		f.Addf("treated_area_ha", "The field has %.4f ha; at most %.4f ha of it (5 %% more) can be treated.", *fieldHa, upper)
	}
	return f
}

// Name returns the name of the applied product: as entered, or else as in the catalog.
func (r *Fertilization) Name() string {
	if r.ProductName != "" {
		return r.ProductName
	}
	product, _ := agronomy.FindProduct(r.Product)
	return cmp.Or(product.Name, r.Product)
}

// spread returns the area in hectares that the product was applied to; nil where it is not known.
func (r *Fertilization) spread() *float64 {
	if r.TreatedAreaHa != nil {
		return r.TreatedAreaHa
	}
	return r.FieldAreaHa
}

// Rate returns the rate of the application in kilograms or, for a volume, litres per hectare; ok is false where it is not known.
func (r *Fertilization) Rate() (rate float64, volume, ok bool) {
	if r.Amount == nil {
		return 0, false, false
	}
	rate, ok = r.Amount.PerHa(r.spread())
	return rate, r.Amount.Unit.Volume(), ok
}

// Rates are the kilograms per treated hectare that an application brings; nil where unknown.
type Rates struct{ Mass, N, P2O5, K2O *float64 }

// Rates computes the rates of the application:
//
//	mass     = amount in kg (volume x density); a total is divided by the treated area, or else
//	           by the field's
//	nutrient = mass x content / 100, the content as stated, or else that of the product
//	P2O5     = P x 2.29134, K2O = K x 1.20461, where contents are elemental
func (r *Fertilization) Rates() Rates {
	if r.Amount == nil {
		return Rates{}
	}
	mass, ok := r.Amount.MassPerHa(r.DensityKgPerL, r.spread())
	if !ok {
		return Rates{}
	}
	product, _ := agronomy.FindProduct(r.Product)
	p, k := 1.0, 1.0
	if r.NutrientBasis == BasisElemental {
		p, k = agronomy.P2O5PerP, agronomy.K2OPerK
	}
	rate := func(stated *float64, per float64, usual *float64) *float64 {
		switch {
		case stated != nil:
			return rounded(mass * *stated * per / 100)
		case usual != nil:
			return rounded(mass * *usual / 100) // the catalog holds oxides
		}
		return nil
	}
	return Rates{
		Mass: rounded(mass), N: rate(r.Nutrients.N, 1, product.N),
		P2O5: rate(r.Nutrients.P2O5, p, product.P2O5), K2O: rate(r.Nutrients.K2O, k, product.K2O),
	}
}

// rounded rounds a rate to the gram per ten hectares; further digits are noise.
func rounded(kg float64) *float64 {
	kg = math.Round(kg*1e4) / 1e4
	return &kg
}

// part is a percentage with the name of its field.
type part struct {
	field string
	value *float64
}

// percentages checks parts of a whole. An excess is reported on every given part: any of them may be the wrong one.
func percentages(f fault.Fields, tooMuch string, parts []part) {
	sum := 0.0
	for _, p := range parts {
		within(f, p.field, p.value, 0, 100, "A percentage from 0 to 100.")
		if p.value != nil {
			sum += *p.value
		}
	}
	if sum <= 100+1e-9 { // tolerates the rounding of decimal fractions in binary
		return
	}
	for _, p := range parts {
		if p.value != nil && *p.value > 0 {
			f.Addf(p.field, tooMuch, sum)
		}
	}
}

func within(f fault.Fields, field string, value *float64, lower, upper float64, message string) {
	if value != nil && !(*value >= lower && *value <= upper) {
		f.Add(field, message)
	}
}

func above0(f fault.Fields, field string, value *float64, upper float64, message string) {
	if value != nil && !(*value > 0 && *value <= upper) {
		f.Add(field, message)
	}
}
