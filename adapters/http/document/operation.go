package document

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/query"
)

// Operation is a method of a path.
type Operation struct {
	Method, Pattern string // the path from the root, with its parameters in braces
	ID              string // unique
	Summary         string
	Description     string // CommonMark
	Tag             string

	Permission string   // slug that the caller needs; empty: none
	Schemes    []string // credentials that open it, by name; none: it is public
	Ignored    []string // names that do not apply here and are ignored

	Path    []string // parameters of the path
	Query   []query.Param
	Headers []Header
	Body    *Body // nil: it takes none

	Answer   Answer
	Failures []int        // statuses of what fails
	FailedAs reflect.Type // of the body of a failure; nil: the interface's own
}

// Header is a header of a request.
type Header struct{ Name, Description string }

// Shape states how many records something has.
type Shape int

// The shapes of bodies and answers.
const (
	One       Shape = iota // a record
	Many                   // an array of records
	OneOrMany              // either
	Page                   // of an answer: a page of records with the length of their list
	Changes                // of a body: an array of members of records, each with the id of one
)

// Records are what a body or the data of an answer are.
type Records struct {
	Type  reflect.Type // nil: there are none
	Shape Shape
	Given string // name of a schema of the interface in place of the type; empty: none
	With  string // name of a schema whose members are added
}

// describe adds an operation to the document.
func (d *Document) describe(op Operation) {
	out := &huma.Operation{
		Method: op.Method, Path: op.Pattern, OperationID: op.ID, Summary: op.Summary,
		Description: op.Description, Tags: []string{op.Tag}, Extensions: map[string]any{"x-failures": op.Failures},
		Parameters: op.parameters(), Responses: d.responses(op), Security: []map[string][]string{},
	}
	for _, scheme := range op.Schemes {
		out.Security = append(out.Security, map[string][]string{scheme: {}})
	}
	if op.Permission != "" {
		out.Extensions["x-permission"] = op.Permission
		out.Description = strings.TrimSpace(out.Description + "\n\nNeeds the permission `" + op.Permission + "`.")
	}
	if len(op.Ignored) > 0 {
		out.Description = strings.TrimSpace(out.Description + "\n\nIgnored, as it does not apply: `" + strings.Join(op.Ignored, "`, `") + "`.")
	}
	if op.Body != nil {
		out.RequestBody = d.requestBody(op)
	}
	d.openapi.AddOperation(out)
	d.operations = append(d.operations, out)
}

// typeName returns the name of a type in the document that belongs to an operation or a parameter.
func typeName(of, suffix string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(of, func(r rune) bool { return r == '_' || r == '-' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String() + suffix
}
