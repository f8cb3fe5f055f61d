package ghg

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/ghg/exchange"
	"tilth/core/access"
	"tilth/core/footprint"
	"tilth/ports"
)

// FootprintTerms is what the owner of a footprint states in addition to the figures of the version.
type FootprintTerms struct {
	CompanyIDs             *[]string `json:"company_ids" required:"false" maxItems:"50" doc:"URNs of the company; left out: urn:uuid: and the UUID of the company."`
	ProductIDs             []string  `json:"product_ids" minItems:"1" maxItems:"50" doc:"URNs that identify the product to those who buy it, such as urn:gtin:4712345060507."`
	ProductClassifications *[]string `json:"product_classifications" required:"false" maxItems:"50" doc:"URNs, such as urn:pact:productclassification:un-cpc:0111."`
	ProductName            string    `json:"product_name" required:"false" maxLength:"255" doc:"Its trade name; left out: the crop."`
	ProductDescription     string    `json:"product_description" required:"false" maxLength:"5000" doc:"Left out: crop, country and year."`

	DeclaredUnit       string   `json:"declared_unit_of_measurement" required:"false" enum:"liter,kilogram,cubic meter,square meter,piece" doc:"Left out: kilogram, since a version states masses."`
	DeclaredUnitAmount *float64 `json:"declared_unit_amount" required:"false" doc:"Number of units that the figures are for; left out: 1."`
	ProductMass        *float64 `json:"product_mass_per_declared_unit" required:"false" doc:"Mass of the declared amount without packaging, kg; required for every unit except kilogram."`

	Region      string `json:"geography_region_or_subregion" required:"false" maxLength:"255" doc:"Region of the United Nations. One of region, country and subdivision; none: the country of the farm."`
	Country     string `json:"geography_country" required:"false" maxLength:"2" doc:"ISO 3166-1 alpha-2."`
	Subdivision string `json:"geography_country_subdivision" required:"false" maxLength:"6" doc:"ISO 3166-2."`

	ReferenceStart *time.Time `json:"reference_period_start" required:"false" doc:"Both or none; none: the calendar year of the assessment."`
	ReferenceEnd   *time.Time `json:"reference_period_end" required:"false" doc:"Exclusive."`
	ValidFrom      *time.Time `json:"validity_period_start" required:"false" doc:"Left out: the three years after the reference period."`
	ValidUntil     *time.Time `json:"validity_period_end" required:"false" doc:"After the end of the reference period, by at most three years; left out: as for validity_period_start."`

	Boundary            string           `json:"boundary_processes_description" required:"false" maxLength:"5000" doc:"Left out: the sources and removals of the report."`
	BiogenicCarbon      *float64         `json:"biogenic_carbon_content" required:"false" doc:"Carbon in the declared unit, kg; left out: the uptake is not counted, and the comment says so."`
	Standards           []string         `json:"cross_sectoral_standards" minItems:"1" maxItems:"9" doc:"Standards that the footprint complies with: ISO14067, ISO14083, ISO14040-44, GHGP-Product, PEF, PACT-1.0, PACT-2.0, PACT-3.0, PAS2050."`
	Rules               *[]PublishedRule `json:"product_or_sector_specific_rules" required:"false" maxItems:"50" doc:"Rules of a product or a sector that the footprint complies with; left out: none."`
	ExemptedPercent     *float64         `json:"exempted_emissions_percent" minimum:"0" maximum:"100" doc:"Emissions that are left out under an exemption rule, per cent; 0 where none are."`
	ExemptedDescription string           `json:"exempted_emissions_description" required:"false" maxLength:"5000" doc:"The reason for the exemption; required where emissions are left out."`
	Allocation          string           `json:"allocation_rules_description" required:"false" maxLength:"5000" doc:"Left out: the shares of the products and their basis."`
	PrimaryDataShare    *float64         `json:"primary_data_share" required:"false" minimum:"0" maximum:"100" doc:"Per cent; left out: not stated."`

	DQI          *PublishedQuality      `json:"dqi" required:"false" doc:"Ratings of the data by the PACT methodology; left out: not stated."`
	Verification *PublishedVerification `json:"verification" required:"false" doc:"The verification by a third party; left out: none is stated."`
	Comment      string                 `json:"comment" required:"false" maxLength:"5000" doc:"Precedes what the footprint says about how it was made."`
}

// PublishedRule names rules of a product or a sector that were applied.
type PublishedRule struct {
	Operator          string   `json:"operator" enum:"PEF,EPD International,Other" doc:"Who publishes the rules; Other: as other_operator_name says."`
	RuleNames         []string `json:"rule_names" minItems:"1" maxItems:"50" doc:"Names of the rules."`
	OtherOperatorName string   `json:"other_operator_name" required:"false" maxLength:"255" doc:"Who publishes the rules, where operator is Other."`
}

// PublishedQuality is the ratings of the data, from 1 (the best) to 5.
type PublishedQuality struct {
	Technological float64 `json:"technological_dqr" minimum:"1" maximum:"5" doc:"How well the data fit the technology; 1 is the best."`
	Geographical  float64 `json:"geographical_dqr" minimum:"1" maximum:"5" doc:"How well the data fit the place; 1 is the best."`
	Temporal      float64 `json:"temporal_dqr" minimum:"1" maximum:"5" doc:"How well the data fit the time; 1 is the best."`
}

// PublishedVerification describes the verification by a third party.
type PublishedVerification struct {
	Coverage     string     `json:"coverage" required:"false" maxLength:"255" doc:"PCF calculation model, PCF program or product level."`
	ProviderName string     `json:"provider_name" minLength:"1" maxLength:"255" doc:"Who verified."`
	CompletedAt  *time.Time `json:"completed_at" required:"false" doc:"When the verification ended."`
	StandardName string     `json:"standard_name" required:"false" maxLength:"255" doc:"The standard against which the footprint was verified."`
	Comments     string     `json:"comments" required:"false" maxLength:"5000" doc:"Further remarks on the verification."`
}

func (t FootprintTerms) terms() footprint.Terms {
	return footprint.Terms{
		CompanyIDs: form.OrZero(t.CompanyIDs), ProductIDs: t.ProductIDs, ProductClassifications: form.OrZero(t.ProductClassifications),
		ProductName: t.ProductName, ProductDescription: t.ProductDescription,
		Unit: t.DeclaredUnit, UnitAmount: t.DeclaredUnitAmount, UnitMassKg: t.ProductMass,
		Region: t.Region, Country: t.Country, Subdivision: t.Subdivision,
		ReferenceStart: t.ReferenceStart, ReferenceEnd: t.ReferenceEnd, ValidFrom: t.ValidFrom, ValidUntil: t.ValidUntil,
		Boundary: t.Boundary, BiogenicCarbonKg: t.BiogenicCarbon, Standards: t.Standards,
		Rules:           form.Each(form.OrZero(t.Rules), func(r PublishedRule) footprint.Rule { return footprint.Rule(r) }),
		ExemptedPercent: t.ExemptedPercent, ExemptedDescription: t.ExemptedDescription, Allocation: t.Allocation, PrimaryDataPercent: t.PrimaryDataShare,
		DQI:          form.Pointed(t.DQI, func(q PublishedQuality) footprint.Ratings { return footprint.Ratings(q) }),
		Verification: form.Pointed(t.Verification, func(v PublishedVerification) footprint.Assurance { return footprint.Assurance(v) }),
		Comment:      t.Comment,
	}
}

// PublishedFootprint is a footprint that the company shows to its PACT clients.
type PublishedFootprint struct {
	Assessment   int64              `json:"assessment" doc:"Id of the assessment."`
	Version      int                `json:"version" doc:"Number of the submitted version."`
	PublishedAt  time.Time          `json:"published_at" doc:"When it was published."`
	PublishedBy  *form.Ref          `json:"published_by" doc:"null where that user is gone."`
	DeprecatedAt *time.Time         `json:"deprecated_at" doc:"When it was revoked, or another took its place; null while it is active."`
	Footprint    footprint.Document `json:"footprint" doc:"As clients see it: the data model of PACT, version 3."`
}

// Publication is the result of a publication.
type Publication struct {
	PublishedFootprint
	Unchanged bool `json:"unchanged" doc:"The version is already published with the same terms; nothing was stored."`
}

func showPublished(p footprint.Publication) PublishedFootprint {
	return PublishedFootprint{p.AssessmentID, p.Version, p.PublishedAt, form.Pointed(p.PublishedBy, form.Named), p.DeprecatedAt, p.Shown()}
}

const footprintTag = "Footprints"

type footprintRoutes struct {
	api *rest.API
	use *exchange.Publishing
}

// versionInput is the input of a route on one version.
type versionInput struct {
	form.ByID
	Version int64 `path:"version"`
}

func (v versionInput) of() exchange.VersionOf {
	return exchange.VersionOf{Assessment: v.ID, Number: int(v.Version)}
}

func registerFootprints(a *rest.API, use *exchange.Publishing) {
	a.DescribeTag(footprintTag, "What a company shows of its submitted assessments to the buyers of its products: product carbon footprints of PACT, version 3, and the clients (data recipients) "+
		"that read them at `pact/3/footprints`. A published footprint never changes: another publication of the assessment deprecates it and names it in `precedingPfIds`, and revoking deprecates it.")
	a.DescribeCodes(map[string]string{
		footprint.CodeNoFootprint: "no footprint can be made from the figures of the version, for example if they have no yield (400)",
		"footprint_deprecated":    "the footprint of the version is deprecated already (409)",
	})
	r := footprintRoutes{a, use}
	const path = "{id}/submissions/{version}/publish/"
	route := rest.Routes{Base: assessmentsPath, Operation: "footprint", Tag: footprintTag, Noun: "version"}.Route
	publish := route(http.MethodPost, path, access.Footprints.Publish.For("publish"), "Publish the footprint of a submitted version")
	publish.Description = "Shows it to all PACT clients of the company, and notifies those that accept events. The body states what no version contains: what identifies the product, the standards, and what is exempted. " +
		"The active footprint of the assessment, if there is one, is deprecated. The same version with the same terms is published once."
	publish.Body, publish.Message = rest.Body[FootprintTerms](), "Footprint published."
	publish.Faults = []int{http.StatusConflict}
	rest.Handle(a, publish, r.publish)
	shown := route(http.MethodGet, path, access.Footprints.View.For("published"), "Show the published footprint of a version")
	shown.Description = "The last one, even if it is deprecated; 404 if the version was never published."
	rest.Handle(a, shown, func(ctx context.Context, c *rest.Call, in versionInput) (PublishedFootprint, error) {
		found, err := use.Publication(ctx, c.Principal(), in.of())
		return showPublished(found), err
	})
	revoke := route(http.MethodDelete, path, access.Footprints.Publish.For("revoke"), "Revoke the footprint of a version")
	revoke.Description = "Clients still find it, as Deprecated, and those that accept events are notified. It stays deprecated; the version may be published again, as another footprint."
	revoke.Status, revoke.Faults = http.StatusNoContent, []int{http.StatusConflict}
	rest.Handle(a, revoke, func(ctx context.Context, c *rest.Call, in versionInput) (rest.NoContent, error) {
		_, err := use.Revoke(ctx, c.Principal(), in.of(), c.Link(exchange.EventsPath))
		return rest.NoContent{}, err
	})
	list := rest.Routes{Base: "footprint/", Operation: "footprint", Tag: footprintTag, Noun: "footprint"}.Route(http.MethodGet, "", access.Footprints.View.For("list"), "List published footprints")
	list.Description = "In the order of their publication."
	list.Query = append(query.CursorParams(),
		rest.Param{Name: "status", Type: rest.String, Enum: []string{footprint.Active, footprint.Deprecated}, Description: "Status of the footprint."},
		rest.Param{Name: "assessment", Type: rest.Integer, Description: "Id of an assessment."},
		rest.Param{Name: rest.FarmParam, Type: rest.Integer, Description: "Id of a farm: of its own assessments and those of its fields."})
	rest.Handle(a, list, r.list)
}

func (r footprintRoutes) publish(ctx context.Context, c *rest.Call, in versionInput) (Publication, error) {
	made, err := r.use.Publish(ctx, c.Principal(), in.of(), c.Link(exchange.EventsPath), func() (footprint.Terms, error) {
		body, err := rest.Decode[FootprintTerms](c)
		return body.terms(), err
	})
	return Publication{showPublished(made.Publication), made.Unchanged}, err
}

func (r footprintRoutes) list(ctx context.Context, c *rest.Call, in struct {
	rest.Values
	Status     string `query:"status"`
	Assessment int64  `query:"assessment"`
	Farm       int64  `query:"farm"`
},
) (rest.List[PublishedFootprint], error) {
	page := in.PageOrAll()
	q := ports.PublicationQuery{AssessmentID: in.Assessment, FarmID: in.Farm, Limit: page.Limit(), Offset: page.Offset(), From: form.From(page)}
	if in.Status != "" {
		q.Filter.Statuses = []string{in.Status}
	}
	return form.List(page, showPublished)(r.use.List(ctx, c.Principal(), q))
}
