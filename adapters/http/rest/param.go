package rest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/body"
	"tilth/adapters/http/schema"
)

// Param is one query parameter.
type Param struct {
	Name        string
	Type        ParamType
	Enum        []string // of strings: the allowed words
	Required    bool
	Many        bool // may be given more than once; the handler reads it with [Call.Query]
	Description string
}

// ParamType is the type of a query parameter.
type ParamType string

// The types of query parameters.
const (
	Integer   ParamType = "integer"   // a whole number of 64 bits
	Number    ParamType = "number"    // a finite number
	String    ParamType = "string"    // text; an empty one counts as not given
	Boolean   ParamType = "boolean"   // true or false, also 1 or 0
	DateType  ParamType = "date"      // YYYY-MM-DD
	Timestamp ParamType = "timestamp" // RFC 3339 with offset
	UUID      ParamType = "uuid"
	IDs       ParamType = "ids"   // whole numbers, separated by commas
	Texts     ParamType = "texts" // texts, separated by commas; also the whole, since a text may hold a comma
	Box       ParamType = "box"   // numbers, separated by commas, which the handler reads as text
	Limit     ParamType = "limit" // 1 to [MaxLimit]; more is that

	// The parameters that every list takes have types of their own.
	pageNumber ParamType = "page"
	pageSize   ParamType = "page_size"
	ordering   ParamType = "ordering"
)

// paramTypes says of each type what it reads as in the input of a handler, how it is documented,
// and how it is read; the message of a text that cannot be read says what is wrong.
var paramTypes = map[ParamType]struct {
	zero   any
	schema huma.Schema
	read   func(p Param, text string) (value any, message string)
}{
	Integer:    {int64(0), huma.Schema{Type: huma.TypeInteger, Format: "int64"}, readInteger},
	Number:     {0.0, huma.Schema{Type: huma.TypeNumber}, readNumber},
	String:     {"", huma.Schema{Type: huma.TypeString}, readText},
	Boolean:    {false, huma.Schema{Type: huma.TypeBoolean}, readBoolean},
	DateType:   {Date{}, huma.Schema{Type: huma.TypeString, Format: "date"}, readDate},
	Timestamp:  {time.Time{}, huma.Schema{Type: huma.TypeString, Format: "date-time"}, readTime},
	UUID:       {"", huma.Schema{Type: huma.TypeString, Format: "uuid"}, readUUID},
	IDs:        {[]int64(nil), *arrayOf(&huma.Schema{Type: huma.TypeInteger, Format: "int64"}), readIDs},
	Texts:      {[]string(nil), *arrayOf(&huma.Schema{Type: huma.TypeString}), readTexts},
	Box:        {"", *schema.Box(), readText},
	Limit:      {int64(0), huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(MaxLimit)), Default: DefaultLimit}, readLimit},
	pageNumber: {nil, *schema.Given(pageSchema), readPage},
	pageSize:   {nil, huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(MaxPageSize))}, readPageSize},
	ordering:   {nil, huma.Schema{Type: huma.TypeString}, readOrdering},
}

// pageSchema is the name of the schema of pages.
const pageSchema = "PageNumber"

// definePage adds the schema of pages.
func definePage(s *schema.Set) {
	s.Named(pageSchema, &huma.Schema{
		OneOf:       []*huma.Schema{{Type: huma.TypeInteger, Minimum: new(1.0)}, schema.Word(allPages)},
		Description: "A page, from 1, or all of the list.",
	})
}

// The parameter that chooses the form of an answer, and its word for the envelope.
const (
	formatParam = "format"
	formatJSON  = "json"
)

// MaxListed is how many values a parameter of many takes.
const MaxListed = 1_000

func arrayOf(item *huma.Schema) *huma.Schema {
	s := schema.List(item)
	s.MinItems, s.MaxItems = new(1), new(MaxListed)
	return s
}

// many reports whether the parameter is one text of several values.
func (p Param) many() bool { return p.Type == IDs || p.Type == Texts || p.Type == Box }

func (p Param) schema() *huma.Schema {
	s := paramTypes[p.Type].schema
	if p.Type == String {
		for _, word := range p.Enum {
			s.Enum = append(s.Enum, word)
		}
	}
	if p.Many {
		return schema.List(&s)
	}
	return &s
}

// unless returns the message that says what a text is; none where it is well-formed.
func unless(wellFormed bool, text, says string) string {
	if wellFormed {
		return ""
	}
	return fmt.Sprintf("%q %s", body.Clip(text), says)
}

func readInteger(_ Param, text string) (any, string) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, unless(err == nil, text, "is no whole number.")
}

// Bounds of [Limit].
const (
	DefaultLimit = 100
	MaxLimit     = 10_000
)

// readLimit takes what is more than the largest for it, as OGC API - Features has it (7.15.2).
func readLimit(_ Param, text string) (any, string) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(min(n, MaxLimit)), unless(err == nil && n > 0, text, "is no limit; give a whole number from 1.")
}

func readNumber(_ Param, text string) (any, string) {
	n, err := strconv.ParseFloat(text, 64)
	return n, unless(err == nil && !math.IsInf(n, 0) && !math.IsNaN(n), text, "is no number.")
}

func readBoolean(_ Param, text string) (any, string) {
	lower := strings.ToLower(text)
	yes := lower == "true" || lower == "1"
	return yes, unless(yes || lower == "false" || lower == "0", text, "is neither true nor false.")
}

func readDate(_ Param, text string) (any, string) {
	d, _ := ParseDate(text)
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
	return int64(n), unless(n > 0, text, "is no page; give a number from 1, or all.")
}

func readPageSize(_ Param, text string) (any, string) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, unless(err == nil && n >= 1 && n <= MaxPageSize, text, fmt.Sprintf("is no page size; give a number from 1 to %d.", MaxPageSize))
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
		return nil, "This is no text."
	case len(p.Enum) > 0:
		return text, p.checkWord(text)
	}
	return text, ""
}

func (p Param) checkWord(text string) string {
	return unless(slices.Contains(p.Enum, text), text, "is not one of: "+strings.Join(p.Enum, ", ")+".")
}
