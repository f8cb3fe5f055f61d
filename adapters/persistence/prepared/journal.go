package prepared

import (
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// journalRoom is how much SQLite keeps in memory, in bytes, of the pages that one statement changes, to take back a statement that
// fails in the middle; of more it makes a file. A row of a table with a dozen indexes needs more now and then than the 64 KiB
// that SQLite comes with: its statement made a file, wrote to it what was in memory, and removed it.
const journalRoom = 126 << 10

// SQLite writes what is in memory to the file at once, and its own writing takes no more: a larger room is a full disk to it.
const _ = uint(0x1ffff - journalRoom)

// journaled is what SQLite said to the room: it takes none once a database was opened.
var journaled = makeRoom()

func makeRoom() int32 {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.Xmalloc(tls, 8)
	defer libc.Xfree(tls, args)
	return sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_STMTJRNL_SPILL, libc.VaList(args, int32(journalRoom)))
}
