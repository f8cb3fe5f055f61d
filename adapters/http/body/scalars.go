package body

import (
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"tilth/core/fault"
)

func (v *validator) checkString(schema *huma.Schema, value string, errs fault.Fields, key string) {
	if len(schema.Enum) > 0 && !slices.Contains(schema.Enum, any(value)) {
		errs.Addf(key, "%q is not one of: %s.", Clip(value), choices(schema.Enum))
		return
	}
	n := utf8.RuneCountInString(value)
	switch {
	case schema.MinLength != nil && n < *schema.MinLength && n == 0:
		errs.Add(key, "This field may not be blank.")
		return
	case schema.MinLength != nil && n < *schema.MinLength:
		errs.Addf(key, "Give at least %d characters; this has %d.", *schema.MinLength, n)
	case schema.MaxLength != nil && n > *schema.MaxLength:
		errs.Addf(key, "Give at most %d characters; this has %d.", *schema.MaxLength, n)
	}
	if re := v.Schemas.Pattern(schema); re != nil && !re.MatchString(value) {
		if name, ok := schema.Extensions[PatternName]; ok {
			errs.Addf(key, "%q is not %s.", Clip(value), name)
		} else {
			errs.Addf(key, "%q does not match %s.", Clip(value), schema.Pattern)
		}
	}
	if message := CheckFormat(schema.Format, value); message != "" {
		errs.Add(key, message)
	}
}

// ParseDate reads YYYY-MM-DD as midnight UTC. Faults: Invalid, with a message that states what is wrong.
func ParseDate(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err == nil {
		return day, nil
	}
	var y, m, d int
	if n, _ := fmt.Sscanf(text, "%4d-%2d-%2d", &y, &m, &d); n == 3 && len(text) == len(time.DateOnly) {
		return time.Time{}, fault.Newf(fault.Invalid, "invalid_date", "%s is not a day of the calendar.", text)
	}
	return time.Time{}, fault.New(fault.Invalid, "invalid_date", "Write a date as YYYY-MM-DD, for instance 2025-04-30.")
}

// CheckFormat returns what is wrong with a text of a format; empty if nothing is.
func CheckFormat(format, value string) string {
	switch format {
	case "date":
		if _, err := ParseDate(value); err != nil {
			return err.Error()
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339Nano, value); err != nil {
			return "Write a time as 2025-04-30T13:45:00Z, with its offset."
		}
	case "uuid":
		if !IsUUID(value) {
			return "This is not a UUID; write it as 8-4-4-4-12 hexadecimal digits."
		}
	case "email":
		if a, err := mail.ParseAddress(value); err != nil || a.Address != value {
			return "This is not an e-mail address."
		}
	case "uri":
		if u, err := url.Parse(value); err != nil || u.Scheme == "" || u.Host == "" {
			return "This is not an absolute URL, such as https://example.org/."
		}
	}
	return ""
}

// IsUUID accepts the canonical form only, not the braces and prefixes of other systems.
func IsUUID(value string) bool {
	return len(value) == 36 && uuid.Validate(value) == nil
}

func checkInteger(schema *huma.Schema, text string, errs fault.Fields, key string) {
	if strings.ContainsAny(text, ".eE") {
		errs.Add(key, "Write a whole number, without a decimal point or an exponent.")
		return
	}
	bits := 64
	if schema.Format == "int32" {
		bits = 32
	}
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		errs.Add(key, "The number is out of range.")
		return
	}
	if len(schema.Enum) > 0 && !slices.ContainsFunc(schema.Enum, func(e any) bool { return e == any(float64(n)) || e == any(n) }) {
		errs.Addf(key, "%d is not one of: %s.", n, choices(schema.Enum))
		return
	}
	checkRange(schema, float64(n), errs, key)
}

func checkRange(schema *huma.Schema, n float64, errs fault.Fields, key string) {
	plain := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case schema.Minimum != nil && n < *schema.Minimum:
		errs.Addf(key, "Must be at least %s.", plain(*schema.Minimum))
	case schema.ExclusiveMinimum != nil && n <= *schema.ExclusiveMinimum:
		errs.Addf(key, "Must be greater than %s.", plain(*schema.ExclusiveMinimum))
	case schema.Maximum != nil && n > *schema.Maximum:
		errs.Addf(key, "Must be at most %s.", plain(*schema.Maximum))
	case schema.ExclusiveMaximum != nil && n >= *schema.ExclusiveMaximum:
		errs.Addf(key, "Must be less than %s.", plain(*schema.ExclusiveMaximum))
	case schema.MultipleOf != nil && math.Mod(n, *schema.MultipleOf) != 0:
		errs.Addf(key, "Must be a multiple of %s.", plain(*schema.MultipleOf))
	}
}

// Clip shortens text that is quoted back to a caller.
func Clip(value string) string {
	const maxQuoted = 60
	if utf8.RuneCountInString(value) <= maxQuoted {
		return value
	}
	return string([]rune(value)[:maxQuoted]) + "…"
}
