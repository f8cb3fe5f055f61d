package sqlstore

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/envelope"
	"tilth/core/fault"
)

// PlaceOf names a value for its envelope by table, primary key and column.
func PlaceOf(table string, key any, column string) string {
	return fmt.Sprintf("%s/%v/%s", table, key, column)
}

// SealText returns the stored form of a secret that is text.
func (s *Session) SealText(place, value string) string {
	return string(s.Secrets.Seal(place, []byte(value)))
}

// OpenText returns a secret that is text.
func (s *Session) OpenText(place, stored string) (string, error) {
	value, err := s.Secrets.Open(place, []byte(stored))
	return string(value), err
}

// SecretKeyRow is a key that secrets of the database are sealed with.
type SecretKeyRow struct {
	bun.BaseModel `bun:"table:secret_keys,alias:t"`
	ID            string `bun:"id,pk"`
	FirstUsedAt   Stamp
}

// CheckSecrets makes sure that every key that seals secrets of the database is held, and
// registers the one that seals from now on. Faults: Precondition (secret_key_missing), Unavailable.
func (d *DB) CheckSecrets(ctx context.Context) error {
	if err := d.HoldsSecrets(ctx); err != nil {
		return err
	}
	current := d.opts.Secrets.Current()
	if current == "" {
		return nil
	}
	row := SecretKeyRow{ID: current, FirstUsedAt: StampAt(d.opts.Clock.Now())}
	return d.Update(ctx, func(ctx context.Context, s *Session) error {
		return Run(ctx, s.NewInsert().Model(&row).On("CONFLICT (id) DO NOTHING"))
	})
}

// HoldsSecrets makes sure that every key that seals secrets of the database is held. It
// writes nothing. Faults: Precondition (secret_key_missing), Unavailable.
func (d *DB) HoldsSecrets(ctx context.Context) error { return held(ctx, d.reader, d.opts.Secrets) }

// held returns a fault if a registered key is not in the box.
func held(ctx context.Context, db bun.IDB, box *envelope.Box) error {
	var rows []SecretKeyRow
	if err := db.NewSelect().Model(&rows).OrderExpr("t.first_used_at, t.id").Scan(ctx); err != nil {
		return translate(err)
	}
	for _, row := range rows {
		if !box.Holds(row.ID) {
			return envelope.Missing(fault.Precondition, row.ID)
		}
	}
	return nil
}
