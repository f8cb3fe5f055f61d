package sqlstore

import (
	"context"
	"errors"
)

// Copy is what a database reports about itself as a copy of another, on PostgreSQL.
type Copy struct {
	System     string // the same for all servers that began as one
	Recovering bool   // it follows another server, and nothing is written to it
	BehindS    *float64
}

var errNoCopy = errors.New("only PostgreSQL has copies to read from")

// CopyState asks a database for its state as a copy. Faults: Unavailable.
func (d *DB) CopyState(ctx context.Context) (c Copy, err error) {
	if !d.engine.postgres {
		return c, errNoCopy
	}
	// A copy that has replayed all that it was sent is not behind, however long ago the last commit was.
	err = d.reader.NewRaw("SELECT (SELECT system_identifier::text FROM pg_control_system()), pg_is_in_recovery(),"+
		" CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8 END").
		Scan(ctx, &c.System, &c.Recovering, &c.BehindS)
	if err != nil {
		return c, away(err)
	}
	return c, nil
}

// Written returns the place in the log after everything that was acknowledged. Faults: Unavailable.
func (d *DB) Written(ctx context.Context) (place string, err error) {
	if err = d.reader.NewRaw("SELECT pg_current_wal_insert_lsn()::text").Scan(ctx, &place); err != nil {
		return "", away(err)
	}
	return place, nil
}

// Has reports whether a copy has everything before a place in the log. Faults: Unavailable.
func (d *DB) Has(ctx context.Context, place string) (has bool, err error) {
	if err = d.reader.NewRaw("SELECT coalesce(pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= ?::pg_lsn, false)", place).Scan(ctx, &has); err != nil {
		return false, away(err)
	}
	return has, nil
}
