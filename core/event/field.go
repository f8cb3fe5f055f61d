package event

// The types of events of fields that were replaced by others.
const (
	TypeFieldSplit   = "field_split"
	TypeFieldsMerged = "fields_merged"
)

// FieldsReplaced is the payload of field_split and fields_merged: the former fields, which are deleted, and those that replace them.
type FieldsReplaced struct {
	From []FieldRef `json:"from"`
	To   []FieldRef `json:"to"`
}

// FieldRef names a field.
type FieldRef struct {
	Field     int64  `json:"field"`
	FieldUUID string `json:"field_uuid"`
}
