package contract

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/credit"
	"tilth/tests/rig"
)

// The operator's side of the ledger, on the command line.
func TestLedgerCommands(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		archive := rig.Archive(t)
		c := s.Company("owner", 100_00)
		id := itoa(c.CompanyID)
		land := c.Land(archive.Parcels[0].Boundary, archive.From.Format(time.DateOnly), archive.To.Format(time.DateOnly))
		c.Until(int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64)), "active")

		text, errOut, status := run(t, database, "", "wallet", "transactions", "--company", id)
		require.Zero(t, status, errOut)
		lines := splitLines(text)
		require.Len(t, lines, 3)
		require.Contains(t, lines[0], "capture")
		capture := strings.Fields(lines[0])[0]
		hold := strings.Fields(lines[1])[0]
		newest := runJSON(t, database, "wallet", "transactions", "--company", id, "--limit", "1")
		require.Equal(t, []any{"capture", "vegetation_index_profile", nil}, []any{newest["kind"], newest["product"], newest["refund_of"]})
		charge := newest["amount"].(float64)
		require.InDelta(t, 100-charge, runJSON(t, database, "wallet", "show", "--company", id)["balance"].(float64), 1e-9)

		tooMuch := credit.Amount(charge*100 + 1.5).String()
		for _, bad := range [][]string{
			{"wallet", "refund", "--company", id, "--transaction", hold},
			{"wallet", "refund", "--company", id, "--transaction", "999999"},
			{"wallet", "refund", "--company", "999999", "--transaction", capture},
			{"wallet", "refund", "--company", id, "--transaction", capture, "--amount", tooMuch},
			{"wallet", "refund", "--company", id, "--transaction", capture, "--amount", "-1"},
			{"wallet", "refund", "--company", id, "--transaction", capture, "--note", strings.Repeat("x", 501)},
			{"wallet", "show", "--company", "999999"},
			{"wallet", "transactions", "--company", "999999"},
		} {
			out, errOut, status := run(t, database, "", bad...)
			require.Equal(t, 1, status, "%v: %s", bad, out)
			require.NotEmpty(t, errOut)
		}
		refund := runJSON(t, database, "wallet", "refund", "--company", id, "--transaction", capture, "--amount", "1.50", "--note", "hail")
		require.Equal(t, []any{"refund", 1.5, "hail"}, []any{refund["kind"], refund["amount"], refund["note"]})
		require.Equal(t, capture, itoa(int64(refund["refund_of"].(float64))))
		require.InDelta(t, 100-charge+1.5, c.Wallet().Balance, 1e-9)
		_, errOut, status = run(t, database, "", "wallet", "refund", "--company", id, "--transaction", capture)
		require.Equal(t, 1, status)
		require.Contains(t, errOut, "refunded already")

		// The field still counts as charged: another season of it costs nothing.
		next := c.Make("season/", map[string]any{"name": "next", "start_date": "2025-04-01", "end_date": "2025-06-30"})
		quote := c.Expect(200, "POST", rig.OrdersPath+"quote/", map[string]any{"field_uuid": land.FieldUUID, "season_id": next}).Data(t)
		require.Equal(t, []any{0.0, true}, []any{quote["charge"], quote["already_charged"]})

		// What belongs to no company is recorded in the operator's own trail.
		runJSON(t, database, "price", "set", "--service", "SOC", "--per-ha", "2.50")
		runJSON(t, database, "user", "create", "--operator", "--email", "op@ledger.example")
		text, _, _ = run(t, database, "", "trail")
		require.Len(t, splitLines(text), 2)
		require.Contains(t, text, "update  price SOC  per_ha 2.50")
		entry := runJSON(t, database, "trail", "--limit", "1")
		require.Equal(t, []any{"operator (command line)", "user", "op@ledger.example"}, []any{entry["actor"], entry["resource"], entry["record"]})
	})
}

func TestCurvesCommands(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		builtIn, _, _ := run(t, noDatabase, "", "curves", "show", "--built-in")
		file := write(t, "curves.csv", builtIn)
		shown := runJSON(t, database, "curves", "show")
		require.Equal(t, []any{"mato-grosso", "built-in", true, nil}, []any{shown["region"], shown["version"], shown["built_in"], shown["imported_at"]})

		// One curve of another region, then a version of the region that comes with Tilth.
		var few []string
		for _, line := range strings.SplitAfter(builtIn, "\n") {
			if strings.HasPrefix(line, "class,") || strings.HasPrefix(line, "Soy_Corn,") {
				few = append(few, line)
			}
		}
		one := write(t, "one.csv", strings.Join(few, ""))
		imported := runJSON(t, database, "curves", "import", one, "--region", "cerrado", "--version", "1", "--extent", "-60,-24,-41,-2", "--scope", "of a test")
		require.Equal(t, []any{[]any{"Soy_Corn"}, []any{-60.0, -24.0, -41.0, -2.0}, "of a test"}, []any{imported["classes"], imported["extent"], imported["scope"]})
		runJSON(t, database, "curves", "import", one, "--region", "mato-grosso", "--version", "1")
		runJSON(t, database, "curves", "import", file, "--region", "mato-grosso", "--version", "2")
		text, _, _ := run(t, database, "", "curves", "show")
		require.Len(t, splitLines(text), 2)
		require.Contains(t, text, "cerrado, version 1, imported")
		require.Contains(t, text, "mato-grosso, version 2, imported")
		printed, _, _ := run(t, database, "", "curves", "show", "mato-grosso")
		require.Equal(t, builtIn, printed, "as it was imported")
		printed, _, _ = run(t, database, "", "curves", "show", "cerrado")
		require.Equal(t, strings.Join(few, ""), printed)

		for status, calls := range map[int][][]string{
			1: {
				{"curves", "import", file, "--region", "cerrado", "--version", "1"},
				{"curves", "import", file, "--region", "Cerrado", "--version", "2"},
				{"curves", "import", file, "--region", "cerrado", "--version", "2", "--extent", "1,2,3"},
				{"curves", "import", file, "--region", "cerrado", "--version", "2", "--extent", "1,2,x,4"},
				{"curves", "import", write(t, "no.csv", "class,day\n"), "--region", "cerrado", "--version", "2"},
				{"curves", "import", "nowhere.csv", "--region", "cerrado", "--version", "2"},
				{"curves", "show", "atlantis"},
			},
			2: {{"curves", "import", file}, {"curves", "import", "--region", "a", "--version", "1"}, {"curves", "show", "a", "b"}},
		} {
			for _, call := range calls {
				_, errOut, got := run(t, database, "", call...)
				require.Equal(t, status, got, "%v", call)
				require.NotEmpty(t, errOut, "%v", call)
			}
		}
		text, _, _ = run(t, database, "", "trail")
		require.Len(t, splitLines(text), 3)
		require.Contains(t, text, "version 2 (was 1)")
		help, _, _ := run(t, noDatabase, "", "crop-check", "--help")
		require.Contains(t, help, "uses no database")
	})
}
