package satellite

import (
	"context"
	"io"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

// ZoningMapOrderWrite is a request for an order of a zoning map.
type ZoningMapOrderWrite struct {
	FieldUUID      *string        `json:"field_uuid" required:"false" format:"uuid" doc:"A field with a boundary: of your company, or shared with it by a grant that gives zoning-map.create. Either this or field_boundary."`
	FieldBoundary  member.Outline `json:"field_boundary" required:"false" doc:"An outline instead of a field: GeoJSON Polygon or MultiPolygon, longitude first. Outlines with the same content count as one field. No field is created from it."`
	SeasonID       *int64         `json:"season_id" required:"false" minimum:"1" doc:"A season of your company. The zones are made from its days in its year and in up to four earlier years for which the archive has enough."`
	IndexCode      *string        `json:"index_code" required:"false" doc:"The vegetation index whose peaks are compared; default NDVI."`
	Mask           *string        `json:"mask" required:"false" doc:"Which pixels count; default standard. As for a profile."`
	Dataset        *string        `json:"dataset" required:"false" doc:"The data set of the imagery archive; default all. As for a profile."`
	OutputDataType *string        `json:"output_data_type" required:"false" enum:"geotiff,png,geojson" doc:"What the map is wanted as. It is stored with the order; every type is available for every map."`
	NoOfClasses    *int64         `json:"no_of_classes" required:"false" minimum:"2" maximum:"7" doc:"How many zones the field is divided into, 2 to 7; default 3. A field that differs less has fewer."`
	IsBackground   *bool          `json:"is_background" required:"false" doc:"Default true: the answer comes at once. false: it comes when the map is computed, after at most 30 seconds; a map that takes longer is answered as processing."`
	form.External
}

func (in ZoningMapOrderWrite) request() (satellite.MapRequest, *string, member.Outline, *bool, error) {
	req, err := ofIndex(in.IndexCode, in.Mask, in.Dataset)
	req.SeasonID, req.External = form.OrZero(in.SeasonID), in.External.Record()
	req.Terms = vegetation.MapTerms{Output: form.OrZero(in.OutputDataType), Classes: int(form.OrZero(in.NoOfClasses))}
	return req, in.FieldUUID, in.FieldBoundary, in.IsBackground, err
}

// LandMapOrder has what orders of maps of all kinds show in a list.
type LandMapOrder struct {
	OrderID        int64      `json:"order_id" doc:"Id of the order, to retrieve it by."`
	MapUUID        string     `json:"map_uuid" format:"uuid" doc:"The map's uuid, which events and the refusal of a duplicate name it by."`
	Product        string     `json:"product" doc:"What was ordered, as the ledger names it."`
	Status         string     `json:"status" enum:"pending,processing,active,failed" doc:"pending: it is waiting, for the given reason. processing: the map is being made. active: the map is ready. failed: none could be made, and nothing was charged."`
	Reason         *string    `json:"reason" doc:"Why the order is pending or failed."`
	Field          *int64     `json:"field" doc:"Id of the field; null for an outline that is not a field."`
	FieldUUID      *string    `json:"field_uuid" doc:"Uuid of the field; null for an outline that is not a field."`
	Outline        *string    `json:"outline" doc:"Digest (SHA-256) of the outline that is not a field; null for a field."`
	OutputDataType *string    `json:"output_data_type" doc:"What the map was wanted as; null where the order did not say."`
	Company        int64      `json:"company" doc:"Id of the company that ordered and pays."`
	FieldCompany   int64      `json:"field_company" doc:"Id of the company whose field it is: another company where it is shared for orders."`
	CreatedBy      int64      `json:"created_by" doc:"Id of the user who ordered; 0 where that user is gone."`
	CreatedAt      time.Time  `json:"created_at" doc:"When the record was made."`
	UpdatedAt      time.Time  `json:"updated_at" doc:"When the record was last written."`
	LastCheckedAt  *time.Time `json:"last_checked_at" doc:"When the map was last worked on."`
	Synthetic      bool       `json:"synthetic" doc:"The map comes from a synthetic archive, not from observations."`
	BoundaryID     *int64     `json:"boundary_id" doc:"The outline of the field that the map covers: the id of one of the field's boundaries."`

	BoundaryOutdated bool `json:"boundary_outdated" doc:"The field now has a different outline; recompute makes the map again on it, at no charge."`
	NumberOfLayers   int  `json:"number_of_layers" doc:"How many layers the map has."`
	form.External
}

func showLandOrder(s vegetation.OrderState) LandMapOrder {
	return LandMapOrder{
		OrderID: s.ID, MapUUID: s.UUID, Product: string(s.Product), Status: string(s.Status), Reason: form.OrNull(s.Reason),
		Field: form.If(s.FieldID != 0, s.FieldID), FieldUUID: form.OrNull(s.FieldUUID), Outline: form.OrNull(s.Map.Outline), OutputDataType: form.OrNull(s.Map.Output),
		Company: s.CompanyID, FieldCompany: s.FieldCompanyID, CreatedBy: s.CreatedBy, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, LastCheckedAt: s.LastCheckedAt,
		Synthetic: s.Synthetic, BoundaryID: form.If(s.BoundaryID != 0, s.BoundaryID), BoundaryOutdated: s.BoundaryOutdated(), NumberOfLayers: s.Points,
		External: form.ExternalOf(s.External),
	}
}

// ZoningMapOrder is an order of a zoning map in a list.
type ZoningMapOrder struct {
	LandMapOrder
	IndexCode   string      `json:"index_code" doc:"Vegetation index whose peaks are compared, as NDVI."`
	Mask        string      `json:"mask" doc:"The mask that the map is made with, in its canonical form."`
	Dataset     string      `json:"dataset" doc:"The data sets that the map is made from."`
	Season      *int64      `json:"season" doc:"Id of the season."`
	StartDate   member.Date `json:"start_date" doc:"First day of the season, and of the earlier ones in their years."`
	EndDate     member.Date `json:"end_date" doc:"Last day, inclusive."`
	NoOfClasses *int64      `json:"no_of_classes" doc:"The number of zones that the order requested; null: 3."`
}

func showZoningOrder(s vegetation.OrderState) ZoningMapOrder {
	return ZoningMapOrder{
		showLandOrder(s), s.Index, s.Mask.String(), s.Dataset.String(), form.If(s.SeasonID != 0, s.SeasonID), member.DateOf(s.StartDate), member.DateOf(s.EndDate),
		form.If(s.Map.Classes != 0, int64(s.Map.Classes)),
	}
}

// FieldMapLayer is a layer of a map that has no dates.
type FieldMapLayer struct {
	Name      string   `json:"name" doc:"Its name in addresses and file names."`
	Title     string   `json:"title" doc:"What its values are, for people."`
	Unit      *string  `json:"unit" doc:"Unit of the values; null where they have none."`
	Kind      string   `json:"kind" enum:"measure,direction,numbers" doc:"measure: a quantity. direction: degrees clockwise from north. numbers: they name zones or classes."`
	Source    string   `json:"source" doc:"Where the values come from."`
	Method    string   `json:"method" doc:"How they were worked out."`
	Reason    *string  `json:"reason" doc:"Why there is no such layer; null where there is."`
	Items     []string `json:"items" doc:"Ids of the scenes, or of the elevation models, that it was made from."`
	Years     []int    `json:"years" doc:"The years of what it was made from."`
	Checksum  *string  `json:"checksum" doc:"SHA-256 of the raster, or of the heights as they were read; null for scenes."`
	Synthetic bool     `json:"synthetic" doc:"It was made up for a demonstration, not measured."`
	Coarse    bool     `json:"coarse" doc:"Whether the source is far coarser than the pixels here, so that it says little within a field."`
	Notes     []string `json:"notes" doc:"What should be known about it."`
	Bytes     *int64   `json:"bytes" doc:"Size of the stored file with the pixels; null where there is none."`
}

func showLayer(l fieldmap.Layer) FieldMapLayer {
	return FieldMapLayer{
		l.Name, l.Title, form.OrNull(l.Unit), string(l.Kind), l.Source, l.Method, form.OrNull(l.Reason), append([]string{}, l.Scenes...), append([]int{}, l.Years...),
		form.OrNull(l.Checksum), l.Synthetic, l.Coarse, append([]string{}, l.Notes...), form.If(l.Object != "", l.Bytes),
	}
}

// ZoningSeason is a season in which zones were looked for.
type ZoningSeason struct {
	StartDate member.Date `json:"start_date" doc:"First day."`
	EndDate   member.Date `json:"end_date" doc:"Last day, inclusive."`
	Used      bool        `json:"used" doc:"Whether the zones are made from this season, among others."`
	Reason    *string     `json:"reason" doc:"Why it is not used; null where it is."`
	Dates     int         `json:"dates" doc:"Dates on which enough of the field could be seen."`
	Mean      *float64    `json:"mean" doc:"Mean peak of the field, in the unit of the index; null where it is not used."`
	Std       *float64    `json:"std" doc:"Standard deviation of the peaks within the field; null where it is not used."`
	Items     []string    `json:"items" doc:"Ids of the scenes."`
}

// FieldMapZone is a zone of a zoning map.
type FieldMapZone struct {
	Number int       `json:"number" doc:"From 1, which has the lowest peaks."`
	AreaHa float64   `json:"area_ha" doc:"Area on the ellipsoid, hectares. Together the zones cover the field."`
	Share  float64   `json:"share" doc:"Share of the field's area, 0 to 1."`
	Pixels int       `json:"pixels" doc:"Pixels in it."`
	Mean   float64   `json:"mean" doc:"How far its peaks lie above those of the field, on average over the seasons, in the unit of the index; negative if they lie below."`
	Std    *float64  `json:"std" doc:"How much that changes from season to season: the standard deviation of each pixel over the seasons, on average; null for a single season."`
	Peaks  []float64 `json:"peaks" doc:"Mean peak of each season that is used, in the order of seasons."`
	Color  string    `json:"color" doc:"How pictures and tiles show it, as #rrggbb."`
}

// ZoningMap is an order of a zoning map with its zones.
type ZoningMap struct {
	ZoningMapOrder
	Refreshing   bool            `json:"refreshing" doc:"The map is being brought up to date, or files that had expired are being made again: a later retrieve may show more."`
	SeasonsFound int             `json:"seasons_found" doc:"The number of seasons that the zones are made from. With one, warnings say so: it is not known whether the zones exist in other years."`
	Seasons      []ZoningSeason  `json:"seasons" doc:"The seasons that were looked for and for which the archive has anything, the newest first."`
	Zones        []FieldMapZone  `json:"zones" doc:"The zones, from the lowest peaks; empty until the map is ready."`
	Layers       []FieldMapLayer `json:"layers" doc:"What the map shows: zones; mean, how far peaks lie above those of the field; stability, how much that changes from season to season; and the peaks of each season."`
	Warnings     []string        `json:"warnings" doc:"What should be known before the zones are used."`
}

func showZoningMap(m satellite.Map) ZoningMap {
	out := ZoningMap{
		ZoningMapOrder: showZoningOrder(m.Order), Refreshing: m.Refreshing, Seasons: []ZoningSeason{}, Zones: []FieldMapZone{}, Layers: form.Each(m.Layers, showLayer), Warnings: []string{},
	}
	for _, l := range m.Layers {
		if l.Name != fieldmap.ZonesLayer {
			continue
		}
		out.Warnings = append(out.Warnings, l.Notes...)
		for _, s := range l.Seasons {
			if s.Used {
				out.SeasonsFound++
			}
			out.Seasons = append(out.Seasons, ZoningSeason{
				member.DateOf(s.Start), member.DateOf(s.End), s.Used, form.OrNull(s.Reason), s.Dates, form.If(s.Used, s.Mean), form.If(s.Used, s.Std), append([]string{}, s.Scenes...),
			})
		}
		style := indexmap.StyleOfSubject(l.Subject)
		out.Zones = list.Map(l.Zones, func(z fieldmap.Zone) FieldMapZone {
			shade, _ := style.Shade(float64(z.Number))
			return FieldMapZone{z.Number, geo.RoundHa(z.AreaHa), z.Share, z.Pixels, z.Mean, form.If(out.SeasonsFound > 1, z.Std), z.Peaks, style.Colors[shade].Hex()}
		})
	}
	return out
}

func zoningMapRoutes(maps *satellite.Maps, limits geo.Limits) mapRoutes[ZoningMapOrderWrite, ZoningMapOrder, ZoningMap] {
	return mapRoutes[ZoningMapOrderWrite, ZoningMapOrder, ZoningMap]{
		mapProduct: zoningMap, maps: maps, limits: limits, filters: orderFilters("map"), order: showZoningOrder, whole: showZoningMap,
		orders: "Orders zones of a field, each uniform over several seasons: the season that is named, and the same days of earlier years. Each season is the peak of each pixel, the 95th percentile of an index over the usable dates; " +
			"a season counts if it has six of them and has ended. The zones are clustered like those of stratification, and numbered from the lowest peaks upwards. With a single season `warnings` say so.\n\n" +
			"A field is charged once, on its first successful order of a profile or a map, whichever comes first. A field without a usable season, or one without differences within it, is never active and never charged.\n\n" +
			"A company has one order for a field or outline, a season and an index. One that is not ready yet is answered as it is; once it is active, a new order is 409 with `details.map_uuid` and `details.order_id`, and costs nothing.",
		shows: "With the zones and their figures, the seasons that they are made from, and the layers that pictures, tiles and files show. The archive is checked again when the season has ended, and once more 30 days later. Files are kept for 90 days and made again, at no charge, when an expired one is requested.",
	}
}

func (m mapSheets) registerZones(a *rest.API) {
	formats := []string{ports.GeoJSON, ports.KML, ports.SHP, ports.ISOXML}
	route := m.route("zones/", "zones", "The zones of a map as areas")
	route.Description = "The zones as areas, which together are the field, without gaps and overlaps: GeoJSON, KML, a zipped shapefile, or task data of ISO 11783-10 with one planned task, whose treatment zones these are, and a grid (type 1) that states where each of them lies. " +
		"As GeoTIFF they are `maps/zones.tif`. GeoJSON states in addition to the features what the zones were made from (`items`) and how (`method`), as the order does for each layer. With `?rates=` each zone has the rate to be applied in it: a prescription. In task data it is the set point (DDI 6 for mass, 1 for volume, 11 for count); outside the zones it is 0."
	route.Query = []rest.Param{
		form.ShareParam, {Name: "format", Type: rest.String, Enum: formats, Description: "Default: geojson."},
		{Name: "rates", Type: rest.String, Description: "A rate for each zone, starting with number 1, separated by commas: 180,160,140. Default: none."},
		{Name: "unit", Type: rest.String, Enum: list.Map(fieldmap.RateUnits, func(u fieldmap.RateUnit) string { return u.Name }), Description: "Unit of the rates; default kg/ha."},
	}
	route.Media = form.Media(ports.GeoJSON, ports.KML, ports.SHP)
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		Format string `query:"format"`
		Rates  string `query:"rates"`
		Unit   string `query:"unit"`
	}) (rest.Raw, error) {
		if in.Format == "" {
			in.Format = ports.GeoJSON
		}
		sheet, write, err := m.views.ZoneFile(ctx, c.Principal(), m.ask(in.SharedByID, rest.Values{}), in.Format, in.Rates, in.Unit)
		if err != nil {
			return rest.Raw{}, err
		}
		file := form.Download("zones-"+itoa(sheet.Order.ID), in.Format, func(w io.Writer) error { return write(w) })
		out := dated(c, sheet, file.ContentType, file.Write)
		out.Filename = file.Filename
		return out, nil
	})
}
