package credential_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/credential"
)

func TestErrorsRepeatNoCredentials(t *testing.T) {
	for text, want := range map[string]string{
		`"page":["\"tk_live.4f7GQ0k2mV9xTn3BhJrW8sYd\" is no page."]`:                 `"page":["\"tk_live.(hidden)\" is no page."]`,
		`eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIiwiaWF0IjoxNzAwMDAwMDAwfQ`: `(hidden).(hidden)`,
		`is_ready_for_submission, vegetation_index_profile`:                           `is_ready_for_submission, vegetation_index_profile`,
		`0b1f6e0e-8c1f-4a1e-9a3e-2f1d1c3b5a79`:                                        `0b1f6e0e-8c1f-4a1e-9a3e-2f1d1c3b5a79`,
		`Write a time as 2025-04-30T13:45:00Z, with its offset.`:                      `Write a time as 2025-04-30T13:45:00Z, with its offset.`,
		`aB34567890123456789 aB345678901234567890é_-aB3456789012345678é`:              `aB34567890123456789 (hidden)é(hidden)é`,
		`North parcel 17 (West)`:                                                      `North parcel 17 (West)`,
	} {
		require.Equal(t, want, string(credential.Hide([]byte(text))))
	}
}
