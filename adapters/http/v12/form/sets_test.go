package form

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
)

// Errors of all items are reported together, even if the state of other records forbids one.
func TestFaultsOfItemsAreSaidTogether(t *testing.T) {
	t.Parallel()
	clash := func() error { return fault.New(fault.Conflict, "already_exists", "Another record has the same key.") }
	invalid, gone, away := fault.Field("name", "Wrong."), fault.Missing("role"), fault.New(fault.Unavailable, "database_busy", "Busy.")
	of := func(errs ...error) (*fault.Error, error) {
		err := each(len(errs), func(i int) (int64, error) { return int64(i + 1), errs[i] })
		f, _ := fault.As(err)
		return f, err
	}
	_, err := of(nil, nil)
	require.NoError(t, err)

	f, _ := of(clash(), nil, invalid, fault.New(fault.Invalid, "role_built_in", "It is fixed."))
	require.Equal(t, "bulk_validation_failed", f.Code)
	require.Equal(t, fault.Fields{
		"0": fault.Fields{fault.NonField: []string{"Another record has the same key."}}, "2": fault.Fields{"name": []string{"Wrong."}},
		"3": fault.Fields{fault.NonField: []string{"It is fixed."}},
	}, f.Fields)

	f, _ = of(nil, clash(), clash())
	require.Equal(t, "already_exists", f.Code)
	require.Equal(t, 1, f.Details["index"])

	f, _ = of(invalid, gone, nil, gone)
	require.Equal(t, []int64{2, 4}, f.Details["ids"])

	f, _ = of(invalid, away, clash())
	require.Equal(t, away, f, "nobody knows what else is wrong")
	broken := errors.New("no fault")
	_, err = of(clash(), broken)
	require.Equal(t, broken, err)
}
