package engine

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/ports"
)

func ptr[T any](v T) *T { return &v }

func snapshot() ghg.Input {
	return ghg.Input{
		General:    ghg.General{Year: 2024, AreaHa: 10, ClimateRegion: "cool_temperate_moist", Country: "france"},
		Crop:       ghg.Crop{Type: "winter_wheat", YieldKg: ptr(80_000.0), CoProducts: []ghg.CoProduct{{Name: "straw", SharePct: 10}}},
		FuelEnergy: []ghg.Fuel{{Carrier: "diesel", Amount: 900, Unit: "l", AllocationPct: 100}},
	}
}

// answering returns a client of a server, with no waiting between tries.
func answering(t *testing.T, handle http.HandlerFunc) (engine *External, pauses *[]time.Duration) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	pauses = new([]time.Duration)
	engine, err := NewExternal(ExternalOptions{
		ID: "elsewhere", URL: server.URL + "/calculations", Token: "s3cret",
		Jitter: func() float64 { return 0.5 },
		Sleep:  func(_ context.Context, d time.Duration) error { *pauses = append(*pauses, d); return nil },
	})
	require.NoError(t, err)
	return engine, pauses
}

// good is an answer to the snapshot.
func good(t *testing.T) map[string]any {
	t.Helper()
	digest, err := snapshot().Digest()
	require.NoError(t, err)
	return map[string]any{
		"contract": contract, "input_digest": digest, "version": "7",
		"factor_set": map[string]any{"id": "theirs", "version": "3"}, "gwp_set": "ar6",
		"gwp": map[string]any{"co2": 1, "ch4_fossil": 29.8, "ch4_biogenic": 27, "n2o": 273, "not_split": 1},
		"lines": []any{
			map[string]any{"model": "fuel", "label": "fuel_combustion", "section": "fuel_energy", "scope": 1, "tier": 1, "kg": map[string]any{"co2": 2400, "n2o": 1}, "low": 2600, "high": 2800},
			map[string]any{"model": "fuel", "label": "fuel_upstream", "section": "fuel_energy", "scope": 3, "tier": 2, "kg": map[string]any{"not_split": 500}, "low": 250, "high": 750},
		},
		"removals": []any{map[string]any{"model": "trees", "label": "agroforestry", "section": "perennial_biomass", "scope": 1, "tier": 1, "kg": map[string]any{"co2": 40}}},
		"low":      3000, "high": 3500, "share_of_emissions_from_user_values": 0.5, "biogenic_co2": 12,
		"warnings": []any{map[string]any{"code": "theirs", "message": "Take care."}},
		"private":  map[string]any{"account_id": "acc-1", "assessment_id": "ass-2", "run_id": "run-3"},
	}
}

func write(t *testing.T, w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	if text, ok := body.(string); ok {
		_, _ = io.WriteString(w, text)
		return
	}
	if err := json.NewEncoder(w).Encode(body); err != nil {
		t.Error(err)
	}
}

func TestExternal(t *testing.T) {
	t.Parallel()
	digest, err := snapshot().Digest()
	require.NoError(t, err)
	engine, _ := answering(t, func(w http.ResponseWriter, r *http.Request) {
		var asked calculation
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		if asked.Contract != contract || asked.InputDigest != digest || asked.FactorSet != ghg.IPCC2019 || !asked.Trace || asked.Input.General.AreaHa != 10 ||
			r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer s3cret" || r.Header.Get("Idempotency-Key") != digest {
			t.Errorf("asked %+v under %v", asked, r.Header)
		}
		write(t, w, http.StatusOK, good(t))
	})
	require.Equal(t, "elsewhere", engine.ID())
	res, private, err := engine.Calculate(t.Context(), snapshot(), ghg.IPCC2019, ghg.Options{Trace: true})
	require.NoError(t, err)
	require.Equal(t, ports.EngineReference{Account: "acc-1", Assessment: "ass-2", Run: "run-3"}, private)
	require.Equal(t, ghg.Identity{ID: "elsewhere", Version: "7"}, res.Engine)
	require.Equal(t, digest, res.InputDigest)
	require.InDelta(t, 2400+273+500, res.Emissions, 1e-9)
	require.InDelta(t, 40, res.Removed, 1e-9)
	report := report.New(res, report.About{Basis: "live"})
	require.InDelta(t, 3.173, report.Totals.Emissions, 1e-9)
	require.InDelta(t, 3.173*.9/80, *report.Totals.EmissionsPerT, 1e-6)
	require.Equal(t, ghg.CategoryInputs, report.BySource[0].Category)
	for _, shown := range []any{report, res, private} {
		text, err := json.Marshal(shown)
		require.NoError(t, err)
		for _, secret := range []string{"acc-1", "ass-2", "run-3", "s3cret"} {
			require.NotContains(t, string(text), secret)
		}
	}
}

// A call that fails with a temporary fault is tried again under the same key, three times in all.
func TestExternalTries(t *testing.T) {
	t.Parallel()
	for _, status := range []int{408, 425, 429, 500, 502, 503} {
		var asked atomic.Int32
		var keys []string
		engine, pauses := answering(t, func(w http.ResponseWriter, r *http.Request) {
			keys = append(keys, r.Header.Get("Idempotency-Key"))
			if asked.Add(1) < 3 {
				write(t, w, status, "later")
				return
			}
			write(t, w, http.StatusOK, good(t))
		})
		_, _, err := engine.Calculate(t.Context(), snapshot(), "", ghg.Options{})
		require.NoError(t, err, status)
		require.Equal(t, []time.Duration{750 * time.Millisecond, 1500 * time.Millisecond}, *pauses)
		require.Equal(t, []string{keys[0], keys[0], keys[0]}, keys)
	}
	var asked atomic.Int32
	engine, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		hijacker, _ := w.(http.Hijacker)
		if connection, _, err := hijacker.Hijack(); err == nil {
			_ = connection.Close()
		}
	})
	_, _, err := engine.Calculate(t.Context(), snapshot(), "", ghg.Options{})
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.EqualValues(t, externalTries, asked.Load())
}

// Permanent faults are reported at once.
func TestExternalRefusals(t *testing.T) {
	t.Parallel()
	change := func(edit func(map[string]any)) any {
		answer := good(t)
		edit(answer)
		return answer
	}
	line := func(edit func(map[string]any)) any {
		return change(func(a map[string]any) {
			all, _ := a["lines"].([]any)
			first, _ := all[0].(map[string]any)
			edit(first)
		})
	}
	for name, c := range map[string]struct {
		status int
		body   any
		kind   fault.Kind
	}{
		"unauthorized":     {401, "", fault.Unavailable},
		"a redirect":       {307, "", fault.Unavailable},
		"a bad request":    {400, "", fault.Unavailable},
		"no JSON":          {200, "<html>", fault.Unavailable},
		"too much":         {200, strings.Repeat(" ", externalAnswer+2), fault.Unavailable},
		"another contract": {200, change(func(a map[string]any) { a["contract"] = "tilth-ghg/2" }), fault.Unavailable},
		"another input":    {200, change(func(a map[string]any) { a["input_digest"] = "ff" }), fault.Unavailable},
		"no factors":       {200, change(func(a map[string]any) { a["factor_set"] = nil }), fault.Unavailable},
		"a wrong range":    {200, change(func(a map[string]any) { a["low"] = 4000 }), fault.Unavailable},
		"a wrong share":    {200, change(func(a map[string]any) { a["share_of_emissions_from_user_values"] = 1.5 }), fault.Unavailable},
		"an unknown label": {200, line(func(l map[string]any) { l["label"] = "magic" }), fault.Unavailable},
		"less than none":   {200, line(func(l map[string]any) { l["kg"] = map[string]any{"co2": -1} }), fault.Unavailable},
		"scope four":       {200, line(func(l map[string]any) { l["scope"] = 4 }), fault.Unavailable},
		"a silent refusal": {422, "{}", fault.Unavailable},
		"a rejection":      {422, map[string]any{"errors": []any{map[string]any{"path": "fuel_energy.0.amount", "message": "Too much."}}}, fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			engine, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.Header().Set("Location", "/elsewhere")
				write(t, w, c.status, c.body)
			})
			res, private, err := engine.Calculate(t.Context(), snapshot(), "", ghg.Options{})
			require.True(t, fault.Is(err, c.kind), "%v", err)
			require.EqualValues(t, 1, asked.Load())
			require.Zero(t, res.Emissions)
			require.NotContains(t, err.Error(), "s3cret")
			if c.kind == fault.Invalid {
				f, _ := fault.As(err)
				require.Equal(t, fault.Fields{"fuel_energy": fault.Fields{"0": fault.Fields{"amount": []string{"Too much."}}}}, f.Fields)
				require.Empty(t, private)
			}
		})
	}
}

func TestExternalStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	engine, _ := answering(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	_, _, err := engine.Calculate(ctx, snapshot(), "", ghg.Options{})
	require.ErrorIs(t, err, context.Canceled)

	for _, o := range []ExternalOptions{{ID: "a", URL: "ftp://x"}, {ID: "a", URL: "::"}, {ID: "", URL: "https://x"}, {ID: ghg.EngineID, URL: "https://x"}} {
		_, err := NewExternal(o)
		require.True(t, fault.Is(err, fault.Invalid), "%+v", o)
	}
}

func TestBuiltIn(t *testing.T) {
	t.Parallel()
	var engine ports.Engine = BuiltIn{}
	a, private, err := engine.Calculate(t.Context(), snapshot(), "", ghg.Options{})
	require.NoError(t, err)
	require.Empty(t, private)
	require.Equal(t, engine.ID(), a.Engine.ID)
	require.Equal(t, ghg.IPCC2019, a.FactorSet.ID)
	require.Len(t, a.InputDigest, 64)
	old, _, err := engine.Calculate(t.Context(), snapshot(), ghg.IPCC2006, ghg.Options{Trace: true})
	require.NoError(t, err)
	require.NotEqual(t, a.FactorSet.Digest, old.FactorSet.Digest)
	require.NotEmpty(t, old.Trace)
	_, _, err = engine.Calculate(t.Context(), snapshot(), "theirs", ghg.Options{})
	require.True(t, fault.Is(err, fault.Invalid))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = engine.Calculate(ctx, snapshot(), "", ghg.Options{})
	require.ErrorIs(t, err, context.Canceled)
}
