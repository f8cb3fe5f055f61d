package farm_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
)

func day(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

func TestFarmCheck(t *testing.T) {
	t.Parallel()
	require.Empty(t, (&farm.Farm{Name: strings.Repeat("é", 255)}).Check())
	for field, bad := range map[string]farm.Farm{
		"name":        {},
		"description": {Name: "a", Description: strings.Repeat("x", 4001)},
		"city":        {Name: "a", City: "a\x00b"},
		"email":       {Name: "a", Email: "\xff"},
		"unit_system": {Name: "a", UnitSystem: "roman"},
		"location":    {Name: "a", Location: &geo.Position{X: math.NaN(), Y: 1}},
		"external_id": {Name: "a", External: record.External{ExternalID: strings.Repeat("x", 256)}},
	} {
		require.Contains(t, bad.Check(), field)
		require.Len(t, bad.Check(), 1)
	}
}

func TestFieldCheck(t *testing.T) {
	t.Parallel()
	zero, later, sooner := 0.0, day(2025, 2, 1), day(2025, 1, 1)
	good := farm.Field{Name: "a", Farm: record.Ref{ID: 1}, ActiveFrom: &sooner, ActiveTo: &later}
	require.Empty(t, good.Check())
	require.Zero(t, good.AreaM2())
	for field, bad := range map[string]farm.Field{
		"farm_id":           {Name: "a"},
		"declared_area_ha":  {Name: "a", Farm: record.Ref{ID: 1}, DeclaredAreaHa: &zero},
		"active_to":         {Name: "a", Farm: record.Ref{ID: 1}, ActiveFrom: &later, ActiveTo: &sooner},
		"boundary_method":   {Name: "a", Farm: record.Ref{ID: 1}, BoundaryMethod: "guessed"},
		"boundary_category": {Name: "a", Farm: record.Ref{ID: 1}, BoundaryCategory: "x"},
	} {
		require.Contains(t, bad.Check(), field)
	}
}

func TestSeasonCheck(t *testing.T) {
	t.Parallel()
	s := farm.Season{Name: "W", StartDate: day(2024, 10, 1), EndDate: day(2025, 8, 31)}
	s.Normalise()
	require.Empty(t, s.Check())
	require.Equal(t, 2025, s.HarvestYear)
	longest := farm.Season{Name: "W", StartDate: day(2023, 1, 1), EndDate: day(2023, 1, 1).AddDate(0, 0, farm.MaxSeasonDays-1)}
	require.Empty(t, longest.Check())
	oneDay := farm.Season{Name: "W", StartDate: day(2024, 10, 1), EndDate: day(2024, 10, 1)}
	require.Empty(t, oneDay.Check())
	for field, bad := range map[string]farm.Season{
		"start_date":   {Name: "W", EndDate: day(2025, 1, 1)},
		"end_date":     {Name: "W", StartDate: day(2025, 1, 2), EndDate: day(2025, 1, 1)},
		"kind":         {Name: "W", StartDate: day(2025, 1, 1), EndDate: day(2025, 1, 1), Kind: "monsoon"},
		"harvest_year": {Name: "W", StartDate: day(2025, 1, 1), EndDate: day(2025, 1, 1), HarvestYear: 20},
	} {
		require.Contains(t, bad.Check(), field)
	}
	tooLong := farm.Season{Name: "W", StartDate: longest.StartDate, EndDate: longest.EndDate.AddDate(0, 0, 1)}
	require.Contains(t, tooLong.Check(), "end_date")
}

func TestLastCultivationGuard(t *testing.T) {
	t.Parallel()
	require.NoError(t, farm.MayDeleteCultivation(2))
	require.EqualError(t, farm.MayDeleteCultivation(1), "At least one cultivation must be kept. You cannot delete the last cultivation.")
	require.Error(t, farm.MayDeleteCultivation(0))
}
