// Package journal gives SQLite room in memory for what a statement changes. To import it is enough.
package journal

import (
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// room is the number of bytes that SQLite keeps in memory of the pages that one statement changes, to roll back a statement
// that fails in the middle; for more it makes a file. A row of a table with a dozen indexes sometimes needs more than SQLite's default of
// 64 KiB: its statement made a file, wrote to it what was in memory, and removed it.
const room = 126 << 10

// SQLite writes what is in memory to the file in one call, which takes no more than this: it reports a larger room as a full disk.
const _ = uint(0x1ffff - room)

// Answer is SQLite's result code for the setting of the room: it accepts none once a database was opened.
var Answer = makeRoom()

func makeRoom() int32 {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.Xmalloc(tls, 8)
	defer libc.Xfree(tls, args)
	return sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_STMTJRNL_SPILL, libc.VaList(args, int32(room)))
}
