package vegetation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

// picture makes a classification of rows of digits: 4 is vegetation, 9 cloud, 0 no data.
func picture(rows ...string) vegetation.Raster {
	return raster(grid10, len(rows[0]), len(rows), func(col, row int) uint16 { return uint16(rows[row][col] - '0') })
}

// seen draws a view: "." is clear, "x" left out, " " without data.
func seen(t *testing.T, mask string, s vegetation.Sight) []string {
	v, err := parsed(t, mask).View(s)
	require.NoError(t, err)
	var out []string
	for row := range v.Grid.Height {
		var line strings.Builder
		for col := range v.Grid.Width {
			n, _ := v.At(col, row)
			line.WriteByte(" x."[int(n)])
		}
		out = append(out, line.String())
	}
	return out
}

func TestDilationGrowsASquareOnTheGridOfTheMask(t *testing.T) {
	t.Parallel()
	scl := picture(
		"4444444",
		"4440444",
		"4449444",
		"4444444",
		"4444440",
		"4444444",
		"9444444",
	)
	s := vegetation.Sight{Classes: &scl}
	require.Equal(t, []string{".......", "... ...", "...x...", ".......", "...... ", ".......", "x......"}, seen(t, "standard", s))
	require.Equal(t, []string{".......", "..x x..", "..xxx..", "..xxx..", "...... ", "xx.....", "xx....."}, seen(t, "dilate:1", s), "no data neither grows nor changes")
	require.Equal(t, []string{".xxxxx.", ".xx xx.", ".xxxxx.", ".xxxxx.", "xxxxxx ", "xxx....", "xxx...."}, seen(t, "dilate:2", s))
	require.Equal(t, []string{".......", "... ...", ".......", ".......", "...... ", ".......", "......."}, seen(t, "out:none,dilate:3", s))
}

// Dilation is the same, however wide the raster: the definition, pixel by pixel.
func TestDilationIsItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height, n := rapid.IntRange(1, 12).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height"), rapid.IntRange(0, 4).Draw(t, "n")
		classes := rapid.SliceOfN(rapid.SampledFrom([]uint16{0, 4, 4, 4, 4, 9}), width*height, width*height).Draw(t, "classes")
		scl := raster(grid10, width, height, func(col, row int) uint16 { return classes[row*width+col] })
		m := parsed(t, "dilate:"+string(rune('0'+n)))
		v, err := m.View(vegetation.Sight{Classes: &scl})
		require.NoError(t, err)
		for row := range height {
			for col := range width {
				want := map[uint16]uint16{0: 0, 9: 1, 4: 2}[classes[row*width+col]]
				for r := max(0, row-n); r <= min(height-1, row+n); r++ {
					for c := max(0, col-n); c <= min(width-1, col+n); c++ {
						if want == 2 && classes[r*width+c] == 9 {
							want = 1
						}
					}
				}
				require.Equal(t, want, v.DN[row*width+col], "%d, %d", col, row)
			}
		}
	})
}

func TestCloudProbabilityCountsFromItsThreshold(t *testing.T) {
	t.Parallel()
	scl := picture("444490", "444444")
	coarse := grid10
	coarse.PixelX, coarse.PixelY = 20, 20
	percent := raster(coarse, 3, 1, func(col, _ int) uint16 { return []uint16{39, 40, 0}[col] })
	percent.Scale, percent.HasNoData = 1, true
	s := vegetation.Sight{Classes: &scl, Probability: &percent}
	require.Equal(t, []string{"..xxx ", "..xx.."}, seen(t, "cloud:40", s), "0 is 0 %, also where it is marked as nodata")
	require.Equal(t, []string{"....x ", "......"}, seen(t, "standard", s), "masks without a threshold do not look at it")
	bytes := raster(coarse, 3, 1, func(col, _ int) uint16 { return []uint16{101, 102, 255}[col] })
	bytes.Scale = 100.0 / 255
	require.Equal(t, []string{"....x ", "....xx"}, seen(t, "cloud:41", vegetation.Sight{Classes: &scl, Probability: &bytes}))
	require.Equal(t, []string{"xxxxx ", "xxxxxx"}, seen(t, "cloud:40", vegetation.Sight{Classes: &scl, Probability: &bytes}), "101 of 255 rounds to 40 %")
	require.Equal(t, []string{".x."}, seen(t, "cloud:40", vegetation.Sight{Probability: &percent}), "without a classification, on its own grid")
	percent.Grid.EPSG = 32601
	_, err := parsed(t, "cloud:40").View(vegetation.Sight{Classes: &scl, Probability: &percent})
	require.True(t, fault.Is(err, fault.Invalid))
	none, err := parsed(t, "dilate:3").View(vegetation.Sight{})
	require.NoError(t, err)
	require.Nil(t, none)
}

func TestBitsAreLeftOutBesideTheirClass(t *testing.T) {
	t.Parallel()
	bits := []uint16{0, 1 << 6, 1 << 7, 3 << 6, 1 << 1, 255}
	fmask := raster(grid10, 6, 1, func(col, _ int) uint16 { return bits[col] })
	fmask.HasNoData = false
	classes := vegetation.DatasetOf("HLSS30_2.0", "").Classes(fmask)
	s := vegetation.Sight{Classes: &classes}
	require.Equal(t, []string{"....x "}, seen(t, "standard", s))
	require.Equal(t, []string{".x.xx "}, seen(t, "fmask:6", s))
	require.Equal(t, []string{"..... "}, seen(t, "out:none", s))
	require.Equal(t, []string{"....x "}, seen(t, "out:none,fmask:1", s), "a bit counts also where its class is kept")
	require.Equal(t, []string{"....x "}, seen(t, "qa_pixel:6,7", s), "bits of another mask mean nothing here")
	landsat := raster(grid10, 2, 1, func(col, _ int) uint16 { return []uint16{21824, 21824 | 1<<9}[col] })
	qa := vegetation.DatasetOf("landsat-c2-l2", "").Classes(landsat)
	require.Equal(t, []string{".x"}, seen(t, "qa_pixel:9", vegetation.Sight{Classes: &qa}))
}
