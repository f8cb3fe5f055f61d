package document

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/schema"
)

// Names in the components of the document.
const (
	errorSchema      = "Error"
	failureResponse  = "ErrorAnswer"
	etagHeader       = "ETag"
	retryAfterHeader = "Retry-After"
)

// statusTexts has the meanings of failure statuses.
var statusTexts = map[int]string{
	http.StatusBadRequest:            "The request is wrong.",
	http.StatusUnauthorized:          "No valid credential.",
	http.StatusPaymentRequired:       "Payment required.",
	http.StatusForbidden:             "The caller may not do this.",
	http.StatusNotFound:              "There is nothing at that address in the caller's scope.",
	http.StatusConflict:              "The state of the record does not allow it.",
	http.StatusPreconditionFailed:    "The record has changed since the version that If-Match names.",
	http.StatusRequestEntityTooLarge: "The body is too large.",
	http.StatusUnsupportedMediaType:  "The content type of the body is not accepted here.",
	http.StatusUnprocessableEntity:   "The Idempotency-Key was used with another body.",
	http.StatusTooManyRequests:       "Too many requests.",
	http.StatusInternalServerError:   "A fault of the service.",
	http.StatusServiceUnavailable:    "A required component is unavailable.",
}

// failure returns the one answer for everything that fails, so that a client reads it only once.
func failure() *huma.Response {
	text := "What fails:\n"
	for _, status := range slices.Sorted(maps.Keys(statusTexts)) {
		text += fmt.Sprintf("\n- `%d`: %s", status, statusTexts[status])
	}
	return &huma.Response{
		Description: text, Headers: with(retryAfterHeader),
		Content: map[string]*huma.MediaType{mediaJSON: {Schema: schema.Given(errorSchema)}},
	}
}

// failed returns how an operation fails. Its description lists the statuses, as the extension x-failures does.
func (d *Document) failed(op Operation) *huma.Response {
	if op.FailedAs != nil {
		return &huma.Response{Description: "What fails.", Content: map[string]*huma.MediaType{mediaJSON: {Schema: d.schemas.Of(op.FailedAs)}}}
	}
	words := make([]string, 0, len(op.Failures))
	for _, status := range op.Failures {
		words = append(words, strconv.Itoa(status))
	}
	return &huma.Response{Ref: "#/components/responses/" + failureResponse, Description: "What fails: " + strings.Join(words, ", ") + "."}
}

func (d *Document) errorSchema() *huma.Schema {
	text := "A stable word for programs:\n"
	code := &huma.Schema{Type: huma.TypeString}
	for _, word := range slices.Sorted(maps.Keys(d.of.Codes)) {
		code.Enum = append(code.Enum, word)
		text += "\n- `" + word + "`: " + d.of.Codes[word]
	}
	code.Description = text
	return schema.Object(map[string]*huma.Schema{
		"status":  schema.Described(d.schemas.Named("Failed", schema.Word("error")), "The request was refused, or failed."),
		"code":    schema.Described(d.schemas.Named("ErrorCode", code), "A stable word for programs; ErrorCode says what each means."),
		"message": {Type: huma.TypeString, Description: "For people; its wording may change."},
		"details": {Type: huma.TypeObject, AdditionalProperties: true,
			Description: "For invalid input: lists of messages by field, nested as the input is, `non_field_errors` for what belongs to no single field, items of a bulk by their index. Otherwise facts about the failure."},
	}, "status", "code", "message", "details")
}

// headers are the headers of answers, which the document describes once.
func headers() map[string]*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	return map[string]*huma.Param{
		etagHeader:       {Schema: text, Description: "The version of the record, for If-Match and If-None-Match."},
		retryAfterHeader: {Schema: text, Description: "Seconds to wait before the request is tried again; with 409, 429 and 503."},
	}
}

// with returns a reference to one of these headers.
func with(header string) map[string]*huma.Param {
	return map[string]*huma.Param{header: {Ref: "#/components/headers/" + header}}
}
