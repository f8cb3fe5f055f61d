package farm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/farm"
	"tilth/core/fault"
)

func TestFarmsAreFoundByWhatFilesCallThem(t *testing.T) {
	t.Parallel()
	known := farm.NewDirectory([]farm.Called{
		{1, "Hof Straße", "N-1"}, {2, " Hof  Nord ", ""}, {3, "hof nord", "N-3"}, {4, "N-1", ""}, {5, "A farm whose name is long", ""}, {6, "A farm whose name is longer", ""}, {7, "B farm", "k"},
	})
	for _, tt := range []struct {
		said string
		cut  bool
		want []int64
	}{
		{"N-1", false, []int64{1}},          // a key takes precedence over a name
		{"n-1", false, []int64{4}},          // keys differ by their case
		{"HOF STRAßE", false, []int64{1}},   // names are not
		{"Hof\tNord", false, []int64{2, 3}}, // nor by blanks
		{"A farm whose name is", false, nil},
		{"A farm whose name is", true, []int64{5, 6}},
		{"a farm whose name is long", true, []int64{5}}, // a whole name is that of its farm
		{"B f", true, []int64{7}},
		{"", true, nil}, {"C", true, nil},
	} {
		var got []int64
		for _, one := range known.Find(tt.said, tt.cut) {
			got = append(got, one.ID)
		}
		require.Equal(t, tt.want, got, tt.said)
	}
	errs := fault.Fields{}
	farm.Ambiguous("Hof Nord", known.Find("Hof Nord", false), errs)
	message := errs.Messages()["farm"][0]
	require.Contains(t, message, `"Hof Nord" may be the farm 2 or the farm 3 (external id "N-3").`)
	require.Contains(t, message, `"values": {"Hof Nord": `)
}

func TestMappingsThatTakeFarms(t *testing.T) {
	t.Parallel()
	of := farm.Mapping{"farm": {Properties: []string{"F"}, Values: map[string]string{"a": "Nord", "b": ""}, Default: "Home"}}
	require.True(t, of.Settles())
	require.True(t, farm.Mapping{"farm": {Default: "x"}}.Settles())
	require.False(t, farm.Mapping{"farm": {}}.Settles())
	for said, want := range map[string]string{"a": "Nord", "b": "Home", "": "Home", "c": ""} {
		called, cut := of.Farm(map[string]string{"F": said}, map[string]bool{"F": said == "a"})
		require.Equal(t, want, called)
		require.Equal(t, said == "a", cut)
		read, errs := of.Read(map[string]string{"F": said}, nil)
		called, _ = read.Farm()
		require.Equal(t, want, called)
		require.Equal(t, said == "c", errs["farm"] != nil)
	}
}
