// Package group lets transactions that write to SQLite share a commit. SQLite has one writer, and a commit costs it as much as a
// short transaction: pages that several of them change are written to the log each time, and each commit waits for the disk.
//
// All connections of a [Connector] share one connection, and take turns on it in the order in which they ask. A transaction that ends
// while others wait is not committed: it passes its changes on to the next, which runs below a savepoint of its own, and waits. The last
// of those that waited commits for all, and only then does each of them return. So no caller is told of success before its commit;
// a later writer in a group sees the changes of those before it, as if they had committed; and a reader, on a connection that is not part
// of this, sees all of a group or nothing. A transaction that fails, or whose caller leaves, is rolled back to its savepoint, alone.
// Where SQLite rolls back everything by itself (a full disk, an interrupted statement), those that wait for the commit
// are rolled back too: they get [ErrLost], and can run again. If the commit fails, each member gets its error.
//
// Only a transaction that asks for it ([ports.Briefly]) joins a group. Any other, and a statement outside of a transaction, has the
// connection to itself: the group before it is committed first. A transaction with nobody waiting behind it is begun and committed as
// usual, without a savepoint. A transaction waits no longer than those need that had asked before it ended, and after [maxTime] a
// group is no longer passed on.
//
// It is neither a write queue nor a cache: it holds no statement back, retries nothing, and knows no table. PostgreSQL, whose
// transactions commit concurrently, shares commits by itself.
package group
