package farm

import (
	"cmp"
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/ports"
)

var exportFormats = []string{ports.GeoJSON, ports.KML, ports.SHP, ports.CSV}

func registerExport(a *rest.API, imports *farmapp.Imports) {
	route := rest.Routes{Base: "field/export/", Operation: "field", Tag: farmTag}.Route
	export := route(http.MethodGet, "", access.Fields.View.For("export"), "Export fields as a file")
	export.Description = "The fields that the list gives for the same filters, as one file in longitude and latitude (WGS84): GeoJSON, KML, a zipped " +
		"shapefile (texts are cut at 254 bytes) or CSV with the boundary as well-known text."
	filters := []rest.Param{
		{Name: "farm", Type: rest.Integer, Description: "Id of the farm."},
		{Name: "company", Type: rest.Integer, Description: "Id of the company."},
		{Name: "created_by", Type: rest.Integer, Description: "Id of the user who made the record."},
	}
	export.Query = append([]rest.Param{
		{Name: "format", Type: rest.String, Enum: exportFormats, Description: "Default geojson."},
		{Name: form.ShareParam.Name, Type: rest.Boolean, Description: "With true: the fields that other companies share with the caller's, instead of its own."},
	}, filters...)
	export.Media = form.Media(exportFormats...)
	rest.Handle(a, export, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		form.Shared
		Format string `query:"format"`
	}) (rest.Raw, error) {
		format := cmp.Or(in.Format, ports.GeoJSON)
		write, err := imports.Export(ctx, c.Principal(), in.Share, form.QueryOf(form.Whole, filters, in.Values), format)
		return form.Download("fields", format, write), err
	})
}
