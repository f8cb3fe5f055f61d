package farm

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/agronomy"
	"tilth/core/farm"
	corerecord "tilth/core/record"
)

type fertilizationRow struct {
	bun.BaseModel `bun:"table:fertilizations,alias:t"`
	sqlstore.MetaRow
	CultivationID      int64
	AppliedOn          *sqlstore.Day
	ProductName        string
	ProductNameFolded  string
	Product            string
	AmountValue        *float64
	AmountUnit         string
	DensityKgPerL      *float64 `bun:"density_kg_per_l"`
	TreatedAreaHa      *float64
	NPct               *float64 `bun:"n_pct"`
	P2O5Pct            *float64 `bun:"p2o5_pct"`
	K2OPct             *float64 `bun:"k2o_pct"`
	SPct               *float64 `bun:"s_pct"`
	CaOPct             *float64 `bun:"cao_pct"`
	MgOPct             *float64 `bun:"mgo_pct"`
	NitrateSharePct    *float64 `bun:"n_nitrate_share_pct"`
	AmmoniumSharePct   *float64 `bun:"n_ammonium_share_pct"`
	UreaSharePct       *float64 `bun:"n_urea_share_pct"`
	OrganicSharePct    *float64 `bun:"n_organic_share_pct"`
	DryMatterPct       *float64
	NutrientBasis      string
	Inhibitor          string
	ApplicationMethod  string
	IncorporationHours *float64
	Notes              string
	ExternalID         string
	Source             string

	CultivationName string   `bun:"cultivation_name,scanonly"`
	FieldAreaM2     *int64   `bun:"field_area_m2,scanonly"`
	FieldDeclaredHa *float64 `bun:"field_declared_ha,scanonly"`
}

var fertilizationTable = &sqlstore.Table[farm.Fertilization, fertilizationRow]{
	Word: "fertilization",
	Columns: []string{
		// A cultivation has no name of its own: it is known by its crop, field and season.
		"COALESCE(crop.name || ', ' || field.name || ', ' || season.name, '') AS cultivation_name",
		"field.area_m2 AS field_area_m2", "field.declared_area_ha AS field_declared_ha",
	},
	Joins: []string{
		"LEFT JOIN cultivations AS cultivation ON cultivation.id = t.cultivation_id",
		"LEFT JOIN fields AS field ON field.id = cultivation.field_id",
		"LEFT JOIN seasons AS season ON season.id = cultivation.season_id",
		"LEFT JOIN crops AS crop ON crop.id = cultivation.crop_id",
	},
	Filters: sqlstore.KeyedFilters(map[string]sqlstore.Filter{
		"cultivation": {Exact: "t.cultivation_id"}, "product": {Exact: "t.product"},
		"field": {Exact: "cultivation.field_id"}, "season": {Exact: "cultivation.season_id"},
		"crop": {Exact: "cultivation.crop_id"}, "farm": {Exact: "field.farm_id"},
		"search": {Folded: "t.product_name_folded", Parts: sqlstore.OwnName},
	}),
	Orders: map[string]sqlstore.OrderKey{"applied_on": {Expr: "t.applied_on", Nullable: true}},
	Shared: sqlstore.WithField("f.id = cultivation.field_id", "fertilization.view"),
	Row:    rowOfFertilization,
	Record: fertilizationOfRow,
}

// fertilizations implements ports.Fertilizations.
type fertilizations struct {
	sqlstore.Records[farm.Fertilization, fertilizationRow, *farm.Fertilization, *fertilizationRow]
}

func fertilizationRecords(s *sqlstore.Session) fertilizations {
	return fertilizations{sqlstore.NewRecords(s, fertilizationTable)}
}

// ofFields returns the condition of the fertilizations of the cultivations of fields, live and deleted.
func ofFields(scope access.Scope, fieldIDs []int64) sqlstore.Condition {
	if len(fieldIDs) == 0 {
		return sqlstore.Nothing
	}
	return sqlstore.When(
		"t.cultivation_id IN (SELECT c.id FROM cultivations AS c WHERE c.company_id = ? AND c.field_id IN (?))",
		scope.Company(), prepared.List(fieldIDs))
}

func ofCultivation(id int64) sqlstore.Condition { return sqlstore.When("t.cultivation_id = ?", id) }

func (r fertilizations) OfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]farm.Fertilization, error) {
	if len(fieldIDs) == 0 {
		return nil, nil
	}
	q := r.Query(scope).Where("?", sqlstore.Among("cultivation.field_id", fieldIDs)).Order("t.id")
	return sqlstore.Collect(sqlstore.Stream(ctx, r.Session, q, fertilizationOfRow))
}

func (r fertilizations) SoftDeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) (int64, error) {
	return r.DeleteWhere(ctx, scope, ofFields(scope, fieldIDs), at)
}

func (r fertilizations) SoftDeleteOfCultivation(ctx context.Context, scope access.Scope, cultivationID int64, at time.Time) (int64, error) {
	return r.DeleteWhere(ctx, scope, ofCultivation(cultivationID), at)
}

func (r fertilizations) UndeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, deletedAt, now time.Time) ([]int64, error) {
	return r.UndeleteWhere(ctx, scope, ofFields(scope, fieldIDs), deletedAt, now)
}

func (r fertilizations) UndeleteOfCultivation(ctx context.Context, scope access.Scope, cultivationID int64, deletedAt, now time.Time) ([]int64, error) {
	return r.UndeleteWhere(ctx, scope, ofCultivation(cultivationID), deletedAt, now)
}

func rowOfFertilization(r *farm.Fertilization) fertilizationRow {
	n, forms := r.Nutrients, r.Forms
	row := fertilizationRow{
		MetaRow: sqlstore.MetaRowOf(r.Meta), CultivationID: r.Cultivation.ID, AppliedOn: sqlstore.NullableDay(r.AppliedOn),
		ProductName: r.ProductName, ProductNameFolded: sqlstore.Fold(r.ProductName), Product: r.Product,
		DensityKgPerL: r.DensityKgPerL, TreatedAreaHa: r.TreatedAreaHa,
		NPct: n.N, P2O5Pct: n.P2O5, K2OPct: n.K2O, SPct: n.S, CaOPct: n.CaO, MgOPct: n.MgO,
		NitrateSharePct: forms.Nitrate, AmmoniumSharePct: forms.Ammonium, UreaSharePct: forms.Urea, OrganicSharePct: forms.Organic,
		DryMatterPct: r.DryMatterPct, NutrientBasis: r.NutrientBasis, Inhibitor: r.Inhibitor,
		ApplicationMethod: r.ApplicationMethod, IncorporationHours: r.IncorporationHours, Notes: r.Notes,
		ExternalID: r.ExternalID, Source: r.Source,
	}
	if r.Amount != nil {
		row.AmountValue, row.AmountUnit = &r.Amount.Value, string(r.Amount.Unit)
	}
	return row
}

func fertilizationOfRow(row *fertilizationRow) (farm.Fertilization, error) {
	r := farm.Fertilization{
		Meta: row.Meta(), Cultivation: corerecord.Ref{ID: row.CultivationID, Name: row.CultivationName}, AppliedOn: row.AppliedOn.Nullable(),
		ProductName: row.ProductName, Product: row.Product, DensityKgPerL: row.DensityKgPerL, TreatedAreaHa: row.TreatedAreaHa,
		Nutrients: farm.Nutrients{N: row.NPct, P2O5: row.P2O5Pct, K2O: row.K2OPct, S: row.SPct, CaO: row.CaOPct, MgO: row.MgOPct},
		Forms: farm.NitrogenForms{
			Nitrate: row.NitrateSharePct, Ammonium: row.AmmoniumSharePct, Urea: row.UreaSharePct, Organic: row.OrganicSharePct,
		},
		DryMatterPct: row.DryMatterPct, NutrientBasis: row.NutrientBasis, Inhibitor: row.Inhibitor,
		ApplicationMethod: row.ApplicationMethod, IncorporationHours: row.IncorporationHours, Notes: row.Notes,
		External: corerecord.External{ExternalID: row.ExternalID, Source: row.Source}, FieldAreaHa: row.FieldDeclaredHa,
	}
	if row.AmountValue != nil {
		r.Amount = &agronomy.Amount{Value: *row.AmountValue, Unit: agronomy.Unit(row.AmountUnit)}
	}
	if m2 := sqlstore.ValueOf(row.FieldAreaM2); m2 > 0 {
		area := float64(m2) / squareMetresPerHectare
		r.FieldAreaHa = &area
	}
	return r, nil
}
