package soil

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification"
)

type aoiRow struct {
	bun.BaseModel `bun:"table:aois,alias:t"`
	sqlstore.MetaRow
	UUID        string `bun:"uuid"`
	Name        string
	NameFolded  string
	Description string
	ExternalID  string
	Source      string

	Fields       *string `bun:"fields,scanonly"` // "id uuid" of each live field, by commas
	MapRequested bool    `bun:"map_requested,scanonly"`
	SavedMaps    int64   `bun:"saved_maps,scanonly"`
	SavedPlans   int64   `bun:"saved_plans,scanonly"`
}

type aoiFieldRow struct {
	bun.BaseModel `bun:"table:aoi_fields,alias:t"`
	AOIID         int64 `bun:"aoi_id,pk"`
	FieldID       int64 `bun:"field_id,pk"`
	CompanyID     int64
	Position      int
}

var aoiTable = &sqlstore.Table[stratification.AOI, aoiRow]{
	Word: "aoi",
	Columns: []string{
		"(SELECT string_agg(f.id || ' ' || f.uuid, ',' ORDER BY l.position) FROM aoi_fields AS l" +
			" JOIN fields AS f ON f.id = l.field_id WHERE l.aoi_id = t.id AND f.deleted_at IS NULL) AS fields",
		"EXISTS (SELECT 1 FROM stratification_orders AS o WHERE o.company_id = t.company_id AND o.aoi_id = t.id) AS map_requested",
		"(SELECT count(*) FROM stratification_maps AS m JOIN stratification_orders AS o ON o.id = m.order_id" +
			" WHERE o.company_id = t.company_id AND o.aoi_id = t.id AND m.saved_at IS NOT NULL) AS saved_maps",
		"(SELECT count(*) FROM stratification_plans AS p JOIN stratification_orders AS o ON o.id = p.order_id" +
			" WHERE o.company_id = t.company_id AND o.aoi_id = t.id AND p.saved_at IS NOT NULL) AS saved_plans",
	},
	Filters: sqlstore.KeyedFilters(map[string]sqlstore.Filter{
		"search": {Folded: "t.name_folded", Parts: sqlstore.OwnName}, "name": {Exact: "t.name"}, "farm": ofFarm("t.id"), sqlstore.InBoxes: {Where: covered()},
	}),
	Orders: map[string]sqlstore.OrderKey{"name": sqlstore.ByName},
	Shared: func(s *sqlstore.Session, scope access.Scope) sqlstore.Condition {
		return s.OfSharedLand(fieldsOfAOI("t.id"), false, access.AOIs.View.Slug(), scope)
	},
	Row: func(a *stratification.AOI) aoiRow {
		return aoiRow{MetaRow: sqlstore.MetaRowOf(a.Meta), UUID: a.UUID, Name: a.Name, NameFolded: sqlstore.Fold(a.Name), Description: a.Description, ExternalID: a.ExternalID, Source: a.Source}
	},
	Record: aoiOfRow,
	Kept:   []string{"uuid"},
}

// ofFarm selects what belongs to an area of interest that covers a field of a farm.
func ofFarm(aoi string) sqlstore.Filter {
	return sqlstore.Filter{Has: aoi + " IN (SELECT l.aoi_id FROM aoi_fields AS l JOIN fields AS f ON f.id = l.field_id WHERE f.deleted_at IS NULL AND f.farm_id = ?)"}
}

// fieldsOfAOI selects the fields of an area of interest: the area is shared if all of them that are not deleted are.
func fieldsOfAOI(id string) string { return "aoi_fields AS l WHERE l.aoi_id = " + id }

// covered returns where areas of interest lie: where their fields do that are not deleted. An area without such a field lies nowhere.
func covered() *sqlstore.Area {
	const fields = "(SELECT 1 FROM aoi_fields AS l JOIN fields AS f ON f.id = l.field_id WHERE l.aoi_id = t.id AND f.deleted_at IS NULL AND "
	out := sqlstore.BoxOf("f")
	out.In = "(NOT EXISTS " + fields + "f.min_x IS NOT NULL) OR EXISTS " + fields + "%s))"
	return out
}

// aois implements ports.AOIs.
type aois struct {
	sqlstore.Records[stratification.AOI, aoiRow, *stratification.AOI, *aoiRow]
}

func aoiRecords(s *sqlstore.Session) aois { return aois{sqlstore.NewRecords(s, aoiTable)} }

func (r aois) IDOf(ctx context.Context, scope access.Scope, uuid string) (int64, error) {
	if !sqlstore.Storable(uuid) {
		return 0, fault.Missing("aoi")
	}
	var id int64
	q := r.Session.NewSelect().Model((*aoiRow)(nil)).Column("t.id").Where("t.uuid = ?", uuid)
	err := sqlstore.Where(q, r.Session.InScope(scope, r.Table.Shared)...).Scan(ctx, &id)
	return id, sqlstore.Missing(err, "aoi")
}

// Insert also stores the fields.
func (r aois) Insert(ctx context.Context, scope access.Scope, records []*stratification.AOI) error {
	if err := r.Records.Insert(ctx, scope, records); err != nil {
		return err
	}
	for _, a := range records {
		if err := r.link(ctx, scope, a); err != nil {
			return err
		}
	}
	return nil
}

// Update also replaces the fields.
func (r aois) Update(ctx context.Context, scope access.Scope, a *stratification.AOI) error {
	if err := r.Records.Update(ctx, scope, a); err != nil {
		return err
	}
	if _, err := r.Session.NewDelete().Model((*aoiFieldRow)(nil)).Where("aoi_id = ?", a.ID).Exec(ctx); err != nil {
		return err
	}
	return r.link(ctx, scope, a)
}

func (r aois) link(ctx context.Context, scope access.Scope, a *stratification.AOI) error {
	return sqlstore.InsertAll(ctx, r.Session, a.Fields, func(i int, f stratification.AOIField) aoiFieldRow {
		return aoiFieldRow{AOIID: a.ID, FieldID: f.ID, CompanyID: scope.Company(), Position: i}
	})
}

func aoiOfRow(row *aoiRow) (stratification.AOI, error) {
	a := stratification.AOI{Meta: row.Meta(), UUID: row.UUID, Name: row.Name, Description: row.Description, External: record.External{ExternalID: row.ExternalID, Source: row.Source}, MapRequested: row.MapRequested, SavedMaps: row.SavedMaps, SavedPlans: row.SavedPlans}
	for item := range strings.SplitSeq(sqlstore.ValueOf(row.Fields), ",") {
		if item == "" {
			continue
		}
		id, uuid, _ := strings.Cut(item, " ")
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return a, fmt.Errorf("fields of area of interest %d: %w", row.ID, err)
		}
		a.Fields = append(a.Fields, stratification.AOIField{ID: n, UUID: uuid})
	}
	return a, nil
}
