package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tilth/core/fault"
)

// validator holds one value against its schema, collects what is wrong under the names
// of the members, and writes the value again without what the schema does not know:
// unknown members, read-only members, and optional members that are null.
type validator struct {
	schemas *schemas
	out     bytes.Buffer
}

const required = "This field is required."

// value checks one value. Messages go to errs under key; errors inside of an object or
// an array are nested there.
func (v *validator) value(schema *huma.Schema, text []byte, errs fault.Fields, key string) {
	schema, nullable := v.schemas.resolve(schema)
	if string(text) == "null" && nullable {
		v.out.WriteString("null")
		return
	}
	if want := schema.Type; want != "" && !fits(want, text) {
		errs.Add(key, "Expected "+article(want)+", got "+nameOf(text)+".")
		return
	}
	switch schema.Type {
	case huma.TypeObject:
		nested := fault.Fields{}
		v.object(schema, text, nested)
		errs.Nest(key, nested)
		return
	case huma.TypeArray:
		v.array(schema, text, errs, key)
		return
	case huma.TypeString:
		v.checkString(schema, stringOf(text), errs, key)
	case huma.TypeInteger:
		checkInteger(schema, string(text), errs, key)
	case huma.TypeNumber:
		n, _ := strconv.ParseFloat(string(text), 64)
		checkRange(schema, n, errs, key)
	}
	v.out.Write(text)
}

// object checks the members of an object into errs.
func (v *validator) object(schema *huma.Schema, text []byte, errs fault.Fields) {
	if len(schema.Properties) == 0 {
		v.openObject(schema, text, errs)
		return
	}
	v.out.WriteByte('{')
	given := map[string]bool{}
	eachMember(text, func(name string, value []byte) {
		member := schema.Properties[name]
		if member == nil || member.ReadOnly {
			return
		}
		if string(value) == "null" && !v.keepsNull(schema, member, name) {
			return // as if it were not there
		}
		v.separate('{')
		v.name(name)
		v.value(member, value, errs, name)
		given[name] = true
	})
	v.out.WriteByte('}')
	for _, name := range schema.Required {
		if member := schema.Properties[name]; !given[name] && !member.ReadOnly {
			errs.Add(name, required)
		}
	}
}

// keepsNull reports whether null is a value of a member. It is where the member is
// required and a pointer. Slices, maps and raw objects may be null too, because nil ones
// are written so; for input that would make null a way around "required".
func (v *validator) keepsNull(object, member *huma.Schema, name string) bool {
	resolved, nullable := v.schemas.resolve(member)
	open := resolved.Type == huma.TypeArray || resolved.Type == huma.TypeObject && len(resolved.Properties) == 0
	return nullable && !open && slices.Contains(object.Required, name)
}

// openObject is an object whose members have no names known beforehand.
func (v *validator) openObject(schema *huma.Schema, text []byte, errs fault.Fields) {
	each, typed := schema.AdditionalProperties.(*huma.Schema)
	if !typed {
		v.out.Write(text)
		return
	}
	v.out.WriteByte('{')
	eachMember(text, func(name string, value []byte) {
		v.separate('{')
		v.name(name)
		v.value(each, value, errs, name)
	})
	v.out.WriteByte('}')
}

func (v *validator) array(schema *huma.Schema, text []byte, errs fault.Fields, key string) {
	nested, count := fault.Fields{}, 0
	seen, repeated := map[string]bool{}, false
	v.out.WriteByte('[')
	eachItem(text, func(i int, value []byte) bool {
		count++
		if schema.MaxItems != nil && count > *schema.MaxItems {
			return false
		}
		if schema.UniqueItems {
			repeated = repeated || seen[string(value)]
			seen[string(value)] = true
		}
		v.separate('[')
		v.value(schema.Items, value, nested, strconv.Itoa(i))
		return true
	})
	v.out.WriteByte(']')
	switch {
	case schema.MinItems != nil && count < *schema.MinItems:
		errs.Addf(key, "Give at least %d.", *schema.MinItems)
	case schema.MaxItems != nil && count > *schema.MaxItems:
		errs.Addf(key, "Give at most %d.", *schema.MaxItems)
	case repeated:
		errs.Add(key, "An item is given more than once.")
	default:
		errs.Nest(key, nested)
	}
}

func (v *validator) separate(open byte) {
	if b := v.out.Bytes(); len(b) > 0 && b[len(b)-1] != open {
		v.out.WriteByte(',')
	}
}

func (v *validator) name(name string) {
	quoted, _ := json.Marshal(name) // a string always encodes
	v.out.Write(quoted)
	v.out.WriteByte(':')
}

// fits reports whether a JSON value is of a schema type. A number is taken for an integer
// here, so that 3.5 gets a message of its own.
func fits(want string, text []byte) bool {
	switch c := text[0]; want {
	case huma.TypeObject:
		return c == '{'
	case huma.TypeArray:
		return c == '['
	case huma.TypeString:
		return c == '"'
	case huma.TypeBoolean:
		return c == 't' || c == 'f'
	default:
		return c == '-' || c >= '0' && c <= '9'
	}
}

func nameOf(text []byte) string {
	if len(text) == 0 {
		return "nothing"
	}
	switch text[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func article(want string) string {
	switch want {
	case huma.TypeInteger:
		return "an integer"
	case huma.TypeBoolean:
		return "true or false"
	case huma.TypeObject, huma.TypeArray:
		return "an " + want
	}
	return "a " + want
}

// choices lists the allowed words of an enumeration, shortened where they are many.
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
