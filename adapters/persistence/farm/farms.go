package farm

import (
	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/farm"
	"tilth/core/geo"
	corerecord "tilth/core/record"
)

type farmRow struct {
	bun.BaseModel `bun:"table:farms,alias:t"`
	sqlstore.MetaRow
	Name             string
	NameFolded       string
	Description      string
	Country          string
	Region           string
	City             string
	Address          string
	PostalCode       string
	Longitude        *float64
	Latitude         *float64
	Timezone         string
	UnitSystem       string
	OwnerName        string
	Phone            string
	Email            string
	BusinessID       string
	BaseYear         *int
	BaseThresholdPct float64
	BasePolicy       string
	ExternalID       string
	Source           string

	AreaM2     int64 `bun:"total_area_m2,scanonly"`
	FieldCount int64 `bun:"field_count,scanonly"`
}

var farmTable = &sqlstore.Table[farm.Farm, farmRow]{
	Word: "farm",
	Columns: []string{
		"(SELECT COUNT(*) FROM fields AS f WHERE f.company_id = t.company_id AND f.farm_id = t.id AND f.deleted_at IS NULL) AS field_count",
		"(SELECT CAST(COALESCE(SUM(f.area_m2), 0) AS BIGINT) FROM fields AS f" +
			" WHERE f.company_id = t.company_id AND f.farm_id = t.id AND f.deleted_at IS NULL) AS total_area_m2",
	},
	Filters: sqlstore.NamedFilters(map[string]sqlstore.Filter{
		"country": {Exact: "t.country"}, sqlstore.InBoxes: {Where: sqlstore.PointOf("t.longitude", "t.latitude")},
	}),
	Orders: map[string]sqlstore.OrderKey{"name": sqlstore.ByName},
	Shared: sqlstore.SharedFarm,
	Row:    rowOfFarm,
	Record: farmOfRow,
}

func farmRecords(s *sqlstore.Session) sqlstore.Records[farm.Farm, farmRow, *farm.Farm, *farmRow] {
	return sqlstore.NewRecords(s, farmTable)
}

func rowOfFarm(r *farm.Farm) farmRow {
	row := farmRow{
		MetaRow: sqlstore.MetaRowOf(r.Meta),
		Name:    r.Name, NameFolded: sqlstore.Fold(r.Name), Description: r.Description,
		Country: r.Country, Region: r.Region, City: r.City, Address: r.Address, PostalCode: r.PostalCode,
		Timezone: r.Timezone, UnitSystem: r.UnitSystem,
		OwnerName: r.OwnerName, Phone: r.Phone, Email: r.Email, BusinessID: r.BusinessID,
		ExternalID: r.ExternalID, Source: r.Source,
	}
	if r.Location != nil {
		row.Longitude, row.Latitude = &r.Location.X, &r.Location.Y
	}
	if b := r.BaseYear; b != nil {
		row.BaseYear, row.BaseThresholdPct, row.BasePolicy = &b.Year, b.ThresholdPct, b.Policy
	}
	return row
}

// squareMetresPerHectare turns the stored area into hectares.
const squareMetresPerHectare = 10_000

func farmOfRow(row *farmRow) (farm.Farm, error) {
	r := farm.Farm{
		Meta: row.Meta(),
		Name: row.Name, Description: row.Description,
		Country: row.Country, Region: row.Region, City: row.City, Address: row.Address, PostalCode: row.PostalCode,
		Timezone: row.Timezone, UnitSystem: row.UnitSystem,
		OwnerName: row.OwnerName, Phone: row.Phone, Email: row.Email, BusinessID: row.BusinessID,
		External:    corerecord.External{ExternalID: row.ExternalID, Source: row.Source},
		TotalAreaHa: float64(row.AreaM2) / squareMetresPerHectare, FieldCount: row.FieldCount,
	}
	if row.Longitude != nil && row.Latitude != nil {
		r.Location = &geo.Position{X: *row.Longitude, Y: *row.Latitude}
	}
	if row.BaseYear != nil {
		r.BaseYear = &farm.BaseYear{Year: *row.BaseYear, ThresholdPct: row.BaseThresholdPct, Policy: row.BasePolicy}
	}
	return r, nil
}
