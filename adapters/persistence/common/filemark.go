package common

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
)

// theMark is the id of the one row.
const theMark = 1

type fileMarkRow struct {
	bun.BaseModel `bun:"table:file_marks,alias:t"`
	ID            int64 `bun:"id,pk"`
	SHA256        string
	MarkedAt      sqlstore.Stamp
}

// fileMark implements ports.FileMark.
type fileMark struct{ s *sqlstore.Session }

func (m fileMark) Get(ctx context.Context) (string, error) {
	var rows []fileMarkRow
	if err := m.s.NewSelect().Model(&rows).Scan(ctx); err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].SHA256, nil
}

func (m fileMark) Add(ctx context.Context, sha256 string, at time.Time) (bool, error) {
	row := fileMarkRow{ID: theMark, SHA256: sha256, MarkedAt: sqlstore.StampAt(at)}
	n, err := sqlstore.Affected(ctx, m.s.NewInsert().Model(&row).On("CONFLICT (id) DO NOTHING"))
	return n > 0, err
}

func (m fileMark) Replace(ctx context.Context, sha256 string, at time.Time) error {
	row := fileMarkRow{ID: theMark, SHA256: sha256, MarkedAt: sqlstore.StampAt(at)}
	return sqlstore.Run(ctx, m.s.NewInsert().Model(&row).On("CONFLICT (id) DO UPDATE").Set("sha256 = EXCLUDED.sha256").Set("marked_at = EXCLUDED.marked_at"))
}
