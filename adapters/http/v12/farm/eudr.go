package farm

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/eudr"
	"tilth/ports"
)

// formatEUDR is the GeoJSON that the EU's due diligence statements accept.
const formatEUDR = "eudr"

const eudrDescription = "`eudr` is the geolocation file of a due diligence statement under Regulation (EU) 2023/1115: GeoJSON with ProducerName (the " +
	"owner of the farm, else its name), ProducerCountry, ProductionPlace (the field) and, for points, Area; six decimals, one feature for each part of a " +
	"boundary, holes cut open; an archive of several files where one would exceed 25 MB. If the EU's system would refuse a field " +
	"(`field/eudr-check/`), nothing is exported: 409 `eudr_refused`."

var eudrParams = []rest.Param{
	{Name: "country", Type: rest.String, Description: "With `eudr`: the country for fields whose farms have none, as its key, name or ISO 3166-1 code."},
	{Name: "points", Type: rest.Boolean, Description: "With `eudr` and true: fields of at most 4 ha are points with their area, as the Regulation permits."},
}

// plotsInput states how fields become plots.
type plotsInput struct {
	Country string `query:"country"`
	Points  bool   `query:"points"`
}

func (in plotsInput) ask(shared bool, q ports.Query, leaveOut bool) farmapp.PlotsAsk {
	return farmapp.PlotsAsk{Shared: shared, Query: q, Options: eudr.Options{Country: in.Country, Points: in.Points}, LeaveOut: leaveOut}
}

func plotsFormat(several bool) string {
	if several {
		return form.Zip
	}
	return ports.GeoJSON
}

// PlotsCheck is the result of checking fields against the rules of the EU's system.
type PlotsCheck struct {
	Checked int64        `json:"checked" doc:"Fields that were checked."`
	Refused int64        `json:"refused" doc:"Fields that would be refused."`
	Plots   int64        `json:"plots" doc:"Features of the fields that would not be refused."`
	Bytes   int64        `json:"bytes" doc:"Size of one file of them."`
	Files   int64        `json:"files" doc:"How many files they take, at 25 MB each."`
	Fields  []PlotsField `json:"fields" doc:"Fields with findings, up to 1,000."`
	More    bool         `json:"more" doc:"Whether more fields than those have findings."`
}

// PlotsField is a field with the findings about its plots.
type PlotsField struct {
	ID       int64         `json:"id" doc:"Id of the field."`
	Name     string        `json:"name" doc:"Name of the field."`
	Farm     string        `json:"farm" doc:"Name of its farm."`
	AreaHa   float64       `json:"area_ha" doc:"Area of its boundary, hectares; 0 without one."`
	Refused  bool          `json:"refused" doc:"Whether any of its findings would have it refused."`
	Findings []PlotFinding `json:"findings" doc:"What is wrong with its plots, or what was changed in them."`
}

// PlotFinding is one finding about a plot: a problem with it, or a change made to it.
type PlotFinding struct {
	Code    string `json:"code" enum:"no_boundary,no_country,vanishes,abroad,hole_cut" doc:"no_boundary: the field has none. no_country: its farm names none. vanishes: nothing of the outline remains at six decimals. abroad: it lies outside the country. hole_cut: a hole was cut open, since the system accepts none."`
	Message string `json:"message" doc:"The problem or change, and the fix."`
	Refused bool   `json:"refused" doc:"The plot would be refused because of it; otherwise it should be checked."`
}

func registerEUDRCheck(a *rest.API, plots *farmapp.Plots, filters []rest.Param) {
	check := rest.Routes{Base: "field/eudr-check/", Operation: "field", Tag: farmTag, Keys: rest.KeyInQuery}.
		Route(http.MethodGet, "", access.Fields.View.For("eudr_check"), "Check fields for due diligence statements")
	check.Description = "States for each field that the list returns for the same filters whether the EU's Information System would accept its geolocation " +
		"(Regulation (EU) 2023/1115), and how many files `field/export/?format=eudr` makes from those that it would."
	check.Query = append(append([]rest.Param{
		{Name: form.ShareParam.Name, Type: rest.Boolean, Description: "With true: the fields that other companies share with the caller's company, instead of its own."},
	}, filters...), eudrParams...)
	rest.Handle(a, check, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		form.Shared
		plotsInput
	}) (PlotsCheck, error) {
		report, err := plots.Check(ctx, c.Principal(), in.ask(in.Share, form.QueryOf(form.Whole, filters, in.Values), false))
		return showPlots(report), err
	})
}

func showPlots(r farmapp.PlotsReport) PlotsCheck {
	return PlotsCheck{
		Checked: r.Checked, Refused: r.Refused, Plots: r.Plots, Bytes: r.Bytes, Files: r.Files, More: r.More,
		Fields: form.Each(r.Found, func(f farmapp.CheckedField) PlotsField {
			return PlotsField{
				ID: f.Field.ID, Name: f.Field.Name, Farm: f.Farm.Name, AreaHa: f.AreaHa, Refused: f.Refused(),
				Findings: form.Each(f.Findings, func(one eudr.Finding) PlotFinding { return PlotFinding(one) }),
			}
		}),
	}
}
