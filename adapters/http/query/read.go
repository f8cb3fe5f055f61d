package query

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tilth/adapters/http/body"
	"tilth/adapters/http/member"
	"tilth/core/fault"
)

// Values are the parameters of a query, read as they are declared.
type Values struct{ parsed map[string]any }

// All returns every parameter that was given, by name: int64, float64, string, bool, member.Date,
// time.Time, []int64 or []string, as declared.
func (v Values) All() map[string]any { return v.parsed }

// Parse returns the parameters of a query as they were sent. Faults: Invalid.
func Parse(text string) (url.Values, error) {
	raw, err := url.ParseQuery(text)
	if err != nil {
		return nil, fault.Field(fault.NonField, "The query string is not well-formed; percent-encode its contents.")
	}
	return raw, nil
}

// Read reads the declared parameters of a query; errs holds what is wrong with them.
func Read(declared []Param, raw url.Values) (v Values, errs fault.Fields) {
	v, errs = Values{map[string]any{}}, fault.Fields{}
	for _, p := range declared {
		given := raw[p.Name]
		switch {
		case len(given) == 0 || (p.Type == String || p.Type == Texts) && given[0] == "" && len(given) == 1:
			if p.Required {
				errs.Add(p.Name, "This parameter is required.")
			}
		case p.Many: // the handler reads them
		case len(given) > 1:
			errs.Add(p.Name, "Give this parameter once.")
		default:
			var message string
			if v.parsed[p.Name], message = types[p.Type].read(p, given[0]); message != "" {
				errs.Add(p.Name, message)
			}
		}
	}
	return v, errs
}

// unless returns a message about what is wrong with a text; none if it is well-formed.
func unless(wellFormed bool, text, says string) string {
	if wellFormed {
		return ""
	}
	return fmt.Sprintf("%q %s", body.Clip(text), says)
}

func readInteger(_ Param, text string) (any, string) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, unless(err == nil, text, "is not a whole number.")
}

// readLimit reads more than the maximum as the maximum, as OGC API - Features specifies (7.15.2).
func readLimit(_ Param, text string) (any, string) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(min(n, MaxLimit)), unless(err == nil && n > 0, text, "is not a limit; give a whole number from 1.")
}

func readNumber(_ Param, text string) (any, string) {
	n, err := strconv.ParseFloat(text, 64)
	return n, unless(err == nil && !math.IsInf(n, 0) && !math.IsNaN(n), text, "is not a number.")
}

func readBoolean(_ Param, text string) (any, string) {
	lower := strings.ToLower(text)
	yes := lower == "true" || lower == "1"
	return yes, unless(yes || lower == "false" || lower == "0", text, "is neither true nor false.")
}

func readDate(_ Param, text string) (any, string) {
	d, _ := member.ParseDate(text)
	return d, body.CheckFormat("date", text)
}

func readTime(_ Param, text string) (any, string) {
	t, _ := time.Parse(time.RFC3339Nano, text)
	return t.UTC(), body.CheckFormat("date-time", text)
}

func readUUID(_ Param, text string) (any, string) {
	return strings.ToLower(text), body.CheckFormat("uuid", text)
}

func readPage(_ Param, text string) (any, string) {
	if text == allPages {
		return text, ""
	}
	n, _ := strconv.ParseUint(text, 10, 63) // one too large becomes the largest, past the end of every list
	return int64(n), unless(n > 0, text, "is not a page; give a number from 1, or all.")
}

func readPageSize(_ Param, text string) (any, string) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, unless(err == nil && n >= 1 && n <= MaxPageSize, text, fmt.Sprintf("is not a page size; give a number from 1 to %d.", MaxPageSize))
}

func readOrdering(p Param, text string) (any, string) {
	var terms []OrderTerm
	for word := range strings.SplitSeq(text, ",") {
		field, descending := strings.CutPrefix(strings.TrimSpace(word), "-")
		if message := p.checkWord(field); message != "" {
			return nil, message
		}
		terms = append(terms, OrderTerm{field, descending})
	}
	return terms, ""
}

func readIDs(p Param, text string) (any, string) {
	words := strings.Split(text, ",")
	if len(words) > MaxListed {
		return nil, tooMany(len(words))
	}
	ids := make([]int64, len(words))
	for i, word := range words {
		n, message := readInteger(p, strings.TrimSpace(word))
		if message != "" {
			return nil, message
		}
		ids[i], _ = n.(int64)
	}
	slices.Sort(ids)
	return slices.Compact(ids), ""
}

func readTexts(p Param, text string) (any, string) {
	if _, message := readText(p, text); message != "" {
		return nil, message
	}
	texts := append(strings.Split(text, ","), text)
	if len(texts) > MaxListed+1 {
		return nil, tooMany(len(texts) - 1)
	}
	slices.Sort(texts)
	return slices.Compact(texts), ""
}

func tooMany(n int) string {
	return fmt.Sprintf("This names %d; give at most %d at a time.", n, MaxListed)
}

func readText(p Param, text string) (any, string) {
	switch {
	case strings.ContainsRune(text, 0) || !utf8.ValidString(text):
		return nil, "This is not a text."
	case len(p.Enum) > 0:
		return text, p.checkWord(text)
	}
	return text, ""
}

func (p Param) checkWord(text string) string {
	return unless(slices.Contains(p.Enum, text), text, "is not one of: "+strings.Join(p.Enum, ", ")+".")
}
