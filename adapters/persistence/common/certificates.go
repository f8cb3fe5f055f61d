package common

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

const certificateTable = "certificate_entries"

type certificateRow struct {
	bun.BaseModel `bun:"table:certificate_entries,alias:t"`
	Name          string `bun:"name,pk"`
	Content       []byte
	Holder        *string
	HeldUntil     *sqlstore.Stamp
}

// certificates implements ports.CertificateStore, each call in a transaction of its own.
type certificates struct{ d *sqlstore.DB }

// NewCertificates returns the store in which the servers of a database share the certificates that they fetch.
func NewCertificates(d *sqlstore.DB) ports.CertificateStore { return certificates{d} }

func placeOfCertificate(name string) string {
	return sqlstore.PlaceOf(certificateTable, name, "content")
}

func (c certificates) Get(ctx context.Context, name string) (content []byte, err error) {
	err = c.d.View(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		var rows []certificateRow
		if err := s.NewSelect().Model(&rows).Where("t.name = ?", name).Scan(ctx); err != nil || len(rows) == 0 || len(rows[0].Content) == 0 {
			return err
		}
		content, err = s.Secrets.Open(placeOfCertificate(name), rows[0].Content)
		return err
	})
	return content, err
}

func (c certificates) Put(ctx context.Context, name string, content []byte) error {
	return c.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		row := certificateRow{Name: name, Content: s.Secrets.Seal(placeOfCertificate(name), content)}
		return sqlstore.Run(ctx, s.NewInsert().Model(&row).On("CONFLICT (name) DO UPDATE").Set("content = EXCLUDED.content"))
	})
}

func (c certificates) Delete(ctx context.Context, name string) error {
	return c.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		return sqlstore.Run(ctx, s.NewDelete().Model((*certificateRow)(nil)).Where("name = ?", name))
	})
}

func (c certificates) Lease(ctx context.Context, name, holder string, now, until time.Time) (taken bool, err error) {
	err = c.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		row := certificateRow{Name: name, Holder: &holder, HeldUntil: s.NullableShared(&until)}
		res, err := s.NewInsert().Model(&row).On("CONFLICT (name) DO UPDATE").
			Set("holder = EXCLUDED.holder, held_until = EXCLUDED.held_until").
			Where("t.holder IS NULL OR t.holder = EXCLUDED.holder OR t.held_until <= ?", s.Shared(now)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		taken = n == 1
		return err
	})
	return taken, err
}

func (c certificates) Release(ctx context.Context, name, holder string) error {
	return c.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		return sqlstore.Run(ctx, s.NewUpdate().Model((*certificateRow)(nil)).Set("holder = NULL, held_until = NULL").
			Where("name = ?", name).Where("holder = ?", holder))
	})
}
