package chain

import (
	"encoding/json"
	"fmt"
)

// Changes returns the fields of the changes of an entry of a trail, each value guarded. Where the text is not as this
// program writes it, it is a field of its own, and ok is false.
func Changes(stored string) (fields []Field, ok bool) {
	asIs := []Field{{Name: "changes", Value: &stored}}
	var list []map[string]json.RawMessage
	if err := Decode([]byte(stored), &list); err != nil {
		return asIs, false
	}
	for i, one := range list {
		var member string
		if err := json.Unmarshal(one["member"], &member); err != nil || len(one) != 3 {
			return asIs, false
		}
		at := fmt.Sprintf("changes.%d.", i)
		fields = append(fields, Field{Name: at + "member", Value: &member})
		for _, side := range []string{"before", "after"} {
			value, err := Canonical(one[side])
			if err != nil {
				return asIs, false
			}
			field := Field{Name: at + side, Guarded: true}
			if value != "null" {
				field.Value = &value
			}
			fields = append(fields, field)
		}
	}
	return fields, true
}
