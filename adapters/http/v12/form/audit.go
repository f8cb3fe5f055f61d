package form

import (
	"tilth/adapters/http/member"
	"tilth/core/audit"
)

// AuditChange is a member of a record, before and after.
type AuditChange struct {
	Member string       `json:"member" doc:"The member that changed, by its name in the interface; a reference to another record by its id."`
	Before member.Value `json:"before" doc:"Null where there was nothing. A boundary is shown by its figures."`
	After  member.Value `json:"after" doc:"The new value; null where it was cleared."`
}

// ChangeOf returns a change of a trail for an answer.
func ChangeOf(c audit.Change) AuditChange {
	return AuditChange{c.Member, member.Value{V: c.Before}, member.Value{V: c.After}}
}
