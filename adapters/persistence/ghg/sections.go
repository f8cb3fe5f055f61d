package ghg

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/ports"
)

// enteredRow is an item of a list section, or the object of an object section.
type enteredRow struct {
	bun.BaseModel `bun:"table:assessment_rows,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	AssessmentID  int64
	Section       string
	Position      int
	Entered       sqlstore.JSON[assessment.Values]
}

type stateRow struct {
	bun.BaseModel `bun:"table:assessment_states,alias:t"`
	AssessmentID  int64
	CompanyID     int64
	Sections      sqlstore.JSON[[]assessment.SectionState]

	Percentage float64 `bun:"percentage,scanonly"`
	Ready      bool    `bun:"ready,scanonly"`
}

// these selects the id of an assessment, where it is in the scope.
func (r assessments) these(scope access.Scope, id int64) *bun.SelectQuery {
	q, _ := r.Narrowed(scope, ports.Query{}) // a query without filters and orders has nothing to refuse
	return q.ColumnExpr("t.id").Where("t.id = ?", id)
}

func (r assessments) Sheet(ctx context.Context, scope access.Scope, id int64) (assessment.Sheet, error) {
	out := assessment.Sheet{}
	q := r.Session.NewSelect().Model((*enteredRow)(nil)).Where("t.assessment_id IN (?)", r.these(scope, id)).
		OrderExpr("t.section, t.position, t.id")
	return out, r.fill(ctx, q, func(int64) assessment.Sheet { return out })
}

// fill adds the rows that a query selects to the sheets of their assessments.
func (r assessments) fill(ctx context.Context, q *bun.SelectQuery, sheet func(id int64) assessment.Sheet) error {
	for row, err := range sqlstore.Stream(ctx, r.Session, q, func(row *enteredRow) (*enteredRow, error) { return row, nil }) {
		if err != nil {
			return err
		}
		of := sheet(row.AssessmentID)
		of[row.Section] = append(of[row.Section], assessment.Row{ID: row.ID, Values: row.Entered.V})
	}
	return nil
}

func (r assessments) entered(scope access.Scope, id int64, section string, at int, row assessment.Row) enteredRow {
	return enteredRow{
		ID: row.ID, CompanyID: scope.Company(), AssessmentID: id, Section: section, Position: at,
		Entered: sqlstore.JSONOf(row.Values),
	}
}

// ReplaceSection writes all rows again, those with an id under that id.
func (r assessments) ReplaceSection(ctx context.Context, scope access.Scope, id int64, section string, rows []assessment.Row) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(assessmentTable.Word)
	}
	if _, err := r.Session.NewDelete().Model((*enteredRow)(nil)).Where("?", sqlstore.Own("t", scope)).
		Where("t.assessment_id = ?", id).Where("t.section = ?", section).Exec(ctx); err != nil {
		return err
	}
	var kept, fresh []enteredRow // bun writes DEFAULT for an id that is 0, and one statement does so for all rows or for none
	for at, row := range rows {
		if entered := r.entered(scope, id, section, at, row); row.ID == 0 {
			fresh = append(fresh, entered)
		} else {
			kept = append(kept, entered)
		}
	}
	if err := sqlstore.InsertRows(ctx, r.Session, kept); err != nil {
		return err
	}
	return sqlstore.InsertRows(ctx, r.Session, fresh)
}

func (r assessments) AddRow(ctx context.Context, scope access.Scope, id int64, section string, row *assessment.Row) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(assessmentTable.Word)
	}
	var at int
	err := r.Session.NewSelect().Model((*enteredRow)(nil)).ColumnExpr("COALESCE(MAX(t.position) + 1, 0)").
		Where("t.assessment_id = ?", id).Where("t.section = ?", section).Scan(ctx, &at)
	if err != nil {
		return err
	}
	entered := r.entered(scope, id, section, at, *row)
	entered.ID = 0
	_, err = r.Session.NewInsert().Model(&entered).Returning("id").Exec(ctx, &row.ID)
	return err
}

func (r assessments) SetRow(ctx context.Context, scope access.Scope, id int64, section string, row assessment.Row) error {
	return sqlstore.Change(ctx, r.Session.NewUpdate().Model((*enteredRow)(nil)).Set("entered = ?", sqlstore.JSONOf(row.Values)).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.assessment_id = ?", id).Where("t.section = ?", section).
		Where("t.id = ?", row.ID), fault.Missing("item"))
}

func (r assessments) RemoveRow(ctx context.Context, scope access.Scope, id int64, section string, rowID int64) error {
	return sqlstore.Change(ctx, r.Session.NewDelete().Model((*enteredRow)(nil)).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.assessment_id = ?", id).Where("t.section = ?", section).
		Where("t.id = ?", rowID), fault.Missing("item"))
}

// ownAssessment selects an assessment of the company that acts, live or deleted.
func ownAssessment(s *sqlstore.Session, scope access.Scope, id int64) *bun.SelectQuery {
	return sqlstore.Where(s.NewSelect().Model((*assessmentRow)(nil)), sqlstore.Own("t", scope)).Where("t.id = ?", id)
}

func (r assessments) SetState(ctx context.Context, scope access.Scope, id int64, state assessment.State, at time.Time) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(assessmentTable.Word)
	}
	if err := sqlstore.Change(ctx, r.Session.NewUpdate().Model((*assessmentRow)(nil)).
		Set("completeness_percentage = ?", state.Percentage).Set("is_ready = ?", state.Ready).Set("completeness_computed_at = ?", sqlstore.StampAt(at)).
		Where("?", sqlstore.Own("t", scope)).Where("t.id = ?", id).Where("t.deleted_at IS NULL"),
		fault.Missing(assessmentTable.Word)); err != nil {
		return err
	}
	row := stateRow{AssessmentID: id, CompanyID: scope.Company(), Sections: sqlstore.ListOf(state.Sections)}
	r.Session.Wrote(assessmentTable.Word, id)
	return sqlstore.Run(ctx, r.Session.NewInsert().Model(&row).Apply(sqlstore.Replacing("assessment_id", "sections")))
}

func (r assessments) SetCalculation(ctx context.Context, scope access.Scope, id int64, status assessment.CalculationStatus, reason string) error {
	return sqlstore.Change(ctx, r.Session.NewUpdate().Model((*assessmentRow)(nil)).Set("calculation_status = ?", status).
		Set("calculation_reason = ?", reason).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.id = ?", id).Where("t.deleted_at IS NULL"), fault.Missing(assessmentTable.Word))
}

func (r assessments) State(ctx context.Context, scope access.Scope, id int64) (assessment.State, bool, error) {
	return sqlstore.Find(ctx, r.Session.NewSelect().Model((*stateRow)(nil)).ColumnExpr("?TableColumns").
		ColumnExpr("a.completeness_percentage AS percentage").ColumnExpr("a.is_ready AS ready").
		Join("JOIN assessments AS a ON a.id = t.assessment_id").
		Where("t.assessment_id IN (?)", r.these(scope, id)), stateOfRow)
}

func stateOfRow(row *stateRow) assessment.State {
	return assessment.State{Percentage: row.Percentage, Ready: row.Ready, Sections: row.Sections.V}
}
