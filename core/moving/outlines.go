package moving

import (
	"bytes"
	"encoding/json"
)

// OutlineFile is a file of outlines, for people and their tools.
type OutlineFile struct {
	File, Table string
	properties  []string
}

// Outlines are the files of outlines: those of fields as they are, and every outline that they had.
var Outlines = []OutlineFile{
	{"outlines/fields.geojson", "fields", []string{"uuid", "name", "farm_id", "area_ha", "external_id", "boundary_observed_on", "deleted_at"}},
	{"outlines/history.geojson", "field_boundaries", []string{"field_id", "area_m2", "valid_from", "valid_to"}},
}

// Feature returns a row as a GeoJSON feature; has is false where it has no outline.
func (o OutlineFile) Feature(text []byte) (feature []byte, has bool, err error) {
	line, err := ReadLine(text)
	if err != nil || line.Text("boundary") == nil {
		return nil, false, err
	}
	var out bytes.Buffer
	out.WriteString(`{"type":"Feature","id":`)
	out.Write(line["id"])
	out.WriteString(`,"properties":{`)
	for i, name := range o.properties {
		if i > 0 {
			out.WriteByte(',')
		}
		key, _ := json.Marshal(name) // a string is always JSON
		out.Write(key)
		out.WriteByte(':')
		if value, has := line[name]; has {
			out.Write(value)
		} else {
			out.WriteString("null")
		}
	}
	out.WriteString(`},"geometry":`)
	out.Write(line["boundary"])
	out.WriteByte('}')
	return out.Bytes(), true, nil
}
