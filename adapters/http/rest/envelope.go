package rest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"tilth/adapters/http/credential"
	"tilth/adapters/http/transfer"
	"tilth/core/fault"
)

// statuses is the one table from kinds of failure to statuses. A route may hold
// exceptions for single codes, see [Route.Odd].
var statuses = map[fault.Kind]int{
	fault.Invalid:         http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.PaymentRequired: http.StatusPaymentRequired,
	fault.Precondition:    http.StatusPreconditionFailed,
	fault.Mismatch:        http.StatusUnprocessableEntity,
	fault.Limit:           http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.Internal:        http.StatusInternalServerError,
}

// codeStatuses are the failures of the transport itself, which have a status of their
// own within their kind.
var codeStatuses = map[string]int{
	"body_too_large":         http.StatusRequestEntityTooLarge,
	"unsupported_media_type": http.StatusUnsupportedMediaType,
	"method_not_allowed":     http.StatusMethodNotAllowed,
}

// statusClientGone is written to the log when a caller left before its answer.
const statusClientGone = 499

// defaultRetry is the number of seconds that a caller should wait if the fault does not state one.
const defaultRetry = 5

// WriteError answers a request with an error in the envelope. An error that is no fault
// is internal: it is logged with the request's id, and its text is not sent.
func (a *API) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	a.writeError(w, r, err, nil)
}

func (a *API) writeError(w http.ResponseWriter, r *http.Request, err error, odd map[string]int) {
	if err = transfer.InTime(r.Context(), err); r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		w.WriteHeader(statusClientGone)
		return
	}
	f := a.presentable(r, err)
	status := cmp.Or(odd[f.Code], codeStatuses[f.Code], statuses[f.Kind], http.StatusInternalServerError)
	h := w.Header()
	for _, name := range []string{"Content-Disposition", "Link", "X-Total-Count", "ETag"} {
		h.Del(name) // of the answer that was not sent
	}
	switch status {
	case http.StatusUnauthorized:
		challenge := `Bearer realm="tilth"`
		if r.Header.Get("Authorization") != "" {
			challenge += `, error="invalid_token"`
		}
		h.Set("WWW-Authenticate", challenge)
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		seconds, _ := f.Details["retry_after"].(int)
		if seconds <= 0 {
			seconds = defaultRetry
		}
		h.Set("Retry-After", strconv.Itoa(seconds))
	}
	if d := a.spokenAt(r.URL.Path); d != nil {
		d.write(a, w, r, status, f)
		return
	}
	details := any(map[string]any{})
	switch {
	case f.Kind == fault.Invalid && len(f.Fields) > 0:
		details = f.Fields
	case len(f.Details) > 0:
		details = f.Details
	}
	text, err := encodeFailure(f, details)
	if err != nil {
		a.config.Logger.ErrorContext(r.Context(), "the details of an error cannot be encoded", slog.String("code", f.Code), slog.Any("error", err))
		text, _ = encodeFailure(f, map[string]any{}) // strings and an empty object always encode
	}
	sendFailure(w, r, status, text)
}

// sendFailure sends the body of a failure, without what may be a credential.
func sendFailure(w http.ResponseWriter, r *http.Request, status int, text []byte) {
	text = credential.Hide(text)
	h := w.Header()
	h.Set("Content-Type", mediaJSON)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(text) // the caller may be gone; there is no one left to tell
	}
}

// presentable returns the fault to show for an error, and logs what must not be shown.
func (a *API) presentable(r *http.Request, err error) *fault.Error {
	trace := TraceOf(r.Context())
	log := func(level slog.Level, message string) {
		a.config.Logger.Log(r.Context(), level, message, slog.String("request_id", trace.RequestID),
			slog.String("method", r.Method), slog.String("route", trace.Route), slog.Any("error", err))
	}
	f, ok := fault.As(err)
	switch {
	case ok && f.Kind != fault.Internal:
		if f.Cause != nil {
			log(slog.LevelWarn, "request refused")
		}
		return f
	case !ok && errors.Is(err, context.DeadlineExceeded):
		log(slog.LevelWarn, "request took too long")
		return transfer.TookTooLong()
	}
	log(slog.LevelError, "request failed")
	message := "Something went wrong on our side."
	if trace.RequestID != "" {
		message += " When you report it, quote the request " + trace.RequestID + "."
	}
	return fault.New(fault.Internal, "internal_error", message)
}

func encodeFailure(f *fault.Error, details any) ([]byte, error) {
	return encode(struct {
		Status  string `json:"status"`
		Code    string `json:"code"`
		Message string `json:"message"`
		Details any    `json:"details"`
	}{"error", f.Code, f.Message, details})
}

// encoding defines how answers are written: as encoding/json does, except that a list without items is an
// empty array, and that <, > and & stay as they are.
var encoding = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv2.FormatNilSliceAsNull(false), jsontext.EscapeForHTML(false))

// encode writes a value as JSON on one line.
func encode(value any) ([]byte, error) { return jsonv2.Marshal(value, encoding) }
