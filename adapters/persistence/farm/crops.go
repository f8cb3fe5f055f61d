package farm

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/farm"
	"tilth/ports"
)

type cropRow struct {
	bun.BaseModel  `bun:"table:crops,alias:t"`
	ID             int64 `bun:"id,pk,autoincrement"`
	CreatedAt      sqlstore.Stamp
	UpdatedAt      sqlstore.Stamp
	Slug           string
	Name           string
	ScientificName string
	ICCGroup       string `bun:"icc_group"`
	ICCCode        string `bun:"icc_code"`
	CPCCode        string `bun:"cpc_code"`
	HCAT3Code      string `bun:"hcat3_code"`
	Lifecycle      string
	Family         string
	IsNFixing      bool `bun:"is_n_fixing"`
	IsFlooded      bool
	IsGrassland    bool
	IsCover        bool
	GHGCropType    string `bun:"ghg_crop_type"`
	CurveClasses   sqlstore.JSON[[]string]
	Names          sqlstore.JSON[map[string]string]
	IsActive       bool
	SearchFolded   string
}

// cropFilters are the filters of the catalog; search looks through every language.
var cropFilters = map[string]sqlstore.Filter{
	"search":        {Folded: "t.search_folded"},
	"name":          {Exact: "t.name", Folded: "t.search_folded"},
	"slug":          {Exact: "t.slug"},
	"lifecycle":     {Exact: "t.lifecycle"},
	"family":        {Exact: "t.family"},
	"icc_group":     {Exact: "t.icc_group"},
	"icc_code":      {Exact: "t.icc_code"},
	"is_active":     {Exact: "t.is_active"},
	"is_n_fixing":   {Exact: "t.is_n_fixing"},
	"is_flooded":    {Exact: "t.is_flooded"},
	"is_grassland":  {Exact: "t.is_grassland"},
	"is_cover":      {Exact: "t.is_cover"},
	"id":            {Exact: "t.id"},
	"updated_since": {Since: "t.updated_at"},
}

// crops implements ports.Crops and ports.CropWriter.
type crops struct{ s *sqlstore.Session }

func (c crops) query() *bun.SelectQuery { return c.s.NewSelect().Model((*cropRow)(nil)) }

func (c crops) Count(ctx context.Context, query ports.Query) (int64, error) {
	return cropView.Count(ctx, c.query(), query)
}

func (c crops) Each(ctx context.Context, query ports.Query) iter.Seq2[farm.Crop, error] {
	return cropView.Each(ctx, c.s, c.query(), query)
}

func (c crops) Get(ctx context.Context, id int64) (farm.Crop, error) {
	return cropView.One(ctx, c.query().Where("t.id = ?", id))
}

func (c crops) GetMany(ctx context.Context, ids []int64) (map[int64]farm.Crop, error) {
	if len(ids) == 0 {
		return map[int64]farm.Crop{}, nil
	}
	crops := sqlstore.Stream(ctx, c.s, c.query().Where("t.id IN (?)", prepared.List(ids)), cropOfRow)
	return sqlstore.Index(crops, func(crop *farm.Crop) int64 { return crop.ID })
}

func (c crops) UpsertCrops(ctx context.Context, list []farm.Crop, at time.Time) error {
	row := func(_ int, crop farm.Crop) cropRow { return rowOfCrop(&crop, at) }
	return sqlstore.InsertAll(ctx, c.s, list, row, sqlstore.Replacing("slug",
		"updated_at", "name", "scientific_name", "icc_group", "icc_code", "cpc_code", "hcat3_code", "lifecycle", "family", "is_n_fixing",
		"is_flooded", "is_grassland", "is_cover", "ghg_crop_type", "curve_classes", "names", "is_active", "search_folded"))
}

func (c crops) CountCrops(ctx context.Context) (int64, error) { return c.query().Count(ctx) }

func rowOfCrop(r *farm.Crop, at time.Time) cropRow {
	words := []string{r.Name, r.ScientificName, r.Slug}
	for _, language := range slices.Sorted(maps.Keys(r.Names)) {
		words = append(words, r.Names[language])
	}
	return cropRow{
		CreatedAt: sqlstore.StampAt(at), UpdatedAt: sqlstore.StampAt(at),
		Slug: r.Slug, Name: r.Name, ScientificName: r.ScientificName,
		ICCGroup: r.ICCGroup, ICCCode: r.ICCCode, CPCCode: r.CPCCode, HCAT3Code: r.HCAT3Code,
		Lifecycle: r.Lifecycle, Family: r.Family,
		IsNFixing: r.IsNFixing, IsFlooded: r.IsFlooded, IsGrassland: r.IsGrassland, IsCover: r.IsCover,
		GHGCropType: r.GHGCropType, CurveClasses: sqlstore.JSONOf(r.CurveClasses), Names: sqlstore.JSONOf(r.Names),
		IsActive: r.IsActive, SearchFolded: sqlstore.Fold(strings.Join(words, "\n")),
	}
}

var cropView = &sqlstore.View[farm.Crop, cropRow]{
	Word: "crop", Filters: cropFilters, Orders: map[string]sqlstore.OrderKey{"name": {Expr: "t.name", Text: true}}, Record: cropOfRow,
}

func cropOfRow(row *cropRow) (farm.Crop, error) {
	return farm.Crop{
		ID: row.ID, CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time,
		Slug: row.Slug, Name: row.Name, ScientificName: row.ScientificName,
		ICCGroup: row.ICCGroup, ICCCode: row.ICCCode, CPCCode: row.CPCCode, HCAT3Code: row.HCAT3Code,
		Lifecycle: row.Lifecycle, Family: row.Family,
		IsNFixing: row.IsNFixing, IsFlooded: row.IsFlooded, IsGrassland: row.IsGrassland, IsCover: row.IsCover,
		GHGCropType: row.GHGCropType, CurveClasses: row.CurveClasses.V, Names: row.Names.V, IsActive: row.IsActive,
	}, nil
}
