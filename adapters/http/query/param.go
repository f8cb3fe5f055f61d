// Package query reads the parameters of a query: their types, the documentation and the form of each, the message about an
// invalid one, and the part of a list that is requested. It knows no route and no request: its callers decide which
// parameters exist and what happens to others.
package query

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/member"
	"tilth/adapters/http/schema"
)

// Param is one query parameter.
type Param struct {
	Name        string
	Type        Type
	Enum        []string // of strings: the allowed words
	Required    bool
	Many        bool // may be given more than once; the handler reads it from the query as it was sent
	Description string
}

// Type is the type of a query parameter.
type Type string

// The types of query parameters.
const (
	Integer   Type = "integer"   // a whole number of 64 bits
	Number    Type = "number"    // a finite number
	String    Type = "string"    // text; an empty one counts as not given
	Boolean   Type = "boolean"   // true or false, also 1 or 0
	Date      Type = "date"      // YYYY-MM-DD
	Timestamp Type = "timestamp" // RFC 3339 with offset
	UUID      Type = "uuid"
	IDs       Type = "ids"   // whole numbers, separated by commas
	Texts     Type = "texts" // texts, separated by commas; also the whole, since a text may hold a comma
	Box       Type = "box"   // numbers, separated by commas, which the handler reads as text
	Limit     Type = "limit" // 1 to [MaxLimit]; more counts as MaxLimit

	// The parameters that every list takes have types of their own.
	PageNumber Type = "page"
	pageSize   Type = "page_size"
	ordering   Type = "ordering"
)

// types has for each type the Go type of its values in the input of a handler, its schema in the document,
// and its reader; the reader's message states what is wrong with a text that it cannot read.
var types = map[Type]struct {
	zero   any
	schema huma.Schema
	read   func(p Param, text string) (value any, message string)
}{
	Integer:    {int64(0), huma.Schema{Type: huma.TypeInteger, Format: "int64"}, readInteger},
	Number:     {0.0, huma.Schema{Type: huma.TypeNumber}, readNumber},
	String:     {"", huma.Schema{Type: huma.TypeString}, readText},
	Boolean:    {false, huma.Schema{Type: huma.TypeBoolean}, readBoolean},
	Date:       {member.Date{}, huma.Schema{Type: huma.TypeString, Format: "date"}, readDate},
	Timestamp:  {time.Time{}, huma.Schema{Type: huma.TypeString, Format: "date-time"}, readTime},
	UUID:       {"", huma.Schema{Type: huma.TypeString, Format: "uuid"}, readUUID},
	IDs:        {[]int64(nil), *arrayOf(&huma.Schema{Type: huma.TypeInteger, Format: "int64"}), readIDs},
	Texts:      {[]string(nil), *arrayOf(&huma.Schema{Type: huma.TypeString}), readTexts},
	Box:        {"", *schema.Box(), readText},
	Limit:      {int64(0), huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(MaxLimit)), Default: DefaultLimit}, readLimit},
	PageNumber: {nil, *schema.Given(pageSchema), readPage},
	pageSize:   {nil, huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(MaxPageSize))}, readPageSize},
	ordering:   {nil, huma.Schema{Type: huma.TypeString}, readOrdering},
}

// pageSchema is the name of the schema of pages.
const pageSchema = "PageNumber"

// Define adds the schemas that those of parameters refer to.
func Define(s *schema.Set) {
	s.Named(pageSchema, &huma.Schema{
		OneOf:       []*huma.Schema{{Type: huma.TypeInteger, Minimum: new(1.0)}, schema.Word(allPages)},
		Description: "A page, from 1, or all of the list.",
	})
}

// Bounds of [Limit].
const (
	DefaultLimit = 100
	MaxLimit     = 10_000
)

// MaxListed is the maximum number of values in a parameter that takes several.
const MaxListed = 1_000

func arrayOf(item *huma.Schema) *huma.Schema {
	s := schema.List(item)
	s.MinItems, s.MaxItems = new(1), new(MaxListed)
	return s
}

// Listed reports whether the parameter is one text of several values, separated by commas.
func (p Param) Listed() bool { return p.Type == IDs || p.Type == Texts || p.Type == Box }

// ReadsAs reports whether the values of the parameter are of a Go type.
func (p Param) ReadsAs(t reflect.Type) bool { return reflect.TypeOf(types[p.Type].zero) == t }

// Schema is the schema of the parameter.
func (p Param) Schema() *huma.Schema {
	s := types[p.Type].schema
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
