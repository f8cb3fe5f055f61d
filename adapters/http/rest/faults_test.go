package rest_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
)

func TestEveryKindOfFaultHasItsStatus(t *testing.T) {
	r := newRig(t)
	tests := []struct {
		err     error
		status  int
		details string
		header  string
	}{
		{fault.Field("name", "Wrong."), 400, `{"name":["Wrong."]}`, ""},
		{fault.New(fault.Invalid, "odd", "No fields."), 400, `{}`, ""},
		{fault.New(fault.Unauthenticated, "not_authenticated", "Who?"), 401, `{}`, "WWW-Authenticate"},
		{fault.New(fault.PaymentRequired, "insufficient_credit", "Too little.").With("balance", "1.00"), 402, `{"balance":"1.00"}`, ""},
		{fault.New(fault.Forbidden, "permission_denied", "No."), 403, `{}`, ""},
		{fault.Missing("field"), 404, `{}`, ""},
		{fault.New(fault.Conflict, "duplicate_profile", "There is one.").With("profile_uuid", "u"), 409, `{"profile_uuid":"u"}`, ""},
		{fault.New(fault.Precondition, "changed", "Changed."), 412, `{}`, ""},
		{fault.New(fault.Mismatch, "idempotency_mismatch", "Another body."), 422, `{}`, ""},
		{fault.New(fault.Limit, "rate_limited", "Slow down.").With("retry_after", 7), 429, `{"retry_after":7}`, "Retry-After"},
		{fault.New(fault.Unavailable, "unavailable", "Away."), 503, `{}`, "Retry-After"},
		{fmt.Errorf("wrapped: %w", fault.Missing("season")), 404, `{}`, ""},
		{fault.New(fault.Internal, "broken", "secret"), 500, `{}`, ""},
		{errors.New("secret"), 500, `{}`, ""},
		{fault.New(fault.Conflict, "odd_details", "Bad.").With("x", func() {}), 409, `{}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.err.Error(), func(t *testing.T) {
			w := httptest.NewRecorder()
			r.api.WriteError(w, httptest.NewRequest("GET", "/", nil), tt.err)
			require.Equal(t, tt.status, w.Code)
			require.JSONEq(t, tt.details, details(t, w))
			require.NotContains(t, w.Body.String(), "secret")
			if tt.header != "" {
				require.NotEmpty(t, w.Header().Get(tt.header))
			}
		})
	}
}
