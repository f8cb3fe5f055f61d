package outlines_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/farm/outlines"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/tests/memory"
)

func TestPropertiesThatNoFeatureHas(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	file := memory.Features{{Attributes: map[string]string{"name": "A"}}, {Attributes: map[string]string{"name": "B", "FS_KENNUNG": ""}}}
	for _, tt := range []struct {
		name, id string
		unknown  map[string]string // the ending of a parameter's message
	}{
		{"name", "", nil},
		{"name", "FS_KENNUNG", nil}, // one feature that has it is enough, with or without a value
		{"title", "fs_kenung", map[string]string{"name_property": `a property "title".`, "external_id_property": `did you mean "FS_KENNUNG"?`}},
		{"", "id", map[string]string{"external_id_property": `a property "id".`}},
	} {
		var ignored fault.Fields
		start := func(ignore func(fault.Fields)) error {
			in := &outlines.Imports{Deps: l.world.Deps(), Objects: memory.Drawer{}, Outlines: file, Fields: l.fields}
			mapping := farm.Mapping{}
			if tt.name != "" {
				mapping["name"] = farm.Source{Properties: []string{tt.name}, Param: "name_property"}
			}
			if tt.id != "" {
				mapping["external_id"] = farm.Source{Properties: []string{tt.id}, Param: "external_id_property"}
			}
			_, err := in.Start(t.Context(), l.owner, farm.ImportOptions{FarmID: l.farm.ID, Mapping: mapping, Preview: true}, func() (outlines.ImportFile, error) {
				return outlines.ImportFile{Body: bytes.NewReader(nil), Ignore: ignore}, nil
			})
			return err
		}
		err := start(nil)
		require.NoError(t, start(func(unknown fault.Fields) { ignored = unknown }))
		if tt.unknown == nil {
			require.NoError(t, err)
			require.Empty(t, ignored)
			continue
		}
		refused, isFault := fault.As(err)
		require.True(t, isFault, "%v", err)
		require.Equal(t, fault.CodeUnknownName, refused.Code)
		require.Len(t, refused.Fields, len(tt.unknown))
		for param, says := range tt.unknown {
			require.Contains(t, refused.Fields.Messages()[param][0], says)
			require.Contains(t, ignored, param)
		}
	}
}
