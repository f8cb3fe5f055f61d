package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
)

func TestFieldsBecomeAFault(t *testing.T) {
	t.Parallel()
	require.NoError(t, fault.Fields{}.Err())
	f := fault.Fields{}
	f.Add("name", "a")
	f.Addf("name", "b %d", 1)
	nested := fault.Fields{}
	nested.Add("type", "c")
	f.Nest("location", nested)
	f.Nest("nothing", fault.Fields{})
	f.Merge(fault.Fields{"name": []string{"d"}, "other": []string{"e"}})
	err := fmt.Errorf("wrapped: %w", f.Err())
	got, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, fault.Invalid, got.Kind)
	require.Equal(t, fault.Fields{"name": []string{"a", "b 1", "d"}, "other": []string{"e"}, "location": fault.Fields{"type": []string{"c"}}}, got.Fields)
	require.True(t, fault.Is(err, fault.Invalid))
}

func TestWhatIsNoFaultIsInternal(t *testing.T) {
	t.Parallel()
	require.Equal(t, fault.Internal, fault.KindOf(errors.New("x")))
	require.False(t, fault.Is(nil, fault.Internal))
	cause := errors.New("cause")
	err := fault.New(fault.Unavailable, "away", "Away.").Because(cause).With("a", 1)
	require.ErrorIs(t, err, cause)
	require.Equal(t, "Away.: cause", err.Error())
	require.Equal(t, map[string]any{"a": 1}, err.Details)
	require.True(t, fault.Is(fault.Missing("field"), fault.NotFound))
}

func TestPathsNest(t *testing.T) {
	t.Parallel()
	got := fault.Fields{}
	for _, one := range [][2]string{
		{"growing_area", "a"}, {"growing_area.unit", "b"}, {"growing_area", "c"},
		{"fertilizers[3].rate", "d"}, {"fertilizers[3].rate", "e"}, {"fertilizers[3].rate", "e"}, {"", "f"},
	} {
		got.AddAt(one[0], one[1])
	}
	require.Equal(t, fault.Fields{
		"growing_area": fault.Fields{"unit": []string{"b"}, fault.NonField: []string{"a", "c"}},
		"fertilizers":  fault.Fields{"3": fault.Fields{"rate": []string{"d", "e"}}},
		fault.NonField: []string{"f"},
	}, got)
}
