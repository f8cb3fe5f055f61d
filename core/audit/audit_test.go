package audit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
)

func square(x float64) *geo.Boundary {
	b, err := geo.NewBoundary(nil, geo.MultiPolygon{{{{X: x, Y: 45}, {X: x + 0.01, Y: 45}, {X: x + 0.01, Y: 45.01}, {X: x, Y: 45.01}, {X: x, Y: 45}}}}, geo.DefaultLimits())
	if err != nil {
		panic(err)
	}
	return &b
}

func byName(changes []audit.Change) map[string][2]any {
	out := map[string][2]any{}
	for _, c := range changes {
		out[c.Member] = [2]any{c.Before, c.After}
	}
	return out
}

func TestDiffTellsWhatChanged(t *testing.T) {
	t.Parallel()
	day, no, area := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), false, 0.5
	before := farm.Field{
		Meta: record.Meta{ID: 7, UpdatedAt: day}, Name: "North", Farm: record.Ref{ID: 1, Name: "F"}, Boundary: square(10),
		External: record.External{ExternalID: "x"}, Notes: "n",
	}
	after := before
	after.UpdatedAt = day.Add(time.Hour)
	after.Overlaps.Pending = true
	require.Empty(t, audit.Diff(&before, &after), "times and derived figures are no change")
	after.Farm = record.Ref{ID: 1, Name: "renamed"}
	require.Empty(t, audit.Diff(&before, &after), "another record's name is no change of this one")

	after.Name, after.Farm, after.Notes, after.ExternalID = "South", record.Ref{ID: 2}, "", "y"
	after.Irrigated, after.DeclaredAreaHa, after.ActiveFrom, after.Boundary = &no, &area, &day, square(11)
	got := byName(audit.Diff(&before, &after))
	require.Len(t, got, 8)
	require.Equal(t, [2]any{"North", "South"}, got["name"])
	require.Equal(t, [2]any{int64(1), int64(2)}, got["farm_id"])
	require.Equal(t, [2]any{"n", nil}, got["notes"])
	require.Equal(t, [2]any{"x", "y"}, got["external_id"])
	require.Equal(t, [2]any{nil, false}, got["irrigated"], "false that was given is not the same as none")
	require.Equal(t, [2]any{nil, 0.5}, got["declared_area_ha"])
	require.Equal(t, [2]any{nil, "2026-03-01"}, got["active_from"])
	require.Equal(t, int64(4), got["boundary"][0].(map[string]any)["vertices"])

	// A boundary that moved without a change of its figures is still another one.
	mirrored := after
	moved := geo.RestoreBoundary(geo.MultiPolygon{{{{X: 11, Y: 45}, {X: 11.01, Y: 45}, {X: 11.01, Y: 45.01}, {X: 11.001, Y: 45.005}, {X: 11, Y: 45}}}}, after.Boundary.Measures())
	mirrored.Boundary = &moved
	other := mirrored
	shifted := geo.RestoreBoundary(geo.MultiPolygon{{{{X: 11, Y: 45}, {X: 11.01, Y: 45}, {X: 11.01, Y: 45.01}, {X: 11.002, Y: 45.005}, {X: 11, Y: 45}}}}, after.Boundary.Measures())
	other.Boundary = &shifted
	require.Len(t, audit.Diff(&mirrored, &other), 1)
}

func TestDiffOfNewAndGone(t *testing.T) {
	t.Parallel()
	r := farm.Farm{Meta: record.Meta{ID: 3}, Name: "F", BusinessID: "b", Location: &geo.Position{X: 1, Y: 0}, FieldCount: 4}
	require.Equal(t, map[string][2]any{
		"name": {nil, "F"}, "business_id": {nil, "b"}, "location": {nil, map[string]any{"x": 1.0}},
	}, byName(audit.Diff(nil, &r)))
	for _, c := range audit.Diff(&r, nil) {
		require.Nil(t, c.After)
		require.NotNil(t, c.Before)
	}
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	key := access.APIKey{ID: 1, User: access.Named{ID: 4, Name: "N"}, Name: "k", Prefix: "p", Hash: "h", Slugs: []string{"farm.view"}}
	require.Equal(t, map[string][2]any{
		"user_id": {nil, int64(4)}, "name": {nil, "k"}, "prefix": {nil, "p"}, "slugs": {nil, []any{"farm.view"}},
	}, byName(audit.Diff(nil, &key)))
}

func TestBy(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	e := audit.By(access.Principal{UserID: 4, Name: "N", CompanyID: 5, Operator: true, KeyID: 6}, at).Of(audit.Restore, "farm", 7, nil)
	require.Equal(t, audit.Entry{CompanyID: 5, At: at, User: &access.Named{ID: 4, Name: "N"}, Operator: true, KeyID: 6,
		Action: audit.Restore, Resource: "farm", RecordID: 7}, e)
}

// Objects whose members have no type are kept as they are, and compared by their content.
func TestDiffOfOpenObjects(t *testing.T) {
	t.Parallel()
	type record struct {
		Area map[string]any
		Said map[string]string
	}
	before := record{Area: map[string]any{"value": 2.5, "unit": "ha", "more": []any{nil, true}}, Said: map[string]string{"a": "none"}}
	same := record{Area: map[string]any{"unit": "ha", "more": []any{nil, true}, "value": 2.5}, Said: map[string]string{"a": "none"}}
	require.Empty(t, audit.Diff(&before, &same))
	after := record{Area: map[string]any{"value": 3.0}}
	got := byName(audit.Diff(&before, &after))
	require.Equal(t, [2]any{map[string]any{"value": 2.5, "unit": "ha", "more": []any{nil, true}}, map[string]any{"value": 3.0}}, got["area"])
	require.Equal(t, [2]any{map[string]any{"a": "none"}, nil}, got["said"])
}
