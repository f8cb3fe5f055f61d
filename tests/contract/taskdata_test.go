package contract

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// taskDataOf returns the main file of an export of task data.
func taskDataOf(t *testing.T, c *rig.Client, more string) string {
	t.Helper()
	file := c.Expect(200, "GET", "field/export/?format=isoxml"+more, nil).Body
	in, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	entry, err := in.Open("TASKDATA/TASKDATA.XML")
	require.NoError(t, err)
	text, err := io.ReadAll(entry)
	require.NoError(t, err)
	return string(text)
}

// Task data has what belongs to fields, of what the caller may see.
func TestTaskDataHasWhatBelongsToFields(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c, other := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 0)
	s.Subscribe(c)
	sampled(t, c)
	text := taskDataOf(t, c, "")
	require.Equal(t, 8, strings.Count(text, `<PNT A="1" B="Z`), "the samples, without their reserves")
	for _, element := range []string{"CTR", "FRM", "PFD", "CTP"} {
		require.Equal(t, 1, strings.Count(text, "<"+element+" "), "%s in %s", element, text)
	}
	require.NotContains(t, taskDataOf(t, c, "&farm=999999"), "<PFD")
	require.NotContains(t, taskDataOf(t, other, ""), "<PNT")

	key, _ := newKey(t, c, map[string]any{"slugs": []string{"field.*"}})
	anonymous := rig.Remote(t, s.URL, "")
	alone := taskDataOf(t, anonymous, "&api_key="+key)
	require.Contains(t, alone, "<PFD")
	require.Contains(t, alone, "<FRM", "its id and its name stand in the field")
	require.NotContains(t, alone, "<CTP")
	require.NotContains(t, alone, `<PNT A="1"`)
}
