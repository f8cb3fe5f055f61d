package exchange_test

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/ports"
)

func TestImpactArchive(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 30, 5, 700, time.UTC)
	pack := func() []byte {
		var out bytes.Buffer
		archive := exchange.Sheets{}.ImpactArchive(&out)
		file, err := archive.Add("001.pdf", at)
		require.NoError(t, err)
		_, err = io.WriteString(file, "a report")
		require.NoError(t, err)
		require.NoError(t, archive.Close("manifest.csv", []ports.ArchivedReport{
			{Index: 0, AssessmentID: 7, File: "001.pdf", Basis: "submitted", Version: new(2)},
			{Index: 1, AssessmentID: 8, Basis: "submitted", Problem: "=HYPERLINK(1)"},
		}))
		return out.Bytes()
	}
	bytesOf := pack()
	require.Equal(t, bytesOf, pack(), "the same reports are the same bytes")
	opened, err := zip.NewReader(bytes.NewReader(bytesOf), int64(len(bytesOf)))
	require.NoError(t, err)
	require.Len(t, opened.File, 2)
	for _, f := range opened.File {
		require.Equal(t, at.Truncate(time.Second), f.Modified.UTC(), "%s is of the time of the report", f.Name)
	}
	manifest, err := opened.Open("manifest.csv")
	require.NoError(t, err)
	text, err := io.ReadAll(manifest)
	require.NoError(t, err)
	require.Equal(t, "index,assessment_id,file,basis,version,problem\n0,7,001.pdf,submitted,2,\n1,8,,submitted,,'=HYPERLINK(1)\n", string(text))

	var none bytes.Buffer
	require.NoError(t, exchange.Sheets{}.ImpactArchive(&none).Close("manifest.csv", nil))
	opened, err = zip.NewReader(bytes.NewReader(none.Bytes()), int64(none.Len()))
	require.NoError(t, err)
	require.Equal(t, 1980, opened.File[0].Modified.Year(), "the first day that an archive can say")
}
