package assessment

import "tilth/core/fault"

// SectionSchema returns the JSON Schema of the body of one section, as that of an assessment holds it.
func (t *Table) SectionSchema(section string) (map[string]any, bool) {
	properties, _ := t.Schema()["properties"].(schema)
	out, ok := properties[section].(schema)
	return out, ok
}

// Details nests findings by their paths.
func Details(findings []Finding) fault.Fields {
	out := fault.Fields{}
	for _, f := range findings {
		put(out, f.Path, f.Message)
	}
	return out
}
