package farm

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/farm"
	corerecord "tilth/core/record"
)

type seasonRow struct {
	bun.BaseModel `bun:"table:seasons,alias:t"`
	sqlstore.MetaRow
	Name        string
	NameFolded  string
	StartDate   sqlstore.Day
	EndDate     sqlstore.Day
	HarvestYear int
	Kind        string
	IsClosed    bool
	ExternalID  string
	Source      string
}

var seasonTable = &sqlstore.Table[farm.Season, seasonRow]{
	Word: "season",
	Filters: sqlstore.NamedFilters(map[string]sqlstore.Filter{
		"harvest_year": {Exact: "t.harvest_year"}, "kind": {Exact: "t.kind"}, "is_closed": {Exact: "t.is_closed"},
	}),
	Orders: map[string]sqlstore.OrderKey{"name": sqlstore.ByName, "start_date": {Expr: "t.start_date"}, "end_date": {Expr: "t.end_date"}},
	Shared: sharedSeason,
	Row:    rowOfSeason,
	Record: seasonOfRow,
}

// seasons implements ports.Seasons.
type seasons struct {
	sqlstore.Records[farm.Season, seasonRow, *farm.Season, *seasonRow]
}

func seasonRecords(s *sqlstore.Session) seasons { return seasons{sqlstore.NewRecords(s, seasonTable)} }

func (r seasons) InUse(ctx context.Context, scope access.Scope, id int64) (bool, error) {
	return r.Session.NewSelect().Model((*cultivationRow)(nil)).
		Where("?", sqlstore.Own("t", scope)).Where("t.season_id = ?", id).Where("t.deleted_at IS NULL").Exists(ctx)
}

func rowOfSeason(r *farm.Season) seasonRow {
	return seasonRow{
		MetaRow: sqlstore.MetaRowOf(r.Meta),
		Name:    r.Name, NameFolded: sqlstore.Fold(r.Name), StartDate: sqlstore.DayAt(r.StartDate), EndDate: sqlstore.DayAt(r.EndDate),
		HarvestYear: r.HarvestYear, Kind: r.Kind, IsClosed: r.IsClosed, ExternalID: r.ExternalID, Source: r.Source,
	}
}

func seasonOfRow(row *seasonRow) (farm.Season, error) {
	return farm.Season{
		Meta: row.Meta(),
		Name: row.Name, StartDate: row.StartDate.Time, EndDate: row.EndDate.Time,
		HarvestYear: row.HarvestYear, Kind: row.Kind, IsClosed: row.IsClosed,
		External: corerecord.External{ExternalID: row.ExternalID, Source: row.Source},
	}, nil
}

// sharedSeason returns the condition of the seasons that a live cultivation of a shared field uses.
func sharedSeason(s *sqlstore.Session, scope access.Scope) sqlstore.Condition {
	inner := s.Granted("f", sqlstore.GrantOfField, "season.view", scope)
	return sqlstore.When(
		"EXISTS (SELECT 1 FROM cultivations AS c JOIN fields AS f ON f.id = c.field_id"+
			" WHERE c.company_id = t.company_id AND c.season_id = t.id AND c.deleted_at IS NULL AND f.deleted_at IS NULL AND "+inner.SQL+")",
		inner.Args...)
}
