// Package simulate kills the program at every call to its database and its files, and judges
// what is left.
package simulate

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"tilth/app/operating"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/tests/rig"
	"tilth/wire"
)

func TestMain(m *testing.M) { rig.Main(m) }

// world is a database on which one process after another runs.
type world struct {
	t                *testing.T
	database, folder string
	raw              *sql.DB
	number           int // of the run
	plug             *plug
	server           *wire.Running // the running process
	counting         string        // the statement that counts a state
}

func newWorld(t *testing.T, database string) *world {
	w := unstarted(t, database)
	w.start()
	t.Cleanup(func() {
		if w.server != nil { // the last restart worked
			require.NoError(t, w.server.Close())
		}
	})
	return w
}

func unstarted(t *testing.T, database string) *world {
	w := &world{t: t, database: database, folder: t.TempDir(), plug: &plug{}}
	name, dsn := "pgx", database
	if path, ok := strings.CutPrefix(database, "sqlite:"); ok {
		name, dsn = "sqlite", path+"?_pragma=busy_timeout(60000)"
	}
	var err error
	w.raw, err = sql.Open(name, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.raw.Close()) })
	return w
}

// run is one life of a company, whose server is killed once and started again.
type run struct {
	*world
	company int64
	token   string
	keys    int
	killed  bool
	inbox   inbox
}

// inbox is what webhooks have posted, by the id of the event: the same under an id, however often.
type inbox struct {
	mu     sync.Mutex
	bodies map[string]string
}

// begin makes a company with credit.
func (w *world) begin() *run {
	w.number++
	r := &run{world: w, inbox: inbox{bodies: map[string]string{}}}
	r.company, r.token = r.newCompany(fmt.Sprint("owner", w.number, "@simulate.example"))
	return r
}

func (r *run) newCompany(mail string) (id int64, token string) {
	ctx, op := context.Background(), r.server.Operating()
	company, err := op.CreateCompany(ctx, mail)
	require.NoError(r.t, err)
	_, err = op.CreditWallet(ctx, company.ID, credit.Amount(1_000_00), "simulation")
	require.NoError(r.t, err)
	_, err = op.Subscribe(ctx, company.ID, access.Stratification, nil)
	require.NoError(r.t, err)
	_, err = op.CreateUser(ctx, operating.NewUser{CompanyID: company.ID, Email: mail, Role: "owner"})
	require.NoError(r.t, err)
	token, err = op.CreateToken(ctx, mail, time.Hour)
	require.NoError(r.t, err)
	return company.ID, token
}

func (w *world) start() {
	var err error
	w.server, err = rig.Assemble(w.t, w.database, w.folder, w.plug.failures())
	require.NoError(w.t, err)
}

// restart stops the server and starts it again. A start that is killed is repeated.
func (r *run) restart() {
	_ = r.server.Close()
	for {
		server, err := rig.Assemble(r.t, r.database, r.folder, r.plug.failures())
		if !r.plug.pulled() {
			require.NoError(r.t, err)
			r.server = server
			return
		}
		if err == nil {
			_ = server.Close()
		}
		r.plug.arm(0, false)
		r.killed = true
		r.pass()
	}
}

// survive restarts the server if it was killed, and reports whether it was.
func (r *run) survive() bool {
	if !r.plug.pulled() {
		return false
	}
	_ = r.server.Close() // the process is dead
	r.plug.arm(0, false)
	r.killed = true
	r.pass()
	r.start()
	return true
}

// pass lets leases and pauses end.
func (r *run) pass() {
	for _, statement := range []string{
		"UPDATE jobs SET lease = NULL, lease_until = NULL, run_at = '2020-01-01T00:00:00.000000Z' WHERE failed_at IS NULL AND key <> 'all'",
		"UPDATE outbox SET held_until = NULL WHERE published_at IS NULL",
		"UPDATE webhook_deliveries SET next_try_at = '2020-01-01T00:00:00.000000Z' WHERE state = 'pending'",
	} {
		_, err := r.raw.Exec(statement)
		require.NoError(r.t, err)
	}
}

// work does background work until there is none.
func (r *run) work() {
	for range 500 {
		r.pass()
		moved, _ := r.server.Step(context.Background())
		if r.survive() || moved {
			continue
		}
		var left int
		require.NoError(r.t, r.raw.QueryRow(`SELECT (SELECT count(*) FROM jobs WHERE failed_at IS NULL AND key <> 'all')
+ (SELECT count(*) FROM outbox WHERE published_at IS NULL)`).Scan(&left))
		if left == 0 {
			return
		}
	}
	require.Fail(r.t, "the background work does not end")
}

// send makes one request, and returns no answer where the server was killed.
func (r *run) send(token, method, path, media string, body []byte, key string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "/api/v1.2/"+path, bytes.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", media)
	req.Header.Set("Idempotency-Key", key)
	answer := httptest.NewRecorder()
	r.server.Handler().ServeHTTP(answer, req)
	if r.survive() {
		return nil
	}
	return answer
}

// secret are the paths whose answers hold a secret and are not kept.
var secret = []string{"api-key/", "invitation/", "pact-client/", "webhook/"}

// request makes a request as the company, again after a kill, and then once more: the answer
// must be the same to the byte.
func (r *run) request(method, path, media string, body []byte) map[string]any {
	return r.requestAs(r.token, method, path, media, body)
}

func (r *run) requestAs(token, method, path, media string, body []byte) map[string]any {
	r.t.Helper()
	r.keys++
	key := fmt.Sprint("key-", r.keys)
	insist := func() *httptest.ResponseRecorder {
		for range 3 {
			if answer := r.send(token, method, path, media, body, key); answer != nil {
				return answer
			}
		}
		require.Fail(r.t, "killed again and again")
		return nil
	}
	answer := insist()
	if gone := answer.Code == http.StatusNotFound || answer.Code == http.StatusConflict; method == http.MethodDelete && r.killed && gone {
		return nil // it was deleted, or revoked, before the kill
	}
	require.Less(r.t, answer.Code, 300, "%s %s: %s", method, path, answer.Body)
	text := answer.Body.Bytes()
	if method == http.MethodPost && !slices.Contains(secret, path) {
		again := insist()
		require.Equal(r.t, answer.Code, again.Code)
		require.Equal(r.t, string(text), again.Body.String(), "%s %s", method, path)
		require.Equal(r.t, "true", again.Header().Get("Idempotent-Replay"))
	}
	if len(text) == 0 {
		return nil
	}
	var out struct{ Data any }
	require.NoError(r.t, json.Unmarshal(text, &out), "%s", text)
	data, _ := out.Data.(map[string]any)
	return data
}

func (r *run) post(path string, body any) map[string]any {
	r.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(r.t, err)
	if body == nil {
		raw = nil
	}
	return r.request(http.MethodPost, path, "application/json", raw)
}

// id posts a record and returns its id.
func (r *run) id(path string, body any) string {
	r.t.Helper()
	return fmt.Sprint(int64(r.post(path, body)["id"].(float64)))
}

// state is the number of rows of a company in each table, by their state.
func (r *run) state() map[string]int {
	if r.counting == "" {
		r.counting = r.countOfAll()
	}
	out := map[string]int{}
	r.rows(fmt.Sprintf(r.counting, r.company), func(state, n string) {
		count, err := strconv.Atoi(n)
		require.NoError(r.t, err)
		out[state] = count
	})
	wallet, err := r.server.Operating().Wallet(context.Background(), r.company)
	require.NoError(r.t, err)
	out["balance"], out["held"] = int(wallet.Balance), int(wallet.Held)
	r.inbox.mu.Lock()
	defer r.inbox.mu.Unlock()
	out["posted"] = len(r.inbox.bodies)
	return out
}

// countOfAll returns a statement that counts the rows of a company (%[1]d) in every table, by their state.
func (w *world) countOfAll() string {
	columns := `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`
	if !strings.HasPrefix(w.database, "sqlite:") {
		columns = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()`
	}
	known := map[string]map[string]bool{}
	w.rows(columns, func(table, column string) {
		if known[table] == nil {
			known[table] = map[string]bool{}
		}
		known[table][column] = true
	})
	var counts []string
	for table, has := range known {
		if !has["company_id"] {
			continue
		}
		by := "'" + table + "'"
		for _, column := range []string{"status", "state", "kind", "action"} {
			if has[column] {
				by = fmt.Sprintf("%s || '/' || CAST(%s AS TEXT)", by, column)
			}
		}
		counts = append(counts, fmt.Sprintf("SELECT %s, CAST(count(*) AS TEXT) FROM %s WHERE company_id = %%[1]d GROUP BY 1", by, table))
	}
	return strings.Join(counts, " UNION ALL ")
}

func (w *world) rows(query string, visit func(a, b string)) {
	rows, err := w.raw.Query(query)
	require.NoError(w.t, err, query)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var a, b string
		require.NoError(w.t, rows.Scan(&a, &b))
		visit(a, b)
	}
	require.NoError(w.t, rows.Err())
}

// listener receives what is sent to webhooks and PACT clients. A post is a call at which the sender can be killed:
// before it, or before its answer has arrived.
func (r *run) listener() string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		carried, answered := r.plug.begin(call{lasting: true, post: true})
		if carried {
			body, err := io.ReadAll(req.Body)
			assert.NoError(r.t, err)
			var event struct{ ID string } // for a webhook, it equals its webhook-id
			assert.NoError(r.t, json.Unmarshal(body, &event))
			id := event.ID
			assert.NotEmpty(r.t, id)
			if signed := req.Header.Get("Webhook-Id"); signed != "" {
				assert.Equal(r.t, id, signed)
			}
			r.inbox.mu.Lock()
			if known, again := r.inbox.bodies[id]; again {
				assert.Equal(r.t, known, string(body))
			}
			r.inbox.bodies[id] = string(body)
			r.inbox.mu.Unlock()
		}
		if !answered {
			panic(http.ErrAbortHandler)
		}
	}))
	r.t.Cleanup(s.Close)
	return s.URL
}

// evidence requires the bytes of a file of an assessment.
func (r *run) evidence(assessment, file, want string) {
	r.t.Helper()
	answer := r.send(r.token, http.MethodGet, assessmentsPath+assessment+"/evidence/"+file+"/", "", nil, "")
	if answer == nil { // killed
		answer = r.send(r.token, http.MethodGet, assessmentsPath+assessment+"/evidence/"+file+"/", "", nil, "")
	}
	require.Equal(r.t, http.StatusOK, answer.Code, "%s", answer.Body)
	require.Equal(r.t, want, answer.Body.String())
}
