package ghg

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/assessment"
	"tilth/core/dashboard"
	"tilth/core/ghg"
	"tilth/core/verification"
	"tilth/ports"
)

// contributionRow is what a live assessment has added to the sums of its company.
type contributionRow struct {
	bun.BaseModel `bun:"table:assessment_contributions,alias:t"`
	AssessmentID  int64
	CompanyID     int64
	Year          int
	Cells         sqlstore.JSON[storedCells]
	Figures       sqlstore.JSON[dashboard.Figures]
	VerifiedAt    *sqlstore.Stamp
}

// storedCells is the stored form of dashboard.Cells: amounts by kind and key.
type storedCells map[string]map[string]int64

func storedCellsOf(cells dashboard.Cells) storedCells {
	out := storedCells{}
	for cell, amount := range cells {
		if out[cell.Kind] == nil {
			out[cell.Kind] = map[string]int64{}
		}
		out[cell.Kind][cell.Key] = amount
	}
	return out
}

func (c storedCells) cells() dashboard.Cells {
	out := dashboard.Cells{}
	for kind, of := range c {
		for key, amount := range of {
			out[dashboard.Cell{Kind: kind, Key: key}] = amount
		}
	}
	return out
}

// enqueue adds a job to the transaction.
type enqueue func(ctx context.Context, job ports.Job) error

// SettleRollups brings the sums of the dashboard in step with what the transaction wrote.
// It is the last thing that a transaction does before it commits: a sum that many writers
// change is locked for no longer than a commit takes, and as nothing is locked after it,
// and sums are locked in one order, no two transactions wait for each other.
func SettleRollups(ctx context.Context, s *sqlstore.Session, enqueue enqueue) error {
	ids := s.Changed(assessmentTable.Word)
	changes := map[place][]dashboard.Change{}
	for chunk := range slices.Chunk(ids, sqlstore.InsertChunk) {
		parts, err := partsOf(ctx, s, chunk)
		if err != nil {
			return err
		}
		if err := settleParts(ctx, s, parts, changes, enqueue); err != nil {
			return err
		}
	}
	return addToSums(ctx, s, changes)
}

// settleParts stores what assessments contribute from now on, and adds what that changes.
func settleParts(ctx context.Context, s *sqlstore.Session, parts []parts, changes map[place][]dashboard.Change, enqueue enqueue) error {
	var rows []contributionRow
	gone := []int64{}
	for _, p := range parts {
		var before, after []dashboard.Contribution
		if p.before != nil {
			before = append(before, dashboard.Contribution{Year: p.before.Year, Cells: p.before.Cells.V.cells()})
		}
		if p.row.DeletedAt != nil {
			gone = append(gone, p.row.ID)
		} else {
			row, now, err := contributionOf(ctx, s, p, enqueue)
			if err != nil {
				return err
			}
			rows, after = append(rows, row), append(after, now)
		}
		at := place{p.row.CompanyID, stripeOf(s, p.row.ID)}
		changes[at] = append(changes[at], dashboard.Changes(before, after)...)
	}
	if len(gone) > 0 {
		if _, err := s.NewDelete().Model((*contributionRow)(nil)).Where("assessment_id IN (?)", bun.List(gone)).Exec(ctx); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := s.NewInsert().Model(&rows).On("CONFLICT (assessment_id) DO UPDATE").Set("year = EXCLUDED.year").Set("cells = EXCLUDED.cells").
		Set("figures = EXCLUDED.figures").Set("verified_at = EXCLUDED.verified_at").Returning("NULL").Exec(ctx)
	return err
}

// parts is what an assessment's contribution is made of.
type parts struct {
	row      assessmentRow
	before   *contributionRow // nil: it has added nothing so far
	sections []assessment.SectionState
	checked  *verification.Record
}

// partsOf reads, and locks, what the contributions of assessments are made of, in the
// order of ids.
func partsOf(ctx context.Context, s *sqlstore.Session, ids []int64) ([]parts, error) {
	var rows []assessmentRow
	if err := s.ForUpdate(s.NewSelect().Model(&rows).ColumnExpr("?TableColumns").
		Where("t.id IN (?)", bun.List(ids)).OrderExpr("t.id")).Scan(ctx); err != nil {
		return nil, err
	}
	var contributions []contributionRow
	if err := ofAssessments(s, &contributions, ids).Scan(ctx); err != nil {
		return nil, err
	}
	var states []stateRow
	if err := ofAssessments(s, &states, ids).Scan(ctx); err != nil {
		return nil, err
	}
	var checks []verificationRow
	if err := ofAssessments(s, &checks, ids).Scan(ctx); err != nil {
		return nil, err
	}
	out := make([]parts, len(rows))
	byID := map[int64]*parts{}
	for i, row := range rows {
		out[i].row = row
		byID[row.ID] = &out[i]
	}
	for i := range contributions {
		byID[contributions[i].AssessmentID].before = &contributions[i]
	}
	for _, state := range states {
		byID[state.AssessmentID].sections = stateOfRow(state).Sections
	}
	for i := range checks {
		record := verificationOfColumns(&checks[i].verificationColumns)
		byID[record.AssessmentID].checked = &record
	}
	return out, nil
}

// ofAssessments selects the rows of a table that belong to assessments.
func ofAssessments(s *sqlstore.Session, model any, ids []int64) *bun.SelectQuery {
	return s.NewSelect().Model(model).ColumnExpr("?TableColumns").Where("t.assessment_id IN (?)", bun.List(ids))
}

// contributionOf returns what a live assessment contributes. A submission that is new to the
// sums asks for its verification.
func contributionOf(ctx context.Context, s *sqlstore.Session, p parts, enqueue enqueue) (row contributionRow, now dashboard.Contribution, err error) {
	record, err := assessmentOfRow(&p.row)
	if err != nil {
		return row, now, err
	}
	var figures dashboard.Figures
	if p.before != nil {
		figures = p.before.Figures.V
	}
	if figures.Version != record.SubmittedVersion {
		if figures, err = figuresOf(ctx, s, record.ID, record.SubmittedVersion); err != nil {
			return row, now, err
		}
		if err := askVerification(ctx, record, enqueue); err != nil {
			return row, now, err
		}
	}
	facts := dashboard.FactsOf(&record, p.sections, figures, p.checked)
	now = facts.Contribution()
	row = contributionRow{
		AssessmentID: record.ID, CompanyID: p.row.CompanyID, Year: now.Year, Cells: sqlstore.JSONOf(storedCellsOf(now.Cells)),
		Figures: sqlstore.JSONOf(figures),
	}
	if v := facts.Verification; v != nil && v.Status == verification.Verified {
		row.VerifiedAt = sqlstore.NullableStamp(v.DecidedAt)
	}
	return row, now, nil
}

// figuresOf returns those of the report of a version.
func figuresOf(ctx context.Context, s *sqlstore.Session, assessmentID int64, version int) (dashboard.Figures, error) {
	var reports []string
	if err := s.NewSelect().Model((*versionRow)(nil)).Column("t.report").
		Where("t.assessment_id = ?", assessmentID).Where("t.number = ?", version).Scan(ctx, &reports); err != nil {
		return dashboard.Figures{}, err
	}
	var report ghg.Report
	for _, raw := range reports {
		if raw == "" {
			continue
		}
		if err := json.Unmarshal([]byte(raw), &report); err != nil {
			return dashboard.Figures{}, sqlstore.Internal("the report of version %d of assessment %d cannot be read: %v", version, assessmentID, err)
		}
	}
	return dashboard.FiguresOf(version, report), nil
}

// askVerification asks for the crop verification of a submission.
func askVerification(ctx context.Context, a assessment.Assessment, enqueue enqueue) error {
	if a.Status != assessment.Submitted || a.SubmittedVersion == 0 {
		return nil
	}
	return enqueue(ctx, ports.Job{
		Kind: ports.JobVerification, Key: strconv.FormatInt(a.ID, 10), CompanyID: a.CompanyID, Subject: a.ID, RunAt: a.UpdatedAt,
	})
}
