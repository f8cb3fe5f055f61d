package assessment

import (
	"slices"
	"strings"
)

// text returns a member that is text; empty where it is missing.
func (v Values) text(key string) string {
	s, _ := v[key].(string)
	return s
}

// number returns a member that is a number; nil where it is missing.
func (v Values) number(key string) *float64 {
	if n, ok := v[key].(float64); ok {
		return &n
	}
	return nil
}

// numberOr returns a member that is a number, or else the usual value.
func (v Values) numberOr(key string, usual float64) float64 {
	if n, ok := v[key].(float64); ok {
		return n
	}
	return usual
}

func (v Values) flag(key string) bool {
	b, _ := v[key].(bool)
	return b
}

// amount returns the parts of a member that is an amount; ok is false unless both are present.
func (v Values) amount(key string) (value float64, unit string, ok bool) {
	object, _ := v[key].(map[string]any)
	value, hasValue := object["value"].(float64)
	unit, hasUnit := object["unit"].(string)
	return value, unit, hasValue && hasUnit
}

// in returns a member that is an amount in another unit; nil where it is missing or cannot be converted.
func (v Values) in(key string, convert func(value float64, unit string) (float64, bool)) *float64 {
	value, unit, given := v.amount(key)
	if out, ok := convert(value, unit); given && ok {
		return &out
	}
	return nil
}

// unit returns the unit of a member that is an amount.
func (v Values) unit(key string) string {
	object, _ := v[key].(map[string]any)
	unit, _ := object["unit"].(string)
	return unit
}

// items returns the objects of a member that is a nested list.
func (v Values) items(key string) []Values {
	list, _ := v[key].([]any)
	out := make([]Values, len(list))
	for i, item := range list {
		out[i], _ = item.(map[string]any)
	}
	return out
}

// holds reports whether a condition on the same object is met.
func (c Condition) holds(v Values) bool {
	if name, isUnit := strings.CutSuffix(c.Field, ".unit"); isUnit {
		return slices.Contains(c.In, v.unit(name))
	}
	if len(c.In) == 0 {
		_, given := v[c.Field]
		return given
	}
	return slices.Contains(c.In, v.text(c.Field))
}

// first returns the object of an object section; nil where nothing is entered.
func (s Sheet) first(section string) Values {
	if rows := s[section]; len(rows) > 0 {
		return rows[0].Values
	}
	return nil
}

// CropType returns the crop that a sheet declares; empty where it states none.
func (s Sheet) CropType() string { return s.first(secCrop).text("crop_type") }
