package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/geo"
)

// climateOf is the climate file of cells, a degree apart from 50 north, 8 east.
func climateOf(cells int) string {
	var out strings.Builder
	out.WriteString("latitude,longitude,station,month,temperature_c,precipitation_mm,pet_mm,source\n")
	for month := 12; month >= 1; month-- { // in any order
		for i := range cells {
			fmt.Fprintf(&out, "%d,8,,%d,%d,%d,%d,\"Normals, 1991 to 2020\"\n", 50+i, month, month, month*10, month*5)
		}
	}
	return out.String()
}

func TestClimateFile(t *testing.T) {
	t.Parallel()
	file, err := exchange.ReadClimate(strings.NewReader(climateOf(3)), 60)
	require.NoError(t, err)
	require.Equal(t, 3, file.Cells())
	found := file.Near(geo.Position{X: 8.1, Y: 51.2})
	require.NotNil(t, found)
	require.Equal(t, []any{51.0, 8.0, "Normals, 1991 to 2020"}, []any{found.Latitude, found.Longitude, found.Source})
	require.InDelta(t, 23.3, found.DistanceKm, 0.2)
	require.InDelta(t, 3, found.Months[2].TemperatureC, 0)
	require.InDelta(t, 60, found.Months[11].PETMm, 0)
	require.Equal(t, "Normals, 1991 to 2020; cell 51, 8, "+fmt.Sprintf("%.1f km away", found.DistanceKm), found.Words())
	require.Len(t, found.SHA256, 64)
	require.Nil(t, file.Near(geo.Position{X: 8.9, Y: 51.5}), "60 km is the bound")

	line := func(cells string) string { return climateOf(1) + cells + "\n" }
	for name, c := range map[string]struct{ content, says string }{
		"empty":         {"", "empty"},
		"no lines":      {"latitude,longitude,month,temperature_c,precipitation_mm,pet_mm,source\n", "no lines"},
		"no column":     {"latitude,longitude,month,temperature_c,precipitation_mm,source\n", "pet_mm"},
		"month 13":      {line("51,8,,13,1,1,1,x"), "Line 14: month 13"},
		"no number":     {line("51,8,,1,cold,1,1,x"), "Line 14: temperature_c is not a number"},
		"too warm":      {line("51,8,,1,61,1,1,x"), "Line 14: temperature_c"},
		"less than 0":   {line("51,8,,1,1,-1,1,x"), "Line 14: precipitation_mm"},
		"no place":      {line("91,8,,1,1,1,1,x"), "Line 14: latitude"},
		"not a number":  {line("51,8,,1,NaN,1,1,x"), "Line 14"},
		"no source":     {line("51,8,,1,1,1,1,"), "Line 14: source is empty"},
		"twice":         {line("50,8,,1,1,1,1,\"Normals, 1991 to 2020\""), "Line 14: month 1 of the cell 50, 8 is already on line 13"},
		"other source":  {"latitude,longitude,month,temperature_c,precipitation_mm,pet_mm,source\n1,1,1,1,1,1,a\n1,1,2,1,1,1,b\n", "Line 3: the cell"},
		"month missing": {line("51,8,,1,1,1,1,x"), "The cell 51, 8 has no month 2"},
	} {
		_, err := exchange.ReadClimate(strings.NewReader(c.content), 60)
		require.Error(t, err, name)
		require.Contains(t, refusal(t, err), c.says, name)
	}
}
