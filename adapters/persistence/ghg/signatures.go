package ghg

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type signatureRow struct {
	bun.BaseModel `bun:"table:assessment_signatures,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	AssessmentID  int64
	Number        int
	Digest        string
	Parts         int
	Statement     string
	SignedAt      sqlstore.Stamp
	SignedBy      int64

	SignedByName *string `bun:"signed_by_name,scanonly"`
}

func (v versions) Sign(ctx context.Context, scope access.Scope, assessmentID int64, number int, signature ports.Signature) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("version")
	}
	known := sqlstore.Where(v.s.NewSelect().Model((*versionRow)(nil)), sqlstore.Own("t", scope)).
		Where("t.assessment_id = ?", assessmentID).Where("t.number = ?", number)
	if err := sqlstore.Known(ctx, known, "version"); err != nil {
		return err
	}
	row := signatureRow{
		CompanyID: scope.Company(), AssessmentID: assessmentID, Number: number, Digest: signature.Digest, Parts: signature.Parts, Statement: signature.Statement,
		SignedAt: sqlstore.StampAt(signature.At), SignedBy: signature.By.ID,
	}
	return sqlstore.Insert(ctx, v.s, &row, &row.ID)
}

// signatures returns the signatures of an assessment that the caller has found, by the numbers of the versions; of
// one version alone unless number is 0.
func (v versions) signatures(ctx context.Context, assessmentID int64, number int) (map[int][]ports.Signature, error) {
	var rows []signatureRow
	q := v.s.NewSelect().Model(&rows).ColumnExpr("?TableColumns").ColumnExpr("signer.name AS signed_by_name").
		Join("LEFT JOIN users AS signer ON signer.id = t.signed_by").Where("t.assessment_id = ?", assessmentID).OrderExpr("t.id")
	if number != 0 {
		q = q.Where("t.number = ?", number)
	}
	err := q.Scan(ctx)
	out := map[int][]ports.Signature{}
	for _, row := range rows {
		out[row.Number] = append(out[row.Number], ports.Signature{
			By: access.Named{ID: row.SignedBy, Name: sqlstore.ValueOf(row.SignedByName)}, At: row.SignedAt.Time,
			Statement: row.Statement, Digest: row.Digest, Parts: row.Parts,
		})
	}
	return out, err
}
