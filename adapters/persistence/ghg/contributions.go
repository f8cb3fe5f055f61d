package ghg

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/dashboard"
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

func (row *contributionRow) contribution() *ports.Contribution {
	return &ports.Contribution{
		Contribution: dashboard.Contribution{Year: row.Year, Cells: row.Cells.V.cells()}, Figures: row.Figures.V, VerifiedAt: row.VerifiedAt.Nullable(),
	}
}

func (r rollups) Written(ctx context.Context) ([]ports.WrittenAssessment, error) {
	var out []ports.WrittenAssessment
	for chunk := range slices.Chunk(r.s.Changed(assessmentTable.Word), sqlstore.ListChunk) {
		some, err := r.some(ctx, chunk)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

func (r rollups) some(ctx context.Context, ids []int64) ([]ports.WrittenAssessment, error) {
	var rows []assessmentRow
	if err := r.s.ForUpdate(r.s.NewSelect().Model(&rows).Where("t.id IN (?)", prepared.List(ids)).OrderExpr("t.id")).Scan(ctx); err != nil {
		return nil, err
	}
	out := make([]ports.WrittenAssessment, len(rows))
	byID := make(map[int64]*ports.WrittenAssessment, len(rows))
	for i := range rows {
		record, err := assessmentOfRow(&rows[i])
		if err != nil {
			return nil, err
		}
		out[i].Assessment, byID[record.ID] = record, &out[i]
	}
	if err := ofAssessments(ctx, r.s, ids, func(row *contributionRow) { byID[row.AssessmentID].Before = row.contribution() }); err != nil {
		return nil, err
	}
	if err := ofAssessments(ctx, r.s, ids, func(row *stateRow) { byID[row.AssessmentID].Sections = row.Sections.V }); err != nil {
		return nil, err
	}
	return out, ofAssessments(ctx, r.s, ids, func(row *verificationRow) {
		byID[row.AssessmentID].Check = new(verificationOfColumns(&row.verificationColumns))
	})
}

// ofAssessments reads the rows of a table that belong to assessments.
func ofAssessments[R any](ctx context.Context, s *sqlstore.Session, ids []int64, do func(*R)) error {
	var rows []R
	err := s.NewSelect().Model(&rows).ColumnExpr("?TableColumns").Where("t.assessment_id IN (?)", prepared.List(ids)).Scan(ctx)
	for i := range rows {
		do(&rows[i])
	}
	return err
}

func (r rollups) Put(ctx context.Context, changes []ports.ContributionChange) error {
	sums := map[place][]dashboard.Change{}
	for chunk := range slices.Chunk(changes, sqlstore.ListChunk) {
		if err := r.putSome(ctx, chunk); err != nil {
			return err
		}
		for _, c := range chunk {
			at := place{c.CompanyID, stripeOf(r.s, c.AssessmentID)}
			sums[at] = append(sums[at], c.Sums...)
		}
	}
	return addToSums(ctx, r.s, sums)
}

func (r rollups) putSome(ctx context.Context, changes []ports.ContributionChange) error {
	var rows []contributionRow
	var gone []int64
	for _, c := range changes {
		if c.After == nil {
			gone = append(gone, c.AssessmentID)
			continue
		}
		rows = append(rows, contributionRow{
			AssessmentID: c.AssessmentID, CompanyID: c.CompanyID, Year: c.After.Year, Cells: sqlstore.JSONOf(storedCellsOf(c.After.Cells)),
			Figures: sqlstore.JSONOf(c.After.Figures), VerifiedAt: sqlstore.NullableStamp(c.After.VerifiedAt),
		})
	}
	if len(gone) > 0 {
		if _, err := r.s.NewDelete().Model((*contributionRow)(nil)).Where("assessment_id IN (?)", prepared.List(gone)).Exec(ctx); err != nil {
			return err
		}
	}
	return sqlstore.InsertRows(ctx, r.s, rows, sqlstore.Replacing("assessment_id", "year", "cells", "figures", "verified_at"))
}
