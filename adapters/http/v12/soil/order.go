package soil

import (
	"context"
	"net/http"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/stratification"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/layer"
)

const stratificationTag = "Stratification"

// StratificationOrderWrite is a request for a stratification order.
type StratificationOrderWrite struct {
	AOIID   *int64  `json:"aoi_id" required:"false" minimum:"1" doc:"The area of interest, by its id."`
	AOIUUID *string `json:"aoi_uuid" required:"false" format:"uuid" doc:"The area of interest, by its uuid instead."`
	MapType *string `json:"map_type" required:"false" enum:"STR,SOC" doc:"STR, the default: layers, for zones and plans. SOC: the map of soil organic carbon, from the samples of a saved plan."`

	Plan       *string  `json:"plan" required:"false" format:"uuid" doc:"For SOC: map_uuid of the saved plan; left out: that of the samples that were taken last."`
	Round      *int64   `json:"round" required:"false" minimum:"1" maximum:"100" doc:"For SOC, with plan: the round of sampling; default 1."`
	DepthFrom  *float64 `json:"depth_from" required:"false" minimum:"0" maximum:"300" doc:"For SOC, in cm; default: the range that was analysed."`
	DepthTo    *float64 `json:"depth_to" required:"false" minimum:"0" maximum:"300" doc:"For SOC, in cm, below depth_from; default: the range that was analysed."`
	Confidence *float64 `json:"confidence" required:"false" minimum:"0.5" maximum:"0.999" doc:"Confidence of the intervals of SOC; default 0.9."`
	form.External
}

// StratificationRequester is the user who placed an order.
type StratificationRequester struct {
	ID    int64  `json:"id" doc:"Id of the user."`
	Email string `json:"email" doc:"The address that the user signs in with."`
}

// OrderedAOI is the area of interest of an order.
type OrderedAOI struct {
	ID      int64  `json:"id" doc:"Id of the area of interest."`
	AOIUUID string `json:"aoi_uuid" format:"uuid" doc:"The area's uuid."`
	Name    string `json:"name" doc:"Name of the area."`
}

// StratificationOrder is a stratification order.
type StratificationOrder struct {
	ID              int64                    `json:"id" doc:"Id of the order."`
	DataUUID        string                   `json:"data_uuid" format:"uuid" doc:"The order's uuid; the service sets it, and it never changes."`
	MapType         string                   `json:"map_type" enum:"STR,SOC" doc:"STR: layers, for zones and plans. SOC: the map of soil organic carbon."`
	Status          string                   `json:"status" enum:"pending,processing,active,failed" doc:"pending: it is waiting, for the given reason. processing: the layers, or the map, are being made. active: they are ready. failed: none could be made, and nothing was charged."`
	Reason          *string                  `json:"reason" doc:"Why the order is waiting or has failed."`
	RequestDate     member.Date              `json:"request_date" doc:"Day on which it was placed, UTC."`
	RequestBy       *StratificationRequester `json:"request_by" doc:"null where that user is gone."`
	TotalTime       *int64                   `json:"total_time" doc:"Seconds from processing to active; null before."`
	SavedMaps       int64                    `json:"total_saved_stratification_maps" doc:"Maps of zones of the order that are saved."`
	SavedPlans      int64                    `json:"total_saved_sample_plan_maps" doc:"Sample plans of the order that are saved."`
	AOI             OrderedAOI               `json:"aoi" doc:"The area of interest."`
	AOIID           int64                    `json:"aoi_id" doc:"Id of the area of interest."`
	Company         int64                    `json:"company" doc:"Id of the company that ordered and pays."`
	AreaHa          float64                  `json:"area_ha" doc:"Hectares of the union of the fields when it was ordered."`
	Charge          float64                  `json:"charge" doc:"Credits: held while the order is open, captured when it is active, released when it fails."`
	NextAllowedDate member.Date              `json:"next_allowed_date" doc:"The date from which the area may be ordered again; a failed order does not count."`
	SOC             *CarbonSurvey            `json:"soc" doc:"What a map of soil carbon is made from; null for STR."`
	Notes           []string                 `json:"notes" doc:"What should be known about the layers, or about the map."`
	Synthetic       bool                     `json:"synthetic" doc:"The imagery is synthetic: not observed."`
	CreatedAt       time.Time                `json:"created_at" doc:"When the record was made."`
	UpdatedAt       time.Time                `json:"updated_at" doc:"When the record was last written."`
	form.External
}

// StratificationLayer is a layer of an order.
type StratificationLayer struct {
	Name       string          `json:"name" doc:"Name of the layer, as in requests for maps."`
	Source     string          `json:"source" doc:"Where its values come from, in words."`
	ValidShare float64         `json:"valid_share" doc:"Share of the cells with a value, 0 to 1; 0 where the layer was dropped."`
	Mean       *float64        `json:"mean" doc:"Mean, in the unit of the layer; null where the layer was dropped."`
	SD         *float64        `json:"sd" doc:"Standard deviation, in the unit of the layer; null where the layer was dropped."`
	Dropped    *string         `json:"dropped" doc:"Why there is no such layer; null where there is."`
	Provenance LayerProvenance `json:"provenance" doc:"Where its values come from, in detail."`
}

// LayerProvenance states where the values of a layer come from.
type LayerProvenance struct {
	Kind      string   `json:"kind" enum:"sentinel2,elevation,raster" doc:"elevation: heights of the imagery source, and what is derived from them."`
	Years     []int    `json:"years" doc:"For imagery: the calendar years."`
	Dates     int      `json:"dates" doc:"For imagery: how many dates were accepted in them."`
	Scenes    []string `json:"scenes" doc:"For imagery: ids of the scenes that gave values."`
	Synthetic bool     `json:"synthetic" doc:"The imagery is synthetic: not observed."`
	Raster    *string  `json:"raster" doc:"For a raster: the name it was registered under."`
	Checksum  *string  `json:"checksum" doc:"For a raster: SHA-256 of its file."`
}

// StratificationLayers is what was prepared for an order.
type StratificationLayers struct {
	Order    int64                 `json:"order" doc:"Id of the stratification order."`
	Status   string                `json:"status" enum:"pending,processing,active,failed" doc:"pending: it is waiting. processing: the layers, or the map, are being made. active: they are ready. failed: none could be made."`
	CellSize *float64              `json:"cell_size" doc:"Metres; null before the order is active."`
	EPSG     *int                  `json:"epsg" doc:"EPSG code of the UTM zone of the grid."`
	Digest   *string               `json:"digest" doc:"SHA-256 over the cells and all values."`
	Notes    []string              `json:"notes" doc:"What should be known about the layers."`
	Layers   []StratificationLayer `json:"layers" doc:"Those that were made, and those that were dropped; empty before the order is active."`
}

const dataOrdersPath = aoiBase + "stratification/data-processing/orders/"

func registerStratificationOrders(a *rest.API, orders *soil.Orders) {
	a.DescribeTag(stratificationTag, "Orders that prepare the layers of an area of interest, from which zones and sampling plans are made.")
	a.DescribeCodes(map[string]string{
		"order_within_year": "the area of interest was ordered within a year; details hold order_id, data_uuid, status and next_allowed_date; nothing was charged (409)",
		"retries_used":      "a failed order was retried as often as it may be; place a new one (409)",
		"frame_too_large":   "an area has more cells than a map may have (400)",
		"no_zones":          "the layers allow no zones; the message says why (400)",
		"order_exists":      "there is already an order that is not finished (409)",
	})
	route := rest.Routes{Operation: "stratification_order", Tag: stratificationTag, Noun: "order"}.Route
	place := route(http.MethodPost, aoiBase+"stratification/orders/", access.StratificationOrders.Create.For("create"), "Order the stratification of an area of interest")
	place.Description = "Prepares the layers of an area of interest (STR), or makes its map of soil organic carbon from samples (SOC). Its charge is held now, captured when the order is active and " +
		"released when it fails. If the samples do not suffice for a map, nothing is held: 409 `samples_missing` with `details.missing`. An area can be ordered once a year in each map type: within that year a new order is 409 with `details.order_id`, `details.data_uuid` and `details.next_allowed_date`, and costs nothing."
	place.Faults, place.Message = []int{http.StatusPaymentRequired, http.StatusConflict, http.StatusNotFound}, "Order accepted."
	rest.Handle(a, place, func(ctx context.Context, c *rest.Call, in rest.JSON[StratificationOrderWrite]) (StratificationOrder, error) {
		req := soil.OrderRequest{AOIUUID: strings.ToLower(form.OrZero(in.Body.AOIUUID)), AOIID: form.OrZero(in.Body.AOIID), MapType: form.OrZero(in.Body.MapType), External: in.Body.External.Record()}
		req.Carbon = soil.CarbonRequest{
			Plan: strings.ToLower(form.OrZero(in.Body.Plan)), Round: form.OrZero(in.Body.Round), FromCm: in.Body.DepthFrom, ToCm: in.Body.DepthTo, Confidence: in.Body.Confidence,
		}
		order, err := orders.Place(ctx, c.Principal(), req)
		return showStratificationOrder(order), err
	})
	filters := form.WithExternalID([]rest.Param{{Name: "aoi", Type: rest.Integer, Description: "Id of the area of interest."}, farmOfAOI})
	list := route(http.MethodGet, dataOrdersPath, access.StratificationOrders.View.For("list"), "List stratification orders")
	form.HandleList(a, list, filters, orders.List, showStratificationOrder)
	rest.Handle(a, route(http.MethodGet, dataOrdersPath+"{id}/", access.StratificationOrders.View.For("retrieve"), "Retrieve a stratification order"),
		form.OnRecord(orders.Retrieve, showStratificationOrder))
	layers := route(http.MethodGet, aoiBase+"stratification/orders/{id}/layers/", access.StratificationOrders.View.For("layers"), "Show the layers of a stratification order")
	rest.Handle(a, layers, func(ctx context.Context, c *rest.Call, in form.ByID) (StratificationLayers, error) {
		order, found, err := orders.Layers(ctx, c.Principal(), in.ID)
		return showLayers(order, found), err
	})
}

func showStratificationOrder(s stratification.OrderState) StratificationOrder {
	seconds, known := s.TotalTime()
	return StratificationOrder{
		ID: s.ID, DataUUID: s.DataUUID, MapType: s.MapType, Status: string(s.Status), Reason: form.OrNull(s.Reason), RequestDate: member.DateOf(s.RequestDate),
		RequestBy: form.If(s.RequestBy.ID != 0, StratificationRequester{s.RequestBy.ID, s.RequestBy.Email}), TotalTime: form.If(known, seconds),
		SavedMaps: s.SavedMaps, SavedPlans: s.SavedPlans, AOI: OrderedAOI{s.AOI.ID, s.AOI.UUID, s.AOI.Name}, AOIID: s.AOI.ID, Company: s.CompanyID,
		AreaHa: hectares(s.AreaM2), Charge: s.Charge.Float(), NextAllowedDate: member.DateOf(s.NextAllowed()),
		SOC:   form.Pointed(s.Carbon, func(m carbon.Map) CarbonSurvey { return showSurvey(m.Survey) }),
		Notes: append([]string{}, s.Notes...), Synthetic: s.Synthetic, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, External: form.ExternalOf(s.External),
	}
}

func showLayers(s stratification.OrderState, layers []layer.PreparedLayer) StratificationLayers {
	prepared := s.Digest != ""
	return StratificationLayers{
		Order: s.ID, Status: string(s.Status), CellSize: form.If(prepared, s.Grid.CellSize), EPSG: form.If(prepared, s.Grid.EPSG),
		Digest: form.OrNull(s.Digest), Notes: append([]string{}, s.Notes...), Layers: form.Each(layers, showLayer),
	}
}

func showLayer(l layer.PreparedLayer) StratificationLayer {
	p, kept := l.Provenance, l.Dropped == ""
	return StratificationLayer{
		l.Name, l.Source, l.ValidShare, form.If(kept, l.Mean), form.If(kept, l.SD), form.OrNull(l.Dropped),
		LayerProvenance{p.Kind, append([]int{}, p.Years...), p.Dates, append([]string{}, p.Scenes...), p.Synthetic, form.OrNull(p.Raster), form.OrNull(p.Checksum)},
	}
}
