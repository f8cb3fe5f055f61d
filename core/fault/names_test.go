package fault_test

import (
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
	err := fault.Fields{"x": []string{"y"}}.ErrAs(fault.CodeUnknownName)
	known1, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, fault.CodeUnknownName, known1.Code)

	f := fault.Fields{"a": fault.Fields{"b": []string{"1"}}}
	f.Merge(fault.Fields{"a": fault.Fields{"b": []string{"2"}, "c": []string{"3"}}})
	require.Equal(t, fault.Fields{"a": fault.Fields{"b": []string{"1", "2"}, "c": []string{"3"}}}, f)
}
