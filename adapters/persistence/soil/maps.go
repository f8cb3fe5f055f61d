package soil

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/geo"
	corerecord "tilth/core/record"
	"tilth/core/stratification"
	"tilth/core/stratification/zoning"
)

// mapRow is a map of zones. Figures (the candidate without outlines and labels) and About are read
// forever: the core records in them may get new members, but none may be renamed.
type mapRow struct {
	bun.BaseModel `bun:"table:stratification_maps,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	OrderID       int64
	MapUUID       string `bun:"map_uuid"`
	About         sqlstore.JSON[zoning.About]
	Figures       sqlstore.JSON[zoning.Candidate]
	Outlines      []byte // deflated JSON: []storedOutline
	Labels        []byte // deflated JSON: []int32
	CreatedAt     sqlstore.Stamp
	SavedAt       *sqlstore.Stamp
	SavedBy       *int64
	Name          string
	MapTag        string
	ExternalID    string
	Source        string

	AOIID   int64  `bun:"aoi_id,scanonly"`
	AOIUUID string `bun:"aoi_uuid,scanonly"`
	AOIName string `bun:"aoi_name,scanonly"`
}

// storedOutline is the outline of a zone, in the plane and in WGS84.
type storedOutline struct {
	Plane planar `json:"plane"`
	WGS84 planar `json:"wgs84"`
}

// planar is a geometry as plain numbers, of any plane.
type planar [][][][2]float64

func planarOf(m geo.MultiPolygon) planar {
	return sqlstore.Each(m, func(polygon *geo.Polygon) [][][2]float64 {
		return sqlstore.Each(*polygon, func(ring *geo.Ring) [][2]float64 {
			return sqlstore.Each(*ring, func(v *geo.Position) [2]float64 { return [2]float64{v.X, v.Y} })
		})
	})
}

func (p planar) geometry() geo.MultiPolygon {
	if len(p) == 0 {
		return nil
	}
	return sqlstore.Each(p, func(polygon *[][][2]float64) geo.Polygon {
		return sqlstore.Each(*polygon, func(ring *[][2]float64) geo.Ring {
			return sqlstore.Each(*ring, func(v *[2]float64) geo.Position { return geo.Position{X: v[0], Y: v[1]} })
		})
	})
}

var mapTable = &draftTable[zoning.Map, mapRow]{
	view: sqlstore.View[zoning.Map, mapRow]{
		Word: "map", Record: mapOfRow, Filters: map[string]sqlstore.Filter{
			"id":    {Exact: "t.id"},
			"order": {Exact: "t.order_id"}, "aoi": {Exact: "o.aoi_id"}, "farm": ofFarm("o.aoi_id"), "map_tag": {Exact: "t.map_tag"}, "external_id": sqlstore.ByKey,
		},
	},
	uuid: "map_uuid", tag: "map_tag", whole: []string{"labels"}, large: []string{"outlines"},
	sharing: access.StratificationMaps.View.Slug(),
	saving:  func(m *zoning.Map) (int64, int64, *zoning.Saving) { return m.ID, m.OrderID, m.Saved },
}

// zoneMaps implements ports.StratificationMaps.
type zoneMaps struct{ drafts[zoning.Map, mapRow] }

func mapRecords(s *sqlstore.Session) zoneMaps {
	return zoneMaps{draftsOf(s, mapTable)}
}

func (m zoneMaps) Put(ctx context.Context, scope access.Scope, records []*zoning.Map) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("map")
	}
	for _, record := range records { // one by one: a map is large
		record.CompanyID, record.CreatedAt = scope.Company(), sqlstore.Micro(record.CreatedAt)
		row, err := rowOfMap(record)
		if err != nil {
			return err
		}
		if err := m.put(ctx, &row, &record.ID); err != nil {
			return err
		}
	}
	return nil
}

func rowOfMap(record *zoning.Map) (row mapRow, err error) {
	figures := record.Candidate
	figures.Labels, figures.Zones = nil, make([]zoning.Zone, len(record.Candidate.Zones))
	outlines := make([]storedOutline, len(figures.Zones))
	for i, z := range record.Candidate.Zones {
		outlines[i] = storedOutline{planarOf(z.Outline), planarOf(z.Geometry)}
		z.Outline, z.Geometry = nil, nil
		figures.Zones[i] = z
	}
	row = mapRow{
		CompanyID: record.CompanyID, OrderID: record.OrderID, MapUUID: record.Candidate.MapUUID,
		About: sqlstore.JSONOf(record.About), Figures: sqlstore.JSONOf(figures), CreatedAt: sqlstore.StampAt(record.CreatedAt),
	}
	if row.Outlines, err = sqlstore.Deflate(outlines); err != nil {
		return row, err
	}
	row.Labels, err = sqlstore.Deflate(record.Candidate.Labels)
	return row, err
}

func mapOfRow(row *mapRow) (zoning.Map, error) {
	record := zoning.Map{
		ID: row.ID, CompanyID: row.CompanyID, OrderID: row.OrderID, About: row.About.V, Candidate: row.Figures.V, CreatedAt: row.CreatedAt.Time,
		AOI: stratification.AOIRef{ID: row.AOIID, UUID: row.AOIUUID, Name: row.AOIName},
	}
	if row.SavedAt != nil {
		record.Saved = &zoning.Saving{Name: row.Name, Tag: row.MapTag, At: row.SavedAt.Time, By: sqlstore.ValueOf(row.SavedBy), External: corerecord.External{ExternalID: row.ExternalID, Source: row.Source}}
	}
	if row.Labels != nil {
		if err := sqlstore.Inflate(row.Labels, &record.Candidate.Labels); err != nil {
			return record, fmt.Errorf("labels of map %s: %w", row.MapUUID, err)
		}
	}
	if row.Outlines != nil {
		var outlines []storedOutline
		if err := sqlstore.Inflate(row.Outlines, &outlines); err != nil {
			return record, fmt.Errorf("outlines of map %s: %w", row.MapUUID, err)
		}
		for i := range record.Candidate.Zones {
			record.Candidate.Zones[i].Outline, record.Candidate.Zones[i].Geometry = outlines[i].Plane.geometry(), outlines[i].WGS84.geometry()
		}
	}
	return record, nil
}
