package sqlstore

import (
	"context"
	"fmt"
)

// besidePool is the number of connections of a server outside its pool: its presence, and the one that hears of commits.
const besidePool = 2

// serverNames is the format of the name of the connection of a server's presence: it tells, in the database, how many connections
// the running servers may open.
const serverNames = "tilth server, up to %d connections"

func serverName(conns int) string { return fmt.Sprintf(serverNames, conns) }

// Budget is the number of connections that servers may open, and the number that there can be.
type Budget struct {
	Servers int // that run
	Conns   int // that they may open together
	Own     int // that a server of this configuration may open
	Pool    int // that the pool of each of them may have, so that all fit
	Limit   int // that the database accepts from users without privileges; 0: it sets no bound
}

// Budget asks for the connections of all servers of the database. Faults: Unavailable.
func (d *DB) Budget(ctx context.Context) (b Budget, err error) {
	if b.Own = d.engine.conns; b.Own == 0 {
		return b, nil
	}
	err = d.reader.NewRaw("SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int").Scan(ctx, &b.Limit)
	if err != nil {
		return b, away(err)
	}
	var names []string
	err = d.reader.NewSelect().Table("pg_stat_activity").Column("application_name").
		Where("datname = current_database()").Where("application_name LIKE 'tilth server, up to %'").Scan(ctx, &names)
	for _, name := range names {
		var conns int
		if n, _ := fmt.Sscanf(name, serverNames, &conns); n == 1 {
			b.Servers, b.Conns = b.Servers+1, b.Conns+conns
		}
	}
	if err != nil {
		return b, away(err)
	}
	b.Pool = max(1, b.Limit/max(1, b.Servers)-besidePool)
	return b, nil
}
