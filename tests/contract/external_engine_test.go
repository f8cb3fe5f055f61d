package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/fault"
	"tilth/ports"
	"tilth/tests/rig"
)

// farmcalc is an external engine that speaks the contract of docs/ghg-engine-contract.md.
type farmcalc struct {
	mu     sync.Mutex
	broken bool
	asked  []string // factor sets
	token  string
}

func (e *farmcalc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		InputDigest string `json:"input_digest"`
		FactorSet   string `json:"factor_set"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked, e.token = append(e.asked, in.FactorSet), r.Header.Get("Authorization")
	if e.broken {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"contract": "tilth-ghg/1", "input_digest": in.InputDigest, "version": "7", "gwp_set": "ar6",
		"factor_set": map[string]any{"id": "theirs", "version": "3", "digest": "d"},
		"gwp":        map[string]any{"co2": 1, "ch4_fossil": 29.8, "ch4_biogenic": 27, "n2o": 273, "not_split": 1},
		"lines": []any{map[string]any{
			"model": "fuel", "label": "fuel_combustion", "section": "fuel_energy", "scope": 1, "tier": 1,
			"kg": map[string]any{"co2": 2400, "n2o": 1}, "low": 2600, "high": 2800,
		}},
		"removals": []any{}, "low": 2600, "high": 2800,
		"private": map[string]any{"account_id": "secret-account", "assessment_id": "secret-assessment", "run_id": "secret-run"},
	})
}

func (e *farmcalc) breakDown(broken bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.broken = broken
}

// seen returns the factor sets that were requested, and the token that was presented.
func (e *farmcalc) seen() ([]string, string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked, e.token
}

// An external engine from end to end: chosen by the operator, named in the report, its own
// identifiers shown to nobody; where it refuses, the response is 503 and the old state stays.
func TestExternalEngine(t *testing.T) {
	t.Parallel()
	theirs := &farmcalc{}
	address := httptest.NewServer(theirs)
	t.Cleanup(address.Close)
	var log locked
	database := rig.SQLite(t)
	s := rig.Start(t, rig.Options{Database: database, Log: &log, Config: func(cfg *cli.Config) {
		cfg.EngineID, cfg.EngineURL, cfg.EngineToken = "farmcalc", address.URL, "hush"
	}})
	c := s.Company("owner", 0)
	ctx := context.Background()
	for _, wrong := range []ports.EngineChoice{{Engine: "nobody"}, {FactorSet: "theirs"}} {
		require.True(t, fault.Is(s.Operating.ChooseEngine(ctx, c.CompanyID, wrong), fault.Invalid))
	}
	require.True(t, fault.Is(s.Operating.ChooseEngine(ctx, c.CompanyID+1, ports.EngineChoice{}), fault.NotFound))
	require.NoError(t, s.Operating.ChooseEngine(ctx, c.CompanyID, ports.EngineChoice{Engine: "farmcalc", FactorSet: "theirs"}))
	id, _ := assess(t, c, wheatBody(t, c))

	theirs.breakDown(true)
	refused := c.Do(http.MethodPost, submitPath(id), nil)
	require.Equal(t, 503, refused.Status, "%s", refused.Body)
	record := c.Expect(200, http.MethodGet, assessmentAt(id), nil).Data(t)
	require.Equal(t, []any{"draft", "failed", nil}, []any{record["status"], record["calculation_status"], record["submitted_version"]})
	require.NotEmpty(t, record["calculation_reason"])
	c.Expect(503, http.MethodGet, reportPath(id), nil)

	theirs.breakDown(false)
	done := c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)
	require.Equal(t, "farmcalc", done["engine"].(map[string]any)["id"])
	report := c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted", nil).Data(t)
	require.InDelta(t, 2.673, report["totals"].(map[string]any)["emissions"], 1e-9)
	asked, token := theirs.seen()
	require.Equal(t, []string{"theirs", "theirs", "theirs"}, asked)
	require.Equal(t, "Bearer hush", token)

	// With the built-in engine again, the same content has another result, and a comparison reports it.
	require.NoError(t, s.Operating.ChooseEngine(ctx, c.CompanyID, ports.EngineChoice{}))
	require.EqualValues(t, 2, c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)["version"])
	compared := c.Expect(200, http.MethodGet, reportPath(id)+"compare/?from=1&to=2", nil)
	require.Contains(t, string(compared.Body), "engines_differ")

	var shown bytes.Buffer
	for _, r := range documentedRoutes(t) {
		if r.method != http.MethodGet || r.public || r.stream || strings.Contains(r.path, "{") && !strings.HasPrefix(r.path, assessmentsPath) {
			continue
		}
		at := strings.NewReplacer("{id}", itoa(id), "{version}", "1").Replace(below(t, c, r.path, itoa(id)))
		shown.Write(c.Do(r.method, at, nil).Body)
	}
	for _, format := range []string{"csv", "json"} {
		shown.Write(c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted&version=1&format="+format, nil).Body)
	}
	require.Contains(t, shown.String(), `"input_digest"`, "the walk came by the audit trail and the versions")
	require.Contains(t, shown.String(), "fuel_combustion")
	for _, secret := range []string{"secret-", "hush"} {
		require.NotContains(t, shown.String(), secret)
		require.NotContains(t, log.String(), secret)
	}
	var kept string
	require.NoError(t, rig.RawSQLite(t, database).QueryRow("SELECT account_reference || assessment_reference || run_reference FROM assessment_engine_references").Scan(&kept))
	require.Equal(t, "secret-accountsecret-assessmentsecret-run", kept)
}
