// Package fault is the error type of Tilth: a kind that decides how a caller may react, a
// stable code that clients may test, a message for people, and the fields that were wrong.
// It knows nothing of HTTP, SQL or any transport; the adapters map kinds to statuses in one
// table.
package fault

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is the closed set of ways a call can fail.
type Kind string

// The kinds. Everything that is not a *fault.Error is Internal.
const (
	Invalid         Kind = "invalid"          // the input is wrong and the fields say how
	Unauthenticated Kind = "unauthenticated"  // no or no valid credential
	Forbidden       Kind = "forbidden"        // known caller, missing permission or subscription
	NotFound        Kind = "not_found"        // nothing of that id in the caller's scope
	Conflict        Kind = "conflict"         // the state of the record forbids it
	PaymentRequired Kind = "payment_required" // not enough credit
	Precondition    Kind = "precondition"     // If-Match named another version
	Mismatch        Kind = "mismatch"         // same idempotency key, another body
	Limit           Kind = "limit"            // too many, too large, too often
	Unavailable     Kind = "unavailable"      // a required part does not respond; try again
	Internal        Kind = "internal"         // a defect or failure of the server; the text is never shown
)

// Fields holds messages by field name. A value is messages, which [Messages] returns, or
// Fields (a nested object or an item of an array, keyed by its decimal index).
type Fields map[string]any

// Messages returns a value of [Fields] as messages; none where the value is Fields.
func Messages(value any) []string {
	switch v := value.(type) {
	case []string:
		return v
	case unknownName:
		return v
	}
	return nil
}

// NonField is the key of messages that belong to no one field.
const NonField = "non_field_errors"

// Add appends a message to a field.
func (f Fields) Add(field, message string) {
	have, _ := f[field].([]string)
	f[field] = append(have, message)
}

// AddAt adds a message, once, at a path such as fertilizers[3].rate. Messages about a whole whose parts have messages
// too are kept among these under [NonField], and so are those of the empty path.
func (f Fields) AddAt(path, message string) {
	steps := strings.FieldsFunc(cmp.Or(path, NonField), func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	for _, step := range steps[:len(steps)-1] {
		below, ok := f[step].(Fields)
		if !ok {
			below = Fields{}
			if messages, had := f[step]; had {
				below[NonField] = messages
			}
			f[step] = below
		}
		f = below
	}
	last := steps[len(steps)-1]
	if below, ok := f[last].(Fields); ok {
		f, last = below, NonField
	}
	if !slices.Contains(Messages(f[last]), message) {
		f.Add(last, message)
	}
}

// Addf appends a formatted message to a field.
func (f Fields) Addf(field, format string, args ...any) { f.Add(field, fmt.Sprintf(format, args...)) }

// AddIf appends a formatted message to a field where something is wrong.
func (f Fields) AddIf(wrong bool, field, format string, args ...any) {
	if wrong {
		f.Addf(field, format, args...)
	}
}

// Messages returns the messages by field, without those of nested objects. It is never nil.
func (f Fields) Messages() map[string][]string {
	out := map[string][]string{}
	for field, messages := range f {
		if list := Messages(messages); list != nil {
			out[field] = list
		}
	}
	return out
}

// Within adds an error when a number is not between low and high.
func (f Fields) Within(field string, v, low, high float64) {
	f.AddIf(!(v >= low && v <= high), field, "It must be a number from %g to %g.", low, high)
}

// Text adds an error when a value is longer than limit characters or cannot be stored.
func (f Fields) Text(field, value string, limit int) {
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		f.Add(field, "This is not valid text: UTF-8 without the character U+0000.")
	}
	if n := utf8.RuneCountInString(value); n > limit {
		f.Addf(field, "At most %d characters; this has %d.", limit, n)
	}
}

// RequiredText is Text, and adds an error when a value is empty.
func (f Fields) RequiredText(field, value string, limit int) {
	if value == "" {
		f.Add(field, "This field may not be blank.")
	}
	f.Text(field, value, limit)
}

// MergeNew merges what a later check finds; it says nothing new about a value that could not be read.
func (f Fields) MergeNew(later Fields) {
	fresh := maps.Clone(later)
	maps.DeleteFunc(fresh, func(field string, _ any) bool { return f[field] != nil && !onlyUnknown(f[field]) })
	f.Merge(fresh)
}

// Nest puts the errors of a nested object below a field; empty errors are dropped.
func (f Fields) Nest(field string, nested Fields) {
	if len(nested) > 0 {
		f[field] = nested
	}
}

// Merge copies every message of other into f.
func (f Fields) Merge(other Fields) {
	for k, v := range other {
		have, isNested := f[k].(Fields)
		list, _ := v.([]string)
		switch below, ok := v.(Fields); {
		case ok && isNested:
			have.Merge(below)
		case list == nil:
			f[k] = v
		case isNested:
			have.Merge(Fields{NonField: list})
		default:
			for _, m := range list {
				f.Add(k, m)
			}
		}
	}
}

// List returns words as a message lists them.
func List[T ~string](words []T) string {
	var list []string
	for _, w := range words {
		list = append(list, string(w))
	}
	return strings.Join(list, ", ")
}

// Err returns nil when there are no messages, else an Invalid fault that carries them. Its code is [CodeUnknownName]
// where a name is not known.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	e := New(Invalid, "validation_failed", "")
	if e.Fields = f; !f.OnlyUnknown() {
		e.Message = "Validation failed: " + f.summary() + "."
	}
	return e.Naming()
}

func (f Fields) summary() string {
	keys := slices.Sorted(maps.Keys(f))
	if len(keys) > 5 {
		keys = append(keys[:5], "…")
	}
	return "see " + strings.Join(keys, ", ")
}

// Error is a failure with a kind.
type Error struct {
	Kind    Kind
	Code    string         // stable snake_case word
	Message string         // for people; safe to show unless Kind is Internal
	Fields  Fields         // what was wrong where (Invalid)
	Details map[string]any // further facts a client may use (conflicts, credit, permissions)
	Cause   error          // for the log only
}

// Error returns the message and the cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	if len(e.Fields) > 0 {
		return fmt.Sprintf("%s %v", e.Message, e.Fields)
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// New returns a fault.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Newf returns a fault with a formatted message.
func Newf(kind Kind, code, format string, args ...any) *Error {
	return New(kind, code, fmt.Sprintf(format, args...))
}

// With adds a detail and returns the same fault.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Because records the cause and returns the same fault.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// Field makes an Invalid fault for one field.
func Field(field, message string) error {
	f := Fields{}
	f.Add(field, message)
	return f.Err()
}

// Missing is the NotFound fault of a resource ("field", "season", …).
func Missing(resource string) *Error {
	return Newf(NotFound, "not_found", "No %s with that id.", resource)
}

// As returns the fault inside err, if there is one.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// KindOf returns the kind of err; Internal for an error that is not a fault.
func KindOf(err error) Kind {
	if e, ok := As(err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is a fault of that kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// Refusal returns the message of an error that is permanent: what is asked for is wrong, or does not exist. ok is false for any other.
func Refusal(err error) (why string, ok bool) {
	known, ok := As(err)
	if !ok || known.Kind != Invalid && known.Kind != NotFound {
		return "", false
	}
	return known.Message, true
}
