package body

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"tilth/core/fault"
)

// PatternName is the extension of a schema with the name of its pattern in messages.
const PatternName = "x-pattern-name"

// Schemas provides what a schema does not hold itself.
type Schemas interface {
	// Resolve follows references and sees through "this or null".
	Resolve(schema *huma.Schema) (resolved *huma.Schema, nullable bool)
	// Pattern returns the compiled pattern of a schema; nil where it has none.
	Pattern(schema *huma.Schema) *regexp.Regexp
}

// Members are the names of the members of an object, with the members below each; nil: any name.
type Members map[string]Members

// maxUnknown bounds the unknown names of a body that are compared with the known ones and reported.
const maxUnknown = 200

// Reader reads the objects of one body.
type Reader struct {
	Schemas Schemas
	// ReadOnly are members that are ignored, in addition to those that a schema marks as read-only.
	ReadOnly Members
	Also     []string // names that the object may have in addition to those of its schema; other code reads them
	unknown  int      // names found so far
}

// Object reads the next value of a decoder, which must be an object of a schema, and returns its text
// without what the schema does not accept: unknown members, read-only members, and optional members that
// are null. errs holds what is wrong, under the names of the members, and unknown the unknown members.
func (r *Reader) Object(in *jsontext.Decoder, schema *huma.Schema) (text []byte, errs, unknown fault.Fields) {
	var out bytes.Buffer
	v := validator{r, in, jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true))}
	found := findings{fault.Fields{}, fault.Fields{}, r.ReadOnly, r.Also}
	if kind := in.PeekKind(); kind == jsontext.KindBeginObject {
		schema, _ = r.Schemas.Resolve(schema)
		v.object(schema, found)
	} else {
		found.errs.Add(fault.NonField, Mismatch(huma.TypeObject, kind))
		_ = in.SkipValue()
	}
	return out.Bytes(), found.errs, found.unknown
}

// findings are the results for an object or an array: what is wrong, and the unknown names.
type findings struct {
	errs, unknown fault.Fields
	readOnly      Members
	also          []string
}

// below returns where to put the findings for a member, or for an item.
func (f findings) below(name string) findings {
	return findings{errs: fault.Fields{}, unknown: fault.Fields{}, readOnly: f.readOnly[name]}
}

func (f findings) nest(name string, below findings) {
	f.errs.Nest(name, below.errs)
	f.unknown.Nest(name, below.unknown)
}

// validator writes a copy of what it reads. Both texts are known to be well-formed until something
// is wrong; what is written after that is not read.
type validator struct {
	*Reader
	in  *jsontext.Decoder
	out *jsontext.Encoder
}

// copy copies the next token.
func (v *validator) copy() jsontext.Token {
	token, _ := v.in.ReadToken()
	_ = v.out.WriteToken(token)
	return token
}

// value checks the next value. Messages about it go under key; those about the inside of an object
// or an array are nested there.
func (v *validator) value(schema *huma.Schema, found findings, key string) {
	schema, nullable := v.Schemas.Resolve(schema)
	kind, errs := v.in.PeekKind(), found.errs
	switch {
	case schema.Type == "":
		v.copyValue()
	case kind == jsontext.KindNull && nullable:
		v.copy()
	case !fits(schema.Type, kind):
		errs.Add(key, Mismatch(schema.Type, kind))
		_ = v.in.SkipValue()
	case schema.Type == huma.TypeObject:
		nested := found.below(key)
		v.object(schema, nested)
		found.nest(key, nested)
	case schema.Type == huma.TypeArray:
		v.array(schema, found, key)
	case schema.Type == huma.TypeString:
		v.checkString(schema, v.copy().String(), errs, key)
	case schema.Type == huma.TypeInteger:
		checkInteger(schema, v.copy().String(), errs, key)
	case schema.Type == huma.TypeNumber:
		n, _ := v.copy().Float()
		checkRange(schema, n, errs, key)
	default:
		v.copy()
	}
}

func (v *validator) copyValue() {
	text, _ := v.in.ReadValue()
	_ = v.out.WriteValue(text)
}

// object checks the members of an object. An object without properties has members of any name.
func (v *validator) object(schema *huma.Schema, found findings) {
	each, typed := schema.AdditionalProperties.(*huma.Schema)
	if open := len(schema.Properties) == 0; open && !typed {
		v.copyValue()
		return
	} else if !open {
		each = nil
	}
	given := map[string]bool{}
	for v.copy(); v.in.PeekKind() != jsontext.KindEndObject; {
		token, _ := v.in.ReadToken()
		name := token.String()
		member := cmp.Or(each, schema.Properties[name])
		if member == nil {
			v.notKnown(schema, found, name)
		}
		if member == nil || member.ReadOnly || each == nil && v.in.PeekKind() == jsontext.KindNull && !v.keepsNull(schema, member, name) {
			_ = v.in.SkipValue() // a null counts as absent
			continue
		}
		given[name] = true
		_ = v.out.WriteToken(jsontext.String(name))
		v.value(member, found, name)
	}
	v.copy()
	for _, name := range schema.Required {
		if !given[name] && !schema.Properties[name].ReadOnly {
			found.errs.Add(name, "This field is required.")
		}
	}
}

// notKnown reports a member that the schema does not have, unless it is read-only or the schema is open.
func (v *validator) notKnown(schema *huma.Schema, found findings, name string) {
	_, readOnly := found.readOnly[name]
	if open, _ := schema.AdditionalProperties.(bool); readOnly || open || slices.Contains(found.also, name) {
		return
	}
	if v.unknown++; v.unknown > maxUnknown {
		found.unknown["…"] = nil
		found.unknown.Misplaced("…", "More names are not known here.")
		return
	}
	known := slices.Clone(found.also)
	for name, member := range schema.Properties {
		if !member.ReadOnly {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	found.unknown.Unknown(name, known)
}

// keepsNull reports whether null is a value of a member: it is if the member is required and a
// pointer. Slices, maps and raw objects are nullable too, because nil ones are written so; they are
// excluded, since in input null would be a way around "required".
func (v *validator) keepsNull(object, member *huma.Schema, name string) bool {
	resolved, nullable := v.Schemas.Resolve(member)
	open := resolved.Type == huma.TypeArray || resolved.Type == huma.TypeObject && len(resolved.Properties) == 0
	return nullable && !open && slices.Contains(object.Required, name)
}

func (v *validator) array(schema *huma.Schema, found findings, key string) {
	errs, nested, count := found.errs, found.below(key), 0
	nested.readOnly = Members{}
	seen, repeated := map[string]bool{}, false
	for v.copy(); v.in.PeekKind() != jsontext.KindEndArray; count++ {
		if schema.MaxItems != nil && count >= *schema.MaxItems {
			_ = v.in.SkipValue()
			continue
		}
		item := *v
		if schema.UniqueItems {
			text, _ := v.in.ReadValue()
			repeated = repeated || seen[string(text)]
			seen[string(text)] = true
			item.in = Decoder(text)
		}
		at := strconv.Itoa(count)
		nested.readOnly[at] = found.readOnly[key] // the read-only members of an item are those of the list
		item.value(schema.Items, nested, at)
		delete(nested.readOnly, at)
	}
	v.copy()
	switch {
	case schema.MinItems != nil && count < *schema.MinItems:
		errs.Addf(key, "Give at least %d.", *schema.MinItems)
	case schema.MaxItems != nil && count > *schema.MaxItems:
		errs.Addf(key, "Give at most %d.", *schema.MaxItems)
	case repeated:
		errs.Add(key, "An item is given more than once.")
	default:
		errs.Nest(key, nested.errs)
	}
	found.unknown.Nest(key, nested.unknown)
}

// fits reports whether a JSON value is of a schema type. Any number counts as an integer here, so
// that 3.5 gets a message of its own.
func fits(want string, got jsontext.Kind) bool {
	return kinds[got].schema == want || want == huma.TypeInteger && got == jsontext.KindNumber
}

// kinds are the kinds of JSON values: the schema type that each fits, and its name in messages.
var kinds = map[jsontext.Kind]struct{ schema, called string }{
	jsontext.KindBeginObject: {huma.TypeObject, "an object"},
	jsontext.KindBeginArray:  {huma.TypeArray, "an array"},
	jsontext.KindString:      {huma.TypeString, "a string"},
	jsontext.KindNumber:      {huma.TypeNumber, "a number"},
	jsontext.KindTrue:        {huma.TypeBoolean, "a boolean"},
	jsontext.KindFalse:       {huma.TypeBoolean, "a boolean"},
	jsontext.KindNull:        {"", "null"},
}

// Mismatch returns the message that a value is of another type than the schema requires.
func Mismatch(want string, got jsontext.Kind) string {
	article := "a "
	switch want {
	case huma.TypeInteger, huma.TypeObject, huma.TypeArray:
		article = "an "
	case huma.TypeBoolean:
		article, want = "true or ", "false"
	}
	return "Expected " + article + want + ", got " + kinds[got].called + "."
}

// choices lists the allowed words of an enumeration, shortened if there are many.
func choices(enum []any) string {
	const maxChoices = 12
	words := make([]string, 0, maxChoices+1)
	for i, e := range enum {
		if e == nil {
			continue // null is not offered as a word
		}
		if i == maxChoices {
			words = append(words, fmt.Sprintf("… (%d in all; see the API reference)", len(enum)))
			break
		}
		words = append(words, fmt.Sprint(e))
	}
	return strings.Join(words, ", ")
}
