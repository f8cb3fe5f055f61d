package persistence

import (
	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/geo"
)

type farmRow struct {
	bun.BaseModel `bun:"table:farms,alias:t"`
	MetaRow
	Name        string
	NameFolded  string
	Description string
	Country     string
	Region      string
	City        string
	Address     string
	PostalCode  string
	Longitude   *float64
	Latitude    *float64
	Timezone    string
	UnitSystem  string
	OwnerName   string
	Phone       string
	Email       string
	BusinessID  string
	ExternalID  string
	Source      string

	AreaM2     int64 `bun:"total_area_m2,scanonly"`
	FieldCount int64 `bun:"field_count,scanonly"`
}

// commonFilters are the filters of every resource of a company, and those given.
func commonFilters(more map[string]filter) map[string]filter {
	out := map[string]filter{
		"company":       {exact: "t.company_id"},
		"created_by":    {exact: "t.created_by"},
		"updated_since": {since: "t.updated_at"},
	}
	for name, f := range more {
		out[name] = f
	}
	return out
}

// namedFilters are the filters of a resource with a name and an external id, and those given.
func namedFilters(more map[string]filter) map[string]filter {
	out := commonFilters(more)
	out["name"] = filter{exact: "t.name", folded: "t.name_folded"}
	out["search"] = filter{folded: "t.name_folded"}
	out["external_id"] = filter{exact: "t.external_id", other: "t.external_id <> ''"}
	return out
}

var farmTable = &table[farm.Farm, farmRow]{
	word: "farm",
	columns: []string{
		"(SELECT COUNT(*) FROM fields AS f WHERE f.company_id = t.company_id AND f.farm_id = t.id AND f.deleted_at IS NULL) AS field_count",
		"(SELECT CAST(COALESCE(SUM(f.area_m2), 0) AS BIGINT) FROM fields AS f" +
			" WHERE f.company_id = t.company_id AND f.farm_id = t.id AND f.deleted_at IS NULL) AS total_area_m2",
	},
	filters: namedFilters(map[string]filter{"country": {exact: "t.country"}}),
	orders:  map[string]orderKey{"name": byName},
	shared:  sharedFarm,
	row:     rowOfFarm,
	record:  farmOfRow,
}

type farmRepo = records[farm.Farm, farmRow, *farm.Farm, *farmRow]

func farmRecords(s *session) farmRepo { return recordsOf(s, farmTable) }

func rowOfFarm(r *farm.Farm) farmRow {
	row := farmRow{
		MetaRow: metaRowOf(r.Meta),
		Name:    r.Name, NameFolded: fold(r.Name), Description: r.Description,
		Country: r.Country, Region: r.Region, City: r.City, Address: r.Address, PostalCode: r.PostalCode,
		Timezone: r.Timezone, UnitSystem: r.UnitSystem,
		OwnerName: r.OwnerName, Phone: r.Phone, Email: r.Email, BusinessID: r.BusinessID,
		ExternalID: r.ExternalID, Source: r.Source,
	}
	if r.Location != nil {
		row.Longitude, row.Latitude = &r.Location.X, &r.Location.Y
	}
	return row
}

// squareMetresPerHectare turns the stored area into hectares.
const squareMetresPerHectare = 10_000

func farmOfRow(row *farmRow) (farm.Farm, error) {
	r := farm.Farm{
		Meta: row.meta(),
		Name: row.Name, Description: row.Description,
		Country: row.Country, Region: row.Region, City: row.City, Address: row.Address, PostalCode: row.PostalCode,
		Timezone: row.Timezone, UnitSystem: row.UnitSystem,
		OwnerName: row.OwnerName, Phone: row.Phone, Email: row.Email, BusinessID: row.BusinessID,
		External:    farm.External{ExternalID: row.ExternalID, Source: row.Source},
		TotalAreaHa: float64(row.AreaM2) / squareMetresPerHectare, FieldCount: row.FieldCount,
	}
	if row.Longitude != nil && row.Latitude != nil {
		r.Location = &geo.Position{X: *row.Longitude, Y: *row.Latitude}
	}
	return r, nil
}

// sharedFarm is the farms of grants on a farm or on everything. A grant on a field
// shows the field alone.
func sharedFarm(s *session, scope access.Scope) condition {
	return s.granted("t", "(g.target = 'all' OR (g.target = 'farm' AND g.farm_id = t.id))", "farm.view", scope)
}
