package contract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"tilth/core/access"
	"tilth/tests/rig"
)

// in returns the path of a file of the folder.
func in(name string) string {
	return filepath.Join("..", "..", "docs", "observability", name)
}

// panel is what the tests read of a panel of the dashboard.
type panel struct {
	ID      int
	Type    string
	Title   string
	GridPos struct{ H, W, X, Y int }
	Targets []struct{ RefID, Expr string }
}

func panels(t *testing.T) []panel {
	t.Helper()
	text, err := os.ReadFile(in("dashboard.json"))
	require.NoError(t, err)
	var dashboard struct{ Panels []panel }
	require.NoError(t, json.Unmarshal(text, &dashboard))
	return dashboard.Panels
}

// rule is one alert.
type rule struct {
	Alert, Expr string
	Labels      map[string]string
	Annotations map[string]string
}

func rules(t *testing.T) (out []rule) {
	t.Helper()
	text, err := os.ReadFile(in("alerts.yaml"))
	require.NoError(t, err)
	var file struct {
		Groups []struct{ Rules []rule }
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	for _, group := range file.Groups {
		out = append(out, group.Rules...)
	}
	return out
}

// variables are what Grafana puts in the place of its variables.
var variables = strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*")

var threshold = regexp.MustCompile(`^(.*\S)\s+(>|<|==)\s+[0-9.]+$`)

// expressions returns every expression by its place, without the guard against a division by 0; for an alert, it is
// the part that the alert compares with its number.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, p := range panels(t) {
		for _, target := range p.Targets {
			out["panel "+p.Title+" "+target.RefID] = variables.Replace(target.Expr)
		}
	}
	for _, r := range rules(t) {
		compared := threshold.FindStringSubmatch(strings.ReplaceAll(r.Expr, "\n", " "))
		require.NotNil(t, compared, "%s compares nothing with a number: %s", r.Alert, r.Expr)
		out["alert "+r.Alert] = compared[1]
	}
	for place, expression := range out {
		out[place] = strings.ReplaceAll(expression, "])) > 0)", "])))")
	}
	return out
}

// exercise has the demo do a little of everything that is counted.
func exercise(t *testing.T, s *rig.Server) {
	t.Helper()
	c := s.Company(access.RoleOwner, 1000_00)
	archive := rig.Archive(t)
	land := c.Land(archive.Parcels[0].Boundary, archive.From.Format("2006-01-02"), archive.To.Format("2006-01-02"))
	placed := c.Expect(200, "POST", rig.OrdersPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season}).Data(t)
	c.Until(int64(placed["order_id"].(float64)), "active")
	hook := c.Make("webhook/", map[string]any{"url": "http://127.0.0.1:1025/", "event_types": []string{"vi_profile_completed"}})
	c.Do("POST", "webhook/"+rig.Itoa(hook)+"/test/", map[string]any{})
	c.Expect(404, "GET", "farm/999999/", nil)
}

var (
	figureNames = regexp.MustCompile(`\b(?:tilth|go|process)_[a-z0-9_]+\b`)
	series      = regexp.MustCompile(`(?m)^([a-z_0-9]+)[{ ]`)
)

// Every metric that the dashboard, the alerts and their page name exists, and every one of ours is explained.
func TestFiguresExist(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Config: trusting(t)})
	exercise(t, s)
	there := map[string]bool{}
	for _, line := range series.FindAllStringSubmatch(s.Metrics(), -1) {
		there[line[1]] = true
	}
	for place, expression := range expressions(t) {
		found := figureNames.FindAllString(expression, -1)
		for _, name := range found {
			require.True(t, there[name], "%s names %s, and the program has no such figure", place, name)
		}
		if place != "alert TilthDown" && place != "panel Servers A" {
			require.NotEmpty(t, found, place)
		}
	}
	page, err := os.ReadFile(in("README.md"))
	require.NoError(t, err)
	for name := range there {
		name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if strings.HasPrefix(name, "tilth_") {
			require.Contains(t, string(page), "`"+name+"`", "the page explains every figure")
		}
	}
	for _, r := range rules(t) {
		require.Contains(t, string(page), "| `"+r.Alert+"` |", "the page says what to do")
		require.Contains(t, []string{"page", "ticket"}, r.Labels["severity"])
		require.NotEmpty(t, r.Annotations["summary"])
	}
}

// Grafana can draw the dashboard: each id is used once, and no panel overlaps another or lies outside.
func TestDashboardIsWellFormed(t *testing.T) {
	t.Parallel()
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, p := range panels(t) {
		require.False(t, ids[p.ID], "id %d is taken", p.ID)
		ids[p.ID] = true
		require.Contains(t, []string{"row", "timeseries", "stat"}, p.Type)
		require.Equal(t, p.Type == "row", len(p.Targets) == 0, p.Title)
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				require.Empty(t, taken[at], "%s lies over %s", p.Title, taken[at])
				taken[at] = p.Title
			}
		}
	}
}
