package persistence

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/farm"
)

type seasonRow struct {
	bun.BaseModel `bun:"table:seasons,alias:t"`
	MetaRow
	Name        string
	NameFolded  string
	StartDate   day
	EndDate     day
	HarvestYear int
	Kind        string
	IsClosed    bool
	ExternalID  string
	Source      string
}

var seasonTable = &table[farm.Season, seasonRow]{
	word: "season",
	filters: namedFilters(map[string]filter{
		"harvest_year": {exact: "t.harvest_year"}, "kind": {exact: "t.kind"}, "is_closed": {exact: "t.is_closed"},
	}),
	orders: map[string]orderKey{"name": byName, "start_date": {expr: "t.start_date"}, "end_date": {expr: "t.end_date"}},
	shared: sharedSeason,
	row:    rowOfSeason,
	record: seasonOfRow,
}

type seasonRepo = records[farm.Season, seasonRow, *farm.Season, *seasonRow]

func seasonRecords(s *session) seasonRepo { return recordsOf(s, seasonTable) }

// seasons implements ports.Seasons.
type seasons struct{ seasonRepo }

// InUse implements ports.Seasons.
func (r seasons) InUse(ctx context.Context, scope access.Scope, id int64) (bool, error) {
	in := own("t", scope)
	return r.s.NewSelect().Model((*cultivationRow)(nil)).
		Where(in.sql, in.args...).Where("t.season_id = ?", id).Where("t.deleted_at IS NULL").Exists(ctx)
}

func rowOfSeason(r *farm.Season) seasonRow {
	return seasonRow{
		MetaRow: metaRowOf(r.Meta),
		Name:    r.Name, NameFolded: fold(r.Name), StartDate: dayAt(r.StartDate), EndDate: dayAt(r.EndDate),
		HarvestYear: r.HarvestYear, Kind: r.Kind, IsClosed: r.IsClosed, ExternalID: r.ExternalID, Source: r.Source,
	}
}

func seasonOfRow(row *seasonRow) (farm.Season, error) {
	return farm.Season{
		Meta: row.meta(),
		Name: row.Name, StartDate: row.StartDate.Time, EndDate: row.EndDate.Time,
		HarvestYear: row.HarvestYear, Kind: row.Kind, IsClosed: row.IsClosed,
		External: farm.External{ExternalID: row.ExternalID, Source: row.Source},
	}, nil
}

// sharedSeason is the seasons that a live cultivation of a shared field uses.
func sharedSeason(s *session, scope access.Scope) condition {
	inner := s.granted("f", grantOfField, "season.view", scope)
	return when(
		"EXISTS (SELECT 1 FROM cultivations AS c JOIN fields AS f ON f.id = c.field_id"+
			" WHERE c.company_id = t.company_id AND c.season_id = t.id AND c.deleted_at IS NULL AND f.deleted_at IS NULL AND "+inner.sql+")",
		inner.args...)
}
