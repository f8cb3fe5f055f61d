package farm

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/app/farm/outlines"
	"tilth/core/access"
	"tilth/ports"
)

var exportFormats = []string{ports.GeoJSON, ports.KML, ports.SHP, ports.CSV, ports.XLSX, ports.GPKG, ports.FGB, ports.ISOXML}

func registerExport(a *rest.API, imports *outlines.Imports, plots *farmapp.Plots) {
	route := rest.Routes{Base: "field/export/", Operation: "field", Tag: farmTag, Keys: rest.KeyInQuery}.Route
	export := route(http.MethodGet, "", access.Fields.View.For("export"), "Export fields as a file")
	export.Description = "The fields that the list returns for the same filters, as one file in longitude and latitude (WGS84): GeoJSON, KML, a zipped " +
		"shapefile (texts are cut at 254 bytes), CSV or a workbook (`xlsx`) with the boundary as well-known text (in a workbook a long one continues in the cells to the right), a GeoPackage, FlatGeobuf, or " +
		"the zipped TASKDATA of ISO 11783-10 that tractor terminals read (with farms, the last crop of each field and the products that were applied; names are cut at 32 characters). " +
		"Each of them can be imported again.\n\n" + eudrDescription
	filters := []rest.Param{
		form.IDsParam,
		{Name: "farm", Type: rest.Integer, Description: "Id of the farm."},
		{Name: "company", Type: rest.Integer, Description: "Id of the company."},
		{Name: "created_by", Type: rest.Integer, Description: "Id of the user who made the record."},
	}
	export.Query = append([]rest.Param{
		form.FormatParam(append(exportFormats, formatEUDR)...),
		{Name: "leave_out", Type: rest.Boolean, Description: "With `eudr` and true: fields that would be refused are left out."},
		{Name: form.ShareParam.Name, Type: rest.Boolean, Description: "With true: the fields that other companies share with the caller's company, instead of its own."},
	}, append(filters, eudrParams...)...)
	export.Faults = []int{http.StatusConflict}
	export.Media = form.Media(exportFormats...)
	registerEUDRCheck(a, plots, filters)
	rest.Handle(a, export, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		form.Shared
		plotsInput
		form.Formatted
		LeaveOut bool `query:"leave_out"`
	}) (rest.Raw, error) {
		format := in.Among(c, exportFormats...)
		if format == formatEUDR {
			several, write, err := plots.Export(ctx, c.Principal(), in.ask(in.Share, form.QueryOf(form.Whole, filters, in.Values), in.LeaveOut))
			return form.Download("plots", plotsFormat(several), write), err
		}
		if format == ports.ISOXML {
			write, err := imports.ExportTaskData(ctx, c.Principal(), in.Share, form.QueryOf(form.Whole, filters, in.Values))
			return form.Download("fields", format, write), err
		}
		write, err := imports.Export(ctx, c.Principal(), in.Share, form.QueryOf(form.Whole, filters, in.Values), format)
		return form.Download("fields", format, write), err
	})
}
