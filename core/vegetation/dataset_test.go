package vegetation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/vegetation"
)

func TestTheDatasetOfAnItem(t *testing.T) {
	for _, tt := range []struct {
		collection, id string
		want           vegetation.DatasetCode
	}{
		{"sentinel-2-c1-l2a", "S2B_T33TWM_20230810T100031_L2A", vegetation.SentinelL2A},
		{"", "one", vegetation.SentinelL2A},
		{"HLSS30_2.0", "one", vegetation.HLSS30},
		{"hls2-s30", "one", vegetation.HLSS30},
		{"", "HLS.S30.T30TUM.2019027T110359.v2.0", vegetation.HLSS30},
		{"HLSL30.v2.0", "one", vegetation.HLSL30},
		{"", "HLS.L30.T30TUM.2019027T110359.v2.0", vegetation.HLSL30},
		{"landsat-c2-l2", "one", vegetation.LandsatC2L2},
		{"landsat-c2l2-sr", "one", vegetation.LandsatC2L2},
		{"", "LC08_L2SP_200031_20230102_02_T1", vegetation.LandsatC2L2},
	} {
		require.Equal(t, tt.want, vegetation.DatasetOf(tt.collection, tt.id).Code, "%q %q", tt.collection, tt.id)
	}
}

// The bits by the user guides: Fmask of HLS 2.0, QA_PIXEL of Landsat Collection 2. Real words of
// QA_PIXEL: 21824 is clear land, 21952 clear water, 22280 cloud, 23888 cloud shadow.
func TestMasksOfBits(t *testing.T) {
	for code, words := range map[vegetation.DatasetCode]map[uint16]vegetation.Class{
		vegetation.HLSS30: {
			0: vegetation.ClassVegetation, 0b11000000: vegetation.ClassVegetation, 0b00100000: vegetation.ClassWater, 0b00010000: vegetation.ClassSnow,
			0b00001000: vegetation.ClassShadow, 0b00000100: vegetation.ClassNearCloud, 0b00000110: vegetation.ClassCloud, 255: vegetation.ClassNoData,
		},
		vegetation.LandsatC2L2: {
			21824: vegetation.ClassVegetation, 21952: vegetation.ClassWater, 22280: vegetation.ClassCloud, 23888: vegetation.ClassShadow,
			1: vegetation.ClassNoData, 0b10: vegetation.ClassNearCloud, 0b100: vegetation.ClassCirrus, 0b100000: vegetation.ClassSnow,
		},
		vegetation.SentinelL2A: {7: vegetation.ClassUnclassified, 9: vegetation.ClassCloud},
	} {
		for _, d := range vegetation.Datasets() {
			if d.Code != code {
				continue
			}
			for word, want := range words {
				got := d.Classes(vegetation.Raster{Grid: vegetation.Grid{Width: 1, Height: 1}, DN: []uint16{word}})
				require.Equal(t, []uint16{uint16(want)}, got.DN, "%s %b", code, word)
			}
		}
	}
}

// A reading says how its values are computed.
func TestTheMethodOfAReading(t *testing.T) {
	r, err := vegetation.ParseReading("ndmi strict,dilate:2 harmonised")
	require.NoError(t, err)
	require.Equal(t, "NDMI = (B08 - B11) / (B08 + B11) (Gao 1996) from surface reflectance, on the pixels that the mask (strict,dilate:2) keeps, "+
		"with bands adjusted to those of Landsat 8 by published coefficients; of scenes of one pass that overlap, the one that shows more of the field comes first", r.Method())
}

// Every data set has what the working grid and the mask need.
func TestDatasetsAreComplete(t *testing.T) {
	for _, d := range vegetation.Datasets() {
		have := map[vegetation.Band]bool{}
		for _, band := range d.Bands {
			have[band] = true
		}
		for _, band := range []vegetation.Band{vegetation.B02, vegetation.B03, vegetation.B04, vegetation.B08, vegetation.B11, vegetation.B12, vegetation.SCL} {
			require.True(t, have[band], "%s %s", d.Code, band)
		}
		require.NotEmpty(t, []any{d.Title, d.Tiling, d.Platform})
		require.Positive(t, d.Scale)
	}
}
