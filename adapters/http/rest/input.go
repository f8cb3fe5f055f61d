package rest

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"tilth/adapters/http/query"
)

// The input of a handler is a struct whose fields say where they come from:
//
//	type copyInput struct {
//		ID    int64     `path:"id"`         // int64: the id of a record
//		Plan  string    `path:"plan,uuid"`  // a UUID in lower case; without ",uuid" the text as it was sent
//		Share bool      `query:"share"`     // the zero value, or nil for a pointer, where it is not given
//		Body  CopyWrite `body:"json"`
//	}
//
// The fields are read in their order, and the first part of a request that is wrong decides
// the answer; all query parameters are one part. Embedded structs are read as if their
// fields stood in their place. A parameter that the path or [Route.Query] does not declare
// is a mistake in the program, found when it starts. [Values] as the input, or embedded in
// it, holds every declared query parameter. A body that a use case asks for later, under
// its lock, is no part of the input: see [Read] and [Decode].

// JSON is the input of a route that takes a body alone.
type JSON[W any] struct {
	Body W `body:"json"`
}

// binding reads one field of an input.
type binding struct {
	index []int
	read  func(c *Call, field reflect.Value) error
}

// Read reads an input that a handler asks for itself, after checks that come before it.
func Read[I any](c *Call) (in I, err error) {
	bindings, _ := c.route.bindings(reflect.TypeFor[I]())
	err = c.read(bindings, reflect.ValueOf(&in).Elem())
	return in, err
}

func (c *Call) read(bindings []binding, into reflect.Value) error {
	for _, b := range bindings {
		if err := b.read(c, into.FieldByIndex(b.index)); err != nil {
			return err
		}
	}
	return nil
}

// bindings returns how the input of a type is read, and the type of its body, if any.
func (r Route) bindings(input reflect.Type) (all []binding, body reflect.Type) {
	if input == reflect.TypeFor[Values]() {
		return []binding{{nil, readValues}}, nil
	}
	for _, field := range reflect.VisibleFields(input) {
		read := readValues
		path, inPath := field.Tag.Lookup("path")
		param, inQuery := field.Tag.Lookup("query")
		_, inBody := field.Tag.Lookup("body")
		switch {
		case inPath:
			read = r.pathReader(path, field.Type)
		case inQuery:
			read = r.queryReader(param, field.Type)
		case inBody:
			body, read = field.Type, readBody
		case field.Type == reflect.TypeFor[Values]():
		case field.Anonymous || !field.IsExported():
			continue
		default:
			panic(fmt.Sprintf("rest: %s: the field %s of the input comes from nowhere", r.OperationID, field.Name))
		}
		all = append(all, binding{field.Index, read})
	}
	return all, body
}

func (r Route) pathReader(tag string, as reflect.Type) func(*Call, reflect.Value) error {
	name, _ := strings.CutSuffix(tag, ",uuid")
	if !slices.Contains(r.pathParams(), name) {
		panic(fmt.Sprintf("rest: %s: the path has no parameter %q", r.OperationID, name))
	}
	return func(c *Call, field reflect.Value) (err error) {
		var id int64
		text := c.Param(name)
		switch {
		case as.Kind() == reflect.Int64:
			id, err = c.ID(name)
			field.SetInt(id)
			return err
		case name != tag:
			text, err = c.UUID(name)
		}
		field.SetString(text)
		return err
	}
}

func (r Route) queryReader(name string, as reflect.Type) func(*Call, reflect.Value) error {
	optional := as.Kind() == reflect.Pointer
	if optional {
		as = as.Elem()
	}
	if i := slices.IndexFunc(r.Query, func(p Param) bool { return p.Name == name }); i < 0 || !r.Query[i].ReadsAs(as) {
		panic(fmt.Sprintf("rest: %s: the route declares no parameter %q that reads as %s", r.OperationID, name, as))
	}
	return func(c *Call, field reflect.Value) error {
		values, err := c.query()
		given, ok := values.All()[name]
		switch {
		case err != nil || !ok:
			return err
		case optional:
			field.Set(reflect.New(as))
			field = field.Elem()
		}
		field.Set(reflect.ValueOf(given))
		return nil
	}
}

func readValues(c *Call, field reflect.Value) error {
	values, err := c.query()
	field.Set(reflect.ValueOf(values))
	return err
}

func readBody(c *Call, field reflect.Value) error {
	in, err := c.json()
	if err != nil {
		return err
	}
	errs, _ := c.decode(in, field, "", nil)
	return errs.Err()
}

// Query returns the query of the request as it was sent, for parameters that may be given more than once.
// Faults: Invalid.
func (c *Call) Query() (url.Values, error) {
	return query.Parse(c.request.URL.RawQuery)
}

// query reads the declared parameters of the request.
// Faults: Invalid, which names every parameter that is malformed or not declared.
func (c *Call) query() (Values, error) {
	if c.values.All() != nil {
		return c.values, nil
	}
	raw, err := c.Query()
	if err != nil {
		return Values{}, err
	}
	v, errs := query.Read(c.route.Query, raw)
	if unknown := c.unknownParams(raw); c.Lenient() {
		c.ignored("", unknown)
	} else {
		errs.Merge(unknown)
	}
	if len(errs) == 0 {
		c.values = v
	}
	return v, errs.Err()
}
