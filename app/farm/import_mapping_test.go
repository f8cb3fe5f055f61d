package farm_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/farm"
	core "tilth/core/farm"
	"tilth/core/fault"
)

func TestPropertiesThatNoFeatureHas(t *testing.T) {
	t.Parallel()
	l := newLand(t, 0)
	file := featureFile{{Attributes: map[string]string{"name": "A"}}, {Attributes: map[string]string{"name": "B", "FS_KENNUNG": ""}}}
	for _, tt := range []struct {
		name, id string
		unknown  map[string]string // what the message of a parameter ends with
	}{
		{"name", "", nil},
		{"name", "FS_KENNUNG", nil}, // one feature that has it is enough, with a value or without
		{"title", "fs_kenung", map[string]string{"name_property": `a property "title".`, "external_id_property": `did you mean "FS_KENNUNG"?`}},
		{"", "id", map[string]string{"external_id_property": `a property "id".`}},
	} {
		var ignored fault.Fields
		start := func(ignore func(fault.Fields)) error {
			in := &farm.Imports{Deps: l.world.Deps(), Objects: sweptDrawer{}, Outlines: file, Fields: l.fields}
			mapping := core.Mapping{}
			if tt.name != "" {
				mapping["name"] = core.Source{Properties: []string{tt.name}, Param: "name_property"}
			}
			if tt.id != "" {
				mapping["external_id"] = core.Source{Properties: []string{tt.id}, Param: "external_id_property"}
			}
			_, err := in.Start(t.Context(), l.owner, core.ImportOptions{FarmID: l.farm.ID, Mapping: mapping, Preview: true}, func() (farm.ImportFile, error) {
				return farm.ImportFile{Body: bytes.NewReader(nil), Ignore: ignore}, nil
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
		requireCode(t, fault.CodeUnknownName, err)
		refused, _ := fault.As(err)
		require.Len(t, refused.Fields, len(tt.unknown))
		for param, says := range tt.unknown {
			require.Contains(t, refused.Fields.Messages()[param][0], says)
			require.Contains(t, ignored, param)
		}
	}
}
