package chain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Canonical returns JSON in the one form that is hashed, whichever database it comes from: the
// members of objects sorted, no white space, numbers without an exponent, zero without a sign.
func Canonical(raw json.RawMessage) (string, error) {
	var value any
	if err := Decode(raw, &value); err != nil {
		return "", err
	}
	out, err := json.Marshal(plain(value))
	return string(out), err
}

// Decode reads one value of JSON, its numbers as they are written.
func Decode(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("chain: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("chain: more than one value")
	}
	return nil
}

// plain replaces the numbers of a value.
func plain(value any) any {
	switch v := value.(type) {
	case json.Number:
		return json.Number(decimal(v.String()))
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plain(v[name])
		}
	}
	return value
}

// maxExponent bounds the exponents that are written out; a float64 has none beyond it.
const maxExponent = 400

// decimal writes a number of JSON without its exponent, as PostgreSQL does.
func decimal(number string) string {
	if positive, minus := strings.CutPrefix(number, "-"); minus && strings.Trim(positive, "0.") == "" {
		return positive
	}
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return number
	}
	exponent, err := strconv.Atoi(number[i+1:])
	if err != nil || exponent > maxExponent || exponent < -maxExponent {
		return number
	}
	mantissa, minus := strings.CutPrefix(number[:i], "-")
	whole, part, _ := strings.Cut(mantissa, ".")
	digits, point := whole+part, len(whole)+exponent
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	digits += strings.Repeat("0", max(0, point-len(digits)))
	out := strings.TrimLeft(digits[:point], "0")
	if out == "" {
		out = "0"
	}
	if point < len(digits) {
		out += "." + digits[point:]
	}
	if minus && strings.Trim(out, "0.") != "" {
		return "-" + out
	}
	return out
}
