package chain

import (
	"encoding/json"
	"fmt"
)

// Changes returns the fields of the changes of an entry of a trail, each value guarded. A text that is not in the form
// that this program writes is one field as a whole, and ok is false.
func Changes(stored string) (fields []Field, ok bool) {
	for _, l := range []layout{ofTrail, ofPostgres} {
		if fields, ok = plainChanges(stored, l); ok {
			return fields, true
		}
	}
	return parsedChanges(stored)
}

// parsedChanges is [Changes] of any text.
func parsedChanges(stored string) (fields []Field, ok bool) {
	whole := []Field{{Name: "changes", Value: &stored}}
	var list []map[string]json.RawMessage
	if err := Decode([]byte(stored), &list); err != nil {
		return whole, false
	}
	for i, one := range list {
		var member string
		if err := json.Unmarshal(one["member"], &member); err != nil || len(one) != 3 {
			return whole, false
		}
		at := fmt.Sprintf("changes.%d.", i)
		fields = append(fields, Field{Name: at + "member", Value: &member})
		for _, side := range []string{"before", "after"} {
			value, err := Canonical(one[side])
			if err != nil {
				return whole, false
			}
			fields = append(fields, guarded(at+side, value))
		}
	}
	return fields, true
}
