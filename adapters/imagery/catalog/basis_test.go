package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/core/vegetation"
)

// The names of the flag in the two generations of Earth Search.
const v0, v1 = "sentinel:boa_offset_applied", "earthsearch:boa_offset_applied"

func TestWhatDecidedTheOffset(t *testing.T) {
	stated := object{"href": "B04.tif", "raster:bands": []object{{"scale": 0.0001, "offset": -0.1}}}
	silent := object{"href": "B04.tif"}
	bright := flat(3000, 0, 0)
	for name, tt := range map[string]struct {
		asset    object
		baseline string
		flag     string
		applied  any
		image    cogwrite.Image
		want     vegetation.OffsetBasis
	}{
		"stated":                       {stated, "05.11", v1, nil, bright, vegetation.OffsetByItem},
		"stated, and dark":             {stated, "05.11", v1, nil, flat(3000, 20, 400), vegetation.OffsetByPixels},
		"file's tags":                  {silent, "05.11", v1, nil, tagged(bright, "-0.1"), vegetation.OffsetByFile},
		"file's tags, and dark":        {silent, "05.11", v1, nil, tagged(flat(3000, 20, 400), "-0.1"), vegetation.OffsetByPixels},
		"silent, new baseline":         {silent, "04.00", v1, nil, bright, vegetation.OffsetByBaseline},
		"silent, old baseline":         {silent, "03.01", v1, nil, bright, vegetation.OffsetByBaseline},
		"silent, new baseline, dark":   {silent, "04.00", v1, nil, flat(3000, 20, 400), vegetation.OffsetByPixels},
		"flag, old baseline":           {stated, "03.01", v1, false, bright, vegetation.OffsetByItem},
		"contradiction, dark pixels":   {stated, "05.09", v1, false, flat(3000, 20, 400), vegetation.OffsetByPixels},
		"contradiction, bright soil":   {stated, "05.09", v1, false, bright, vegetation.OffsetByFlag},
		"applied, and dark":            {stated, "05.09", v1, true, flat(3000, 20, 400), vegetation.OffsetByFlag},
		"applied, small and bright":    {stated, "05.09", v1, true, flat(1200, 0, 0), vegetation.OffsetByFlag},
		"applied, yet nothing is dark": {stated, "05.09", v1, true, forest(1200), vegetation.OffsetByPixels},
		"v0: not applied":              {silent, "04.00", v0, false, bright, vegetation.OffsetByFlag},
		"v0: applied":                  {silent, "04.00", v0, true, forest(400), vegetation.OffsetByFlag},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, folder{
				"catalog.json": links("item", "one.json"), "B04.tif": tt.image, "SCL.tif": flat(4, 0, 0),
				"one.json": stacItem("one", "2025-05-01T00:00:00Z", object{"red": tt.asset, "scl": object{"href": "SCL.tif"}},
					"s2:processing_baseline", tt.baseline, tt.flag, tt.applied),
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
