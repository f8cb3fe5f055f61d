package mapfile_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/mapfile"
)

// BenchmarkLayers writes and reads the dates of a field of 36 ha, and of one of 3,700 ha.
func BenchmarkLayers(b *testing.B) {
	for _, size := range [][2]int{{60, 60}, {700, 530}} {
		l := layerOf(size[0], size[1])
		var file bytes.Buffer
		require.NoError(b, mapfile.Files{}.WriteLayer(&file, l))
		b.Run(fmt.Sprintf("write %d", size[0]), func(b *testing.B) {
			b.ReportMetric(float64(file.Len()), "bytes")
			for b.Loop() {
				require.NoError(b, mapfile.Files{}.WriteLayer(io.Discard, l))
			}
		})
		b.Run(fmt.Sprintf("read %d", size[0]), func(b *testing.B) {
			for b.Loop() {
				_, err := mapfile.Files{}.ReadLayer(b.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()))
				require.NoError(b, err)
			}
		})
	}
}
