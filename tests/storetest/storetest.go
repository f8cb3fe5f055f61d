// Package storetest is the one suite that every database of the persistence adapter
// must pass: the same calls, the same answers. It asserts what the storage ports
// promise, through the ports; where a test needs a state that no port creates, such as
// a share grant, it writes SQL that both databases understand. It is for tests only.
package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx" of Raw
	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	ghgapp "tilth/app/ghg"
	"tilth/app/idempotency"
	"tilth/tests/pgtest"
)

// Backend is a kind of database.
type Backend struct {
	// Kind is "sqlite" or "postgres". With TILTH_TEST_DATABASES=one each test of the suite runs on one of them: see pgtest.Runs.
	Kind string
	// Empty returns the address of a new database without tables, gone when t ends.
	Empty func(t testing.TB) string
	// Migrated returns the address of a new database with all migrations applied.
	Migrated func(t testing.TB) string
}

// Run runs the suite. Every subtest has databases of its own, and they run in parallel.
func Run(t *testing.T, b Backend) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Backend)
	}{
		{"Records", testRecords},
		{"RoundTrip", testRoundTrip},
		{"Isolation", testIsolation},
		{"Ordering", testOrdering},
		{"Chunks", testChunks},
		{"Restoring", testRestoring},
		{"Samples", testSamples},
		{"PlanLinks", testPlanLinks},
		{"FertilizationSharing", testFertilizationSharing},
		{"Boundaries", testBoundaries},
		{"AssessmentSections", testAssessmentSections},
		{"ManyAssessments", testManyAssessments},
		{"Batches", testBatches},
		{"AssessmentStates", testAssessmentStates},
		{"AssessmentSharing", testAssessmentSharing},
		{"AssessmentVersions", testAssessmentVersions},
		{"Evidence", testEvidence},
		{"EvidenceSweep", testEvidenceSweep},
		{"SamplePhotos", testSamplePhotos},
		{"AssessmentCompletion", testCompletion},
		{"Submitting", testSubmitting},
		{"Footprints", testFootprints},
		{"PACTClients", testPACTClients},
		{"DashboardEqualsRecomputation", testDashboardEqualsRecomputation},
		{"DashboardWriters", testDashboardWriters},
		{"DashboardLocks", testDashboardLocks},
		{"VerifiedAssessments", testVerifiedAssessments},
		{"Replays", testReplays},
		{"Once", testOnce},
		{"OnceTogether", testOnceTogether},
		{"Filters", testFilters},
		{"Pages", testPages},
		{"Sums", testSums},
		{"Search", testSearch},
		{"SearchOfMany", testSearchOfMany},
		{"Figures", testFigures},
		{"Neighbours", testNeighbours},
		{"Overlaps", testOverlaps},
		{"Guards", testGuards},
		{"Transactions", testTransactions},
		{"Races", testRaces},
		{"Deadlock", testDeadlock},
		{"Paused", testPaused},
		{"Caps", testCaps},
		{"Failures", testFailures},
		{"Sharing", testSharing},
		{"Grants", testGrants},
		{"Keys", testKeys},
		{"Audit", testAudit},
		{"Crops", testCrops},
		{"Accounts", testAccounts},
		{"Stratification", testStratification},
		{"Tokens", testTokens},
		{"Members", testMembers},
		{"Roles", testRoles},
		{"Invitations", testInvitations},
		{"Credentials", testCredentials},
		{"Revocation", testRevocation},
		{"Attempts", testAttempts},
		{"Letters", testLetters},
		{"AlertNotices", testAlertNotices},
		{"Ledger", testLedger},
		{"LedgerMachine", testLedgerMachine},
		{"Charges", testCharges},
		{"Orders", testOrders},
		{"MapOrders", testMapOrders},
		{"Series", testSeries},
		{"Derivations", testDerivations},
		{"Statements", testStatements},
		{"CurveSets", testCurveSets},
		{"OwnCurves", testOwnCurves},
		{"Jobs", testJobs},
		{"UnreadableJobs", testUnreadableJobs},
		{"FailedJobs", testFailedJobs},
		{"JobRaces", testJobRaces},
		{"JobTries", testJobTries},
		{"Chores", testChores},
		{"Imports", testImports},
		{"FarmsAsCalled", testFarmsAsCalled},
		{"Matches", testMatches},
		{"ImportsOfOldNames", testImportsOfOldNames},
		{"StratificationRuns", testStratificationRuns},
		{"StratificationMaps", testStratificationMaps},
		{"StratificationPruning", testPruning},
		{"Outbox", testOutbox},
		{"Feeds", testFeeds},
		{"FeedRaces", testFeedRaces},
		{"TakenEvents", testTakenEvents},
		{"Webhooks", testWebhooks},
		{"Queues", testQueues},
		{"Clocks", testClocks},
		{"Wakes", testWakes},
		{"NextJob", testNextJob},
		{"Migrations", testMigrations},
		{"Reverting", testReverting},
		{"Upgrades", testUpgrades},
		{"NewerSchemas", testNewerSchemas},
		{"Health", testHealth},
		{"Secrets", testSecrets},
		{"Certificates", testCertificates},
		{"FileMark", testFileMark},
		{"Chains", testChains},
		{"AppendOnly", testAppendOnly},
		{"Tampering", testTampering},
		{"Persons", testPersons},
		{"PersonsComplete", testPersonsComplete},
		{"Retention", testRetention},
		{"AuditRetention", testAuditRetention},
		{"Partitions", testPartitions},
		{"LocksOfPartitions", testLocksOfPartitions},
	} {
		if !pgtest.Runs(c.name, b.Kind) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, b)
		})
	}
}

// clock is a clock that stands still until it is moved.
type clock struct{ at atomic.Int64 }

// begin is the time at which every test begins, with more digits than a database stores.
var begin = time.Date(2026, 3, 1, 12, 30, 15, 123456789, time.UTC)

func newClock() *clock {
	c := &clock{}
	c.at.Store(begin.UnixNano())
	return c
}

func (c *clock) Now() time.Time                 { return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) move(by time.Duration)          { c.at.Add(int64(by)) }
func kept(t time.Time) time.Time                { return t.UTC().Truncate(time.Microsecond) }
func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// ids counts.
type ids struct{ n atomic.Int64 }

func (i *ids) UUID() string    { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i.n.Add(1)) }
func (i *ids) Secret() string  { return fmt.Sprintf("secret-%d", i.n.Add(1)) }
func (i *ids) Jitter() float64 { return float64(i.n.Add(1)%7) / 7 }

// open opens the database at an address, closed when t ends.
func open(t testing.TB, address string, c *clock, i *ids) *persistence.Database {
	t.Helper()
	db, err := persistence.Open(context.Background(), address, persistence.Options{Clock: c, Shared: c, IDs: i, BeforeCommit: idempotency.BeforeCommit(ghgapp.SettleRollups)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// handle is a test's database, bypassing the adapter.
type handle struct {
	t       testing.TB
	address string
}

// handles are the open databases by [handle]: PostgreSQL spends tens of milliseconds on a new connection.
var handles sync.Map

// raw opens a database bypassing the adapter, once per test, closed when t ends.
func raw(t testing.TB, address string) *sql.DB {
	t.Helper()
	key := handle{t, address}
	if db, ok := handles.Load(key); ok {
		return db.(*sql.DB)
	}
	driver, dsn := "pgx", address
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		driver, dsn = "sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
	}
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	handles.Store(key, db)
	t.Cleanup(func() {
		handles.Delete(key)
		require.NoError(t, db.Close())
	})
	return db
}
