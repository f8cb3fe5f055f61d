package soil

import (
	"context"
	"net/http"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/stratification"
	"tilth/core/stratification/carbon"
	"tilth/ports"
)

// CarbonSurvey identifies the samples from which a map of soil carbon is made.
type CarbonSurvey struct {
	Plan       string  `json:"plan" format:"uuid" doc:"map_uuid of the saved plan."`
	Round      int64   `json:"round" doc:"Round of sampling, from 1."`
	DepthFrom  float64 `json:"depth_from_cm" doc:"Upper end of the depth interval, cm below the surface."`
	DepthTo    float64 `json:"depth_to_cm" doc:"Lower end of the depth interval, cm below the surface."`
	Confidence float64 `json:"confidence" doc:"Confidence of the intervals."`
}

// CarbonZone is the soil carbon of a zone.
type CarbonZone struct {
	Zone   int             `json:"zone" doc:"Number of the zone; 0: the whole area."`
	Edge   bool            `json:"edge" doc:"Whether it is the strip along the edges, which was sampled as a stratum of its own."`
	AreaHa float64         `json:"area_ha" doc:"Hectares."`
	Points int             `json:"points" doc:"Points with a stock."`
	SOC    EstimatedFigure `json:"soc" doc:"Soil organic carbon, % of the mass of fine soil."`
	Stock  EstimatedFigure `json:"stock" doc:"Stock of soil organic carbon, t C/ha."`
}

// CarbonMap is a map of soil carbon.
type CarbonMap struct {
	Order   int64           `json:"order" doc:"Id of the stratification order."`
	MapUUID string          `json:"map_uuid" format:"uuid" doc:"The map of zones, which contains their outlines."`
	Digest  string          `json:"digest" doc:"SHA-256 of the map."`
	Survey  CarbonSurvey    `json:"soc" doc:"The samples that it is made from."`
	Zones   []CarbonZone    `json:"zones" doc:"In the order of the zone numbers."`
	AOI     CarbonZone      `json:"aoi" doc:"The whole area."`
	Total   EstimatedFigure `json:"total" doc:"Total of the area, t C."`
	Notes   []string        `json:"notes" doc:"What should be noted."`
}

func showSurvey(s carbon.Survey) CarbonSurvey {
	return CarbonSurvey{s.PlanUUID, s.Round, s.FromCm, s.ToCm, s.Confidence}
}

func showCarbonMap(order stratification.OrderState) CarbonMap {
	m := form.OrZero(order.Carbon)
	out := CarbonMap{
		Order: order.ID, MapUUID: m.ZonesUUID, Digest: order.Digest, Survey: showSurvey(m.Survey), AOI: showCarbonZone(m.AOI), Total: showCarbon(m.Total),
		Zones: form.Each(m.Zones, showCarbonZone), Notes: append([]string{}, m.Notes...),
	}
	if m.Edge && len(out.Zones) > 0 {
		out.Zones[len(out.Zones)-1].Edge = true
	}
	return out
}

func showCarbonZone(z carbon.Zone) CarbonZone {
	return CarbonZone{Zone: z.Zone, AreaHa: z.AreaHa, Points: z.Points, SOC: showCarbon(z.SOC), Stock: showCarbon(z.Stock)}
}

func showCarbon(f carbon.Figure) EstimatedFigure {
	return EstimatedFigure{&f.Mean, &f.SE, &f.Low, &f.High, &f.DF}
}

func registerCarbon(a *rest.API, orders *soil.Orders, files *soil.MapFiles) {
	a.DescribeCodes(map[string]string{
		"samples_missing": "the samples do not suffice for a map of soil carbon; details.missing states by zone what is lacking; nothing was charged (409)",
	})
	route := rest.Routes{Base: stratificationPath + "orders/{id}/carbon/", Operation: "carbon_map", Tag: stratificationTag, Noun: "order"}.Route
	show := route(http.MethodGet, "", access.StratificationOrders.View.For("retrieve"), "Show the map of soil carbon of an order")
	show.Description = "Stock and share of soil organic carbon in each zone with their intervals, according to the samples of the order's plan and round at the time it was made. It does not change with later results. " +
		"An order of another map type has none (404); one that is not active yet is 409."
	show.Faults = []int{http.StatusConflict}
	rest.Handle(a, show, form.OnRecord(orders.CarbonMap, showCarbonMap))
	formats := []string{ports.GeoJSON, ports.CSV, ports.XLSX, ports.KML, ports.SHP, ports.GeoTIFF}
	export := route(http.MethodGet, "export/", access.StratificationOrders.View.For("export"), "Export a map of soil carbon as a file")
	export.Description = "`geojson`, `kml` and `shp` contain the outlines of the zones with area, points, and share and stock of carbon with both ends of their intervals; `csv` and `xlsx` contain only these figures. " +
		"`tif` is a GeoTIFF on the cells of the order, in UTM: the stock in t C/ha, and the lower and the upper end of its interval, as three bands; -9999 outside the area."
	export.Media, export.Faults = form.Media(formats...), []int{http.StatusConflict}
	export.Query = []rest.Param{form.FormatParam(formats...)}
	rest.Handle(a, export, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		form.Formatted
	}) (rest.Raw, error) {
		format := in.Among(c, formats...)
		file, err := files.CarbonFile(ctx, c.Principal(), in.ID, format, "")
		return form.Download(file.Stem, format, file.Write), err
	})
	for _, format := range []string{ports.SVG, ports.PNG} {
		preview := route(http.MethodGet, "preview."+format, access.StratificationOrders.View.For("preview"), "A map of soil carbon as a picture, "+strings.ToUpper(format))
		preview.OperationID, preview.Media, preview.Faults = "carbon_map_preview_"+format, form.Media(format), []int{http.StatusConflict}
		preview.Description = "The stock of the zones from low to high, each with its interval, with scale and north."
		preview.Query = []rest.Param{layoutParam}
		rest.Handle(a, preview, func(ctx context.Context, c *rest.Call, in struct {
			form.ByID
			Layout string `query:"layout"`
		}) (rest.Raw, error) {
			file, err := files.CarbonFile(ctx, c.Principal(), in.ID, format, in.Layout)
			return form.Picture(c, format, file.Write), err
		})
	}
}
