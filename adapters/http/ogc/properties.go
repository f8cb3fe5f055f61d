package ogc

import (
	"encoding/json"
	"time"

	"tilth/adapters/http/member"
	"tilth/app/features"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/stratification/sample"
)

// The properties of features are flat, for the attribute tables of map tools.

// FarmProperties are the properties of a farm.
type FarmProperties struct {
	Name        string    `json:"name" doc:"Its name."`
	Description string    `json:"description" doc:"Free text of the company."`
	Country     string    `json:"country" doc:"Country key in snake_case, as spain; empty: not stated."`
	Region      string    `json:"region" doc:"Region; empty: not stated."`
	City        string    `json:"city" doc:"Town or village; empty: not stated."`
	TotalAreaHa float64   `json:"total_area_ha" doc:"Area of the fields that are not deleted, hectares."`
	FieldCount  int64     `json:"field_count" doc:"Fields that are not deleted."`
	ExternalID  string    `json:"external_id" doc:"The record's key in the system it came from; empty: it has none."`
	Source      string    `json:"source" doc:"The system that it came from; empty: not stated."`
	CreatedAt   time.Time `json:"created_at" doc:"When the record was made."`
	UpdatedAt   time.Time `json:"updated_at" doc:"When the record was written last."`
}

func farmProperties(r farm.Farm) FarmProperties {
	return FarmProperties{r.Name, r.Description, r.Country, r.Region, r.City, r.TotalAreaHa, r.FieldCount, r.ExternalID, r.Source, r.CreatedAt, r.UpdatedAt}
}

// FieldProperties are the properties of a field.
type FieldProperties struct {
	UUID           string       `json:"uuid" format:"uuid" doc:"The uuid of the field."`
	Name           string       `json:"name" doc:"Its name."`
	FarmID         int64        `json:"farm_id" doc:"Id of the farm."`
	Farm           string       `json:"farm" doc:"Name of the farm."`
	AreaHa         *float64     `json:"area_ha" doc:"Area of the boundary, hectares; null without a boundary."`
	DeclaredAreaHa *float64     `json:"declared_area_ha" doc:"Area as the farm declares it, hectares; null: not stated."`
	SoilType       string       `json:"soil_type" doc:"Soil in the words of the company; empty: not stated."`
	Irrigated      *bool        `json:"irrigated" doc:"Whether it is irrigated; null: not stated."`
	Tenure         string       `json:"tenure" doc:"How the land is held; empty: not stated."`
	ActiveFrom     *member.Date `json:"active_from" doc:"First day of use; null: always."`
	ActiveTo       *member.Date `json:"active_to" doc:"Last day of use; null: without an end."`
	Notes          string       `json:"notes" doc:"Free text of the company."`
	ExternalID     string       `json:"external_id" doc:"The record's key in the system it came from; empty: it has none."`
	Source         string       `json:"source" doc:"The system that it came from; empty: not stated."`
	CreatedAt      time.Time    `json:"created_at" doc:"When the record was made."`
	UpdatedAt      time.Time    `json:"updated_at" doc:"When the record was written last."`
}

func fieldProperties(r farm.Field) FieldProperties {
	out := FieldProperties{
		UUID: r.UUID, Name: r.Name, FarmID: r.Farm.ID, Farm: r.Farm.Name, DeclaredAreaHa: r.DeclaredAreaHa, SoilType: r.SoilType, Irrigated: r.Irrigated, Tenure: r.Tenure,
		ActiveFrom: day(r.ActiveFrom), ActiveTo: day(r.ActiveTo), Notes: r.Notes, ExternalID: r.ExternalID, Source: r.Source, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if r.Boundary != nil {
		out.AreaHa = new(geo.RoundHa(r.Boundary.AreaHa()))
	}
	return out
}

// CultivationProperties are the properties of a cultivation.
type CultivationProperties struct {
	FieldID   int64       `json:"field_id" doc:"Id of the field."`
	Field     string      `json:"field" doc:"Name of the field."`
	CropID    int64       `json:"crop_id" doc:"Id of the crop."`
	Crop      string      `json:"crop" doc:"Name of the crop."`
	SeasonID  int64       `json:"season_id" doc:"Id of the season."`
	Season    string      `json:"season" doc:"Name of the season."`
	StartDate member.Date `json:"start_date" doc:"First day of the season."`
	EndDate   member.Date `json:"end_date" doc:"Last day of the season."`
	CreatedAt time.Time   `json:"created_at" doc:"When the record was made."`
	UpdatedAt time.Time   `json:"updated_at" doc:"When the record was written last."`
}

func cultivationProperties(r features.Cultivation) CultivationProperties {
	return CultivationProperties{
		r.Field.ID, r.Field.Name, r.Crop.ID, r.Crop.Name, r.Season.ID, r.Season.Name,
		member.DateOf(r.Of.StartDate), member.DateOf(r.Of.EndDate), r.CreatedAt, r.UpdatedAt,
	}
}

// ProfileProperties are the properties of a profile order.
type ProfileProperties struct {
	FieldID   int64        `json:"field_id" doc:"Id of the field."`
	Field     string       `json:"field" doc:"Name of the field."`
	SeasonID  int64        `json:"season_id" doc:"Id of the season."`
	IndexCode string       `json:"index_code" doc:"The index, as NDVI."`
	Status    string       `json:"status" doc:"processing, pending, active or failed."`
	Date      *member.Date `json:"date" doc:"Day of the newest value; null while there is none."`
	Value     *float64     `json:"value" doc:"The mean of the field on that day."`
	Median    *float64     `json:"median" doc:"The median of the field on that day."`
	Std       *float64     `json:"std" doc:"The standard deviation in the field on that day."`
	Coverage  *float64     `json:"coverage" doc:"Share of the field that was seen, 0 to 1."`
	Points    int          `json:"points" doc:"Days with a value."`
	StartDate member.Date  `json:"start_date" doc:"First day of the series."`
	EndDate   member.Date  `json:"end_date" doc:"Last day of the series."`
	Outdated  bool         `json:"boundary_outdated" doc:"The field now has a different outline from that of the series, which is the one shown."`
	Synthetic bool         `json:"synthetic" doc:"The imagery was made up for a demonstration."`
	UpdatedAt time.Time    `json:"updated_at" doc:"When the record was written last."`
}

func profileProperties(r features.Profile) ProfileProperties {
	out := ProfileProperties{
		FieldID: r.FieldID, Field: r.Field, SeasonID: r.SeasonID, IndexCode: r.Index, Status: string(r.Status), Points: r.Points,
		StartDate: member.DateOf(r.StartDate), EndDate: member.DateOf(r.EndDate), Outdated: r.BoundaryOutdated(), Synthetic: r.Synthetic, UpdatedAt: r.UpdatedAt,
	}
	if at := r.Latest; at != nil {
		out.Date, out.Value, out.Median, out.Std, out.Coverage = new(member.DateOf(at.Date)), &at.Value, &at.Median, &at.Std, &at.Coverage
	}
	return out
}

// AOIProperties are the properties of an area of interest.
type AOIProperties struct {
	UUID        string    `json:"aoi_uuid" format:"uuid" doc:"The uuid of the area of interest."`
	Name        string    `json:"name" doc:"Its name."`
	Description string    `json:"description" doc:"Free text of the company."`
	Fields      int       `json:"fields" doc:"How many fields it covers."`
	SavedMaps   int64     `json:"saved_maps" doc:"How many maps of zones are saved for it."`
	SavedPlans  int64     `json:"saved_plans" doc:"How many sample plans are saved for it."`
	CreatedAt   time.Time `json:"created_at" doc:"When the record was made."`
	UpdatedAt   time.Time `json:"updated_at" doc:"When the record was written last."`
}

func aoiProperties(r stratification.AOI) AOIProperties {
	return AOIProperties{r.UUID, r.Name, r.Description, len(r.Fields), r.SavedMaps, r.SavedPlans, r.CreatedAt, r.UpdatedAt}
}

// ZoneProperties are the properties of a zone of a saved map.
type ZoneProperties struct {
	Zone    int       `json:"zone" doc:"Number of the zone in its map."`
	AreaHa  float64   `json:"area_ha" doc:"Hectares."`
	Share   float64   `json:"share" doc:"Share of the area of interest, 0 to 1."`
	MapID   int64     `json:"map_id" doc:"Id of the saved map of zones."`
	MapUUID string    `json:"map_uuid" format:"uuid" doc:"The uuid of the map."`
	MapTag  string    `json:"map_tag" doc:"Tag of the map within its order."`
	Map     string    `json:"map" doc:"Name of the map."`
	OrderID int64     `json:"order_id" doc:"Id of the stratification order."`
	AOIID   int64     `json:"aoi_id" doc:"Id of the area of interest."`
	AOI     string    `json:"aoi" doc:"Name of the area of interest."`
	SavedAt time.Time `json:"saved_at" doc:"When it was saved."`
}

func zoneProperties(r features.Zone) ZoneProperties {
	out := ZoneProperties{
		Zone: r.Number, AreaHa: geo.RoundHa(r.AreaHa), Share: r.Share, MapID: r.Map.ID, MapUUID: r.Map.Candidate.MapUUID, OrderID: r.Map.OrderID, AOIID: r.Map.AOI.ID, AOI: r.Map.AOI.Name,
	}
	if s := r.Map.Saved; s != nil {
		out.MapTag, out.Map, out.SavedAt = s.Tag, s.Name, s.At
	}
	return out
}

// PointProperties are the properties of a point of a saved sample plan.
type PointProperties struct {
	Point    string    `json:"point" doc:"Id of the point in its plan, as Z2-07."`
	Zone     int       `json:"zone" doc:"Number of the stratum of the point: a zone, or another stratum, which the plan numbers after the zones."`
	Role     string    `json:"role" enum:"sample,reserve,legacy" doc:"What the point is for: a sample, a reserve, or kept from before (legacy)."`
	Walk     int       `json:"walk" doc:"Place in the walk through the samples of the field, or through its reserves, from 1."`
	EdgeM    float64   `json:"distance_to_edge" doc:"Metres to the nearest edge of a zone or field."`
	ByHand   bool      `json:"by_hand" doc:"Moved or added by somebody, not drawn."`
	PlanID   int64     `json:"plan_id" doc:"Id of the saved sample plan."`
	PlanUUID string    `json:"plan_uuid" format:"uuid" doc:"The uuid of the plan."`
	PlanTag  string    `json:"plan_tag" doc:"Tag of the plan within its order."`
	MapID    int64     `json:"map_id" doc:"Id of the saved map of zones."`
	OrderID  int64     `json:"order_id" doc:"Id of the stratification order."`
	AOIID    int64     `json:"aoi_id" doc:"Id of the area of interest."`
	AOI      string    `json:"aoi" doc:"Name of the area of interest."`
	SavedAt  time.Time `json:"saved_at" doc:"When it was saved."`
}

func pointProperties(r features.Point) PointProperties {
	out := PointProperties{
		Point: r.ID, Zone: r.Zone, Role: string(r.Role), Walk: r.Walk, EdgeM: r.Edge, ByHand: r.ByHand, PlanID: r.Plan.ID, PlanUUID: r.Plan.Plan.PlanUUID,
		MapID: r.Plan.Map.ID, OrderID: r.Plan.OrderID, AOIID: r.Plan.AOI.ID, AOI: r.Plan.AOI.Name,
	}
	if s := r.Plan.Saved; s != nil {
		out.PlanTag, out.SavedAt = s.Tag, s.At
	}
	return out
}

// SampleProperties are the properties of a sample.
type SampleProperties struct {
	Label       string     `json:"label" doc:"The label on the bag; unique in the company."`
	Point       string     `json:"point" doc:"Id of the point in its plan, as Z2-07."`
	Zone        int        `json:"zone" doc:"Zone in which the point was planned."`
	Role        string     `json:"role" doc:"What the point is for: a sample, a reserve, or kept from before (legacy)."`
	Round       int64      `json:"round" doc:"Round of sampling, from 1."`
	DepthFromCm float64    `json:"depth_from_cm" doc:"Top of the depth interval, centimetres."`
	DepthToCm   float64    `json:"depth_to_cm" doc:"Bottom of the depth interval, centimetres."`
	Status      string     `json:"status" enum:"planned,collected,analysed,missed" doc:"The state of the sample."`
	CollectedAt *time.Time `json:"collected_at" doc:"When it was taken; null: not yet."`
	CollectedBy string     `json:"collected_by" doc:"Who took it; empty: not stated."`
	OutOfZone   bool       `json:"out_of_zone" doc:"Whether it was taken in another zone than it was planned for."`
	SOCPct      *float64   `json:"soc_pct" doc:"Soil organic carbon, % of the mass of fine soil."`
	BulkDensity *float64   `json:"bulk_density_g_cm3" doc:"Bulk density of the fine soil, g/cm³; null: not measured."`
	Coarse      *float64   `json:"coarse_fragments_pct" doc:"Coarse fragments, % of the volume; null: not measured."`
	LabRef      string     `json:"lab_ref" doc:"The laboratory's number; empty: none."`
	PlanID      int64      `json:"plan_id" doc:"Id of the saved sample plan."`
	AOIID       int64      `json:"aoi_id" doc:"Id of the area of interest."`
	AOI         string     `json:"aoi" doc:"Name of the area of interest."`
	Notes       string     `json:"notes" doc:"Free text of the company."`
	UpdatedAt   time.Time  `json:"updated_at" doc:"When the record was written last."`
}

// mmPerCm converts depths to centimetres.
const mmPerCm = 10

func sampleProperties(r sample.Sample) SampleProperties {
	out := SampleProperties{
		Label: r.Label, Point: r.Point, Zone: r.Zone, Role: string(r.Role), Round: r.Round, DepthFromCm: float64(r.Depth.FromMm) / mmPerCm, DepthToCm: float64(r.Depth.ToMm) / mmPerCm,
		Status: string(r.Status), PlanID: r.PlanID, AOIID: r.AOI.ID, AOI: r.AOI.Name, Notes: r.Notes, UpdatedAt: r.UpdatedAt, OutOfZone: r.OutOfZone(),
	}
	if c := r.Collected; c != nil {
		out.CollectedAt, out.CollectedBy = &c.At, c.By
	}
	if l := r.Lab; l != nil {
		out.SOCPct, out.BulkDensity, out.Coarse, out.LabRef = &l.SOCPct, l.BulkDensity, l.CoarseFragmentsPct, l.Ref
	}
	return out
}

func day(t *time.Time) *member.Date {
	if t == nil {
		return nil
	}
	return new(member.DateOf(*t))
}

// geometryOf returns a GeoJSON geometry. All outlines have the same type, so that tools make one layer of them.
func geometryOf(outline geo.MultiPolygon, place *geo.Position) member.Geometry {
	var raw []byte
	switch {
	case place != nil:
		raw, _ = json.Marshal(struct {
			Type        string    `json:"type"`
			Coordinates []float64 `json:"coordinates"`
		}{"Point", []float64{place.X, place.Y}}) // finite, as it was stored
	case len(outline) > 0:
		raw, _ = outline.MultiJSON()
	}
	return member.Geometry{RawObject: raw}
}
