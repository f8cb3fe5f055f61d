// Package group lets transactions that write to SQLite share a commit. SQLite has one writer, and a commit costs it what a short
// transaction costs: pages that each of them changes are written to the log each time, and the disk is waited for.
//
// All connections of a [Connector] stand for one, and take turns on it in the order in which they ask. A transaction that ends while
// others wait is not committed: it hands what it did on to the next, which runs below a savepoint of its own, and waits. The last of those
// who waited commits for all, and only then does each of them return. So nobody is told of success before its commit; who
// writes later in a group sees what those before it did, as if they had committed; and who reads, on connections that
// are no part of this, sees all of a group or nothing. One that fails, or whose caller leaves, is taken back to its savepoint, alone.
// What SQLite takes back whole by itself (a full disk, a statement that is interrupted) takes those back who wait for
// the commit: they get [ErrLost], and can run again. A commit that fails is the error of each.
//
// Only who asks for it ([ports.Briefly]) joins a group. All else, and a statement outside of a transaction, has the
// connection to itself: the group before it is committed first. A transaction that nobody waits behind is begun and committed as
// ever, without a savepoint. Nobody waits for longer than those need who had asked before it ended, and after [maxTime] a group is
// handed on no more.
//
// It is no queue of writes and no cache: it holds no statement back, retries nothing, and knows no table. PostgreSQL, whose
// transactions commit at the same time, shares its commits by itself.
package group
