package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/vegetation"
)

func TestWhatDecidedTheOffset(t *testing.T) {
	stated := object{"href": "B04.tif", "raster:bands": []object{{"scale": 0.0001, "offset": -0.1}}}
	silent := object{"href": "B04.tif"}
	for name, tt := range map[string]struct {
		asset    object
		baseline string
		applied  any
		dark     int // of a hundred pixels and more
		want     vegetation.OffsetBasis
	}{
		"stated":                       {stated, "05.11", nil, 0, vegetation.OffsetByItem},
		"silent, new baseline":         {silent, "04.00", nil, 0, vegetation.OffsetByBaseline},
		"silent, old baseline":         {silent, "03.01", nil, 0, vegetation.OffsetByBaseline},
		"flag, old baseline":           {stated, "03.01", false, 0, vegetation.OffsetByItem},
		"contradiction, dark pixels":   {stated, "05.09", false, 20, vegetation.OffsetByPixels},
		"contradiction, bright soil":   {stated, "05.09", false, 0, vegetation.OffsetByFlag},
		"applied, and nothing is read": {stated, "05.09", true, 20, vegetation.OffsetByFlag},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, folder{
				"catalog.json": links("item", "one.json"), "B04.tif": flat(3000, tt.dark, 400), "SCL.tif": flat(4, 0, 0),
				"one.json": stacItem("one", "2025-05-01T00:00:00Z", object{"red": tt.asset, "scl": object{"href": "SCL.tif"}},
					"s2:processing_baseline", tt.baseline, "earthsearch:boa_offset_applied", tt.applied),
			})
			scenes, err := c.Search(t.Context(), at(-4.5, 41.5), day("2025-01-01"), day("2026-01-01"))
			require.NoError(t, err)
			one := vegetation.Window{Width: 1, Height: 1}
			red, err := c.Read(t.Context(), scenes[0], vegetation.B04, one)
			require.NoError(t, err)
			require.Equal(t, tt.want, red.OffsetBasis)
			scl, err := c.Read(t.Context(), scenes[0], vegetation.SCL, one)
			require.NoError(t, err)
			require.Empty(t, scl.OffsetBasis, "classes have no offset")
		})
	}
}
