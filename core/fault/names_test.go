package fault_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
)

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	known := []string{"boundary", "name", "farm_id"}
	for name, want := range map[string]string{
		"boundery": `did you mean "boundary"?`, "Name": `did you mean "name"?`, "farmid": `did you mean "farm_id"?`, "colour": "This name is not known here.", "": "known",
	} {
		f := fault.Fields{}
		f.Unknown(name, known)
		require.Contains(t, f.Messages()[name][0], want, name)
	}
	item := fault.Fields{"name": []string{"This field is required."}}
	item.Unknown("amout", []string{"amount"})
	require.False(t, item.OnlyUnknown())
	all := fault.Fields{}
	all.Nest("fertilizers", fault.Fields{"2": item})
	refused, ok := fault.As(all.Err())
	require.True(t, ok)
	require.Equal(t, fault.CodeUnknownName, refused.Code, "whatever else is wrong")
	require.Contains(t, refused.Message, `fertilizers[2].amout (did you mean "amount"?)`)
	require.Equal(t, []string{"fertilizers[2].amout"}, all.Unknowns())

	// What a later check says about a value that could not be read is left out; unknown names do not prevent it.
	all.MergeNew(fault.Fields{"fertilizers": []string{"consequence"}, "soil": []string{"more"}})
	require.Equal(t, []string{"more"}, fault.Messages(all["soil"]))
	require.NotContains(t, all["fertilizers"], fault.NonField)
	read := fault.Fields{"soil": fault.Fields{}}
	read["soil"].(fault.Fields).Unknown("Ph", []string{"ph"})
	require.True(t, read.OnlyUnknown())
	read.MergeNew(fault.Fields{"soil": []string{"more"}})
	require.Equal(t, []string{"more"}, fault.Messages(read["soil"].(fault.Fields)[fault.NonField]))

	long := fault.Fields{}
	long.Unknown(strings.Repeat("x", 1<<20), known)
	require.Less(t, len(long.Unknowns()[0]), 100, "what is repeated is bounded")

	f := fault.Fields{"a": fault.Fields{"b": []string{"1"}}}
	f.Merge(fault.Fields{"a": fault.Fields{"b": []string{"2"}, "c": []string{"3"}}})
	require.Equal(t, fault.Fields{"a": fault.Fields{"b": []string{"1", "2"}, "c": []string{"3"}}}, f)
}
