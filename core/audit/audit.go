// Package audit defines the entries of the audit trail: who changed which record, when, and
// which members from which value to which. It does not store them.
package audit

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode"

	"tilth/core/access"
)

// Action is what was done to a record.
type Action string

// The actions on records. Resources with their own states add actions.
const (
	Create  Action = "create"
	Update  Action = "update"
	Delete  Action = "delete"
	Restore Action = "restore"
	Accept  Action = "accept"
	Decline Action = "decline"
	Revoke  Action = "revoke"
)

// Entry is one change of a record. Entries only change where values are erased, and are removed only by a purge of old ones.
type Entry struct {
	ID        int64
	CompanyID int64
	At        time.Time
	User      *access.Named // nil: the operator's command line
	Operator  bool          // the user is an operator, acting inside the company
	KeyID     int64         // the API key of the request; 0: none
	Action    Action
	Resource  string
	RecordID  int64
	Changes   []Change
}

// Change is one member of a record before and after. Before is nil where the record is new, After where it is gone; both
// are nil, bool, int64, float64, string, or a list or object of these.
type Change struct {
	Member string `json:"member"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// By returns an entry with its caller and time.
func By(who access.Principal, at time.Time) Entry {
	return Entry{
		CompanyID: who.CompanyID, At: at, User: &access.Named{ID: who.UserID, Name: who.Name},
		Operator: who.Operator, KeyID: who.KeyID,
	}
}

// Of returns the entry with an action on a record.
func (e Entry) Of(action Action, resource string, id int64, changes []Change) Entry {
	e.Action, e.Resource, e.RecordID, e.Changes = action, resource, id, changes
	return e
}

// CommandLine is the actor of entries without a user.
const CommandLine = "operator (command line)"

// Actor returns the name of who made the change.
func (e Entry) Actor() string {
	if e.User == nil {
		return CommandLine
	}
	return e.User.Name
}

// Summary is a value that the trail stores in a shorter form.
type Summary interface{ AuditValue() any }

// Skip is the tag of members left out: `audit:"-"` on secrets, hashes, and figures derived from other records.
const Skip = "audit"

// Diff returns the members in which two records differ, in the order of their type. A nil record has no members: the
// difference to it is every member that is not empty. Members are the exported fields of the struct and of those embedded
// in it, under their names in the interface; a reference to another record is stored as its id.
func Diff[T any](before, after *T) []Change {
	var old, fresh reflect.Value
	if before != nil {
		old = reflect.ValueOf(before).Elem()
	}
	if after != nil {
		fresh = reflect.ValueOf(after).Elem()
	}
	return diff(nil, reflect.TypeFor[T](), old, fresh)
}

func diff(out []Change, t reflect.Type, before, after reflect.Value) []Change {
	for _, p := range partsOf(t) {
		from, to := member(before, p.index), member(after, p.index)
		if p.within != nil {
			out = diff(out, p.within, from, to)
			continue
		}
		change := Change{p.name, plain(from), plain(to)}
		if differ(change.Before, change.After) || p.shortened && !same(from, to) {
			out = append(out, change)
		}
	}
	return out
}

// part is a member of a type of record.
type part struct {
	index     int
	name      string
	within    reflect.Type // the type of an embedded struct, whose members count; else nil
	shortened bool         // the trail stores less than its value
}

// parts holds the members of each type, which are found once.
var parts sync.Map // []part by reflect.Type

func partsOf(t reflect.Type) []part {
	if known, ok := parts.Load(t); ok {
		return known.([]part)
	}
	out := []part{}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || f.Tag.Get(Skip) == "-" {
			continue
		}
		p := part{index: i, name: name(f), shortened: f.Type.Implements(summary)}
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			p.within = f.Type
		}
		out = append(out, p)
	}
	parts.Store(t, out)
	return out
}

// differ reports whether two values of the trail differ.
func differ(a, b any) bool {
	if a == nil || b == nil {
		return a != nil || b != nil
	}
	return !reflect.DeepEqual(a, b)
}

// summary is the type whose values the trail shortens, so that the values themselves must be compared.
var summary = reflect.TypeFor[Summary]()

func same(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid() || !a.IsValid() && b.IsZero() || !b.IsValid() && a.IsZero()
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func member(record reflect.Value, i int) reflect.Value {
	if !record.IsValid() {
		return record
	}
	return record.Field(i)
}

// reference reports whether a type is a reference to another record.
func reference(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.NumField() != 2 && t.NumField() != 3 {
		return false
	}
	_, id := t.FieldByName("ID")
	_, named := t.FieldByName("Name")
	return id && named
}

// plain returns a member as the trail stores it: nil where it is empty. A pointer to false or 0 is not empty.
func plain(v reflect.Value) any {
	if !v.IsValid() || v.IsZero() {
		return nil
	}
	if v.Type() == text {
		return v.String()
	}
	return value(v)
}

var text = reflect.TypeFor[string]()

// value returns a non-empty value as the trail stores it.
func value(v reflect.Value) any {
	switch known := v.Interface().(type) {
	case Summary:
		return known.AuditValue()
	case time.Time:
		return moment(known)
	}
	switch {
	case v.Kind() == reflect.Pointer, v.Kind() == reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return value(v.Elem())
	case reference(v.Type()):
		return v.FieldByName("ID").Int()
	case v.CanInt():
		return v.Int()
	case v.CanFloat():
		return v.Float()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = value(v.Index(i))
		}
		return list
	case v.Kind() == reflect.Map && (v.Type().Key().Kind() == reflect.String || v.Type().Key().Kind() == reflect.Int):
		object := map[string]any{}
		for _, key := range v.MapKeys() {
			object[fmt.Sprint(key.Interface())] = value(v.MapIndex(key))
		}
		return object
	case v.Kind() == reflect.Struct:
		object := map[string]any{}
		for _, c := range diff(nil, v.Type(), reflect.Value{}, v) {
			object[c.Member] = c.After
		}
		return object
	}
	return fmt.Sprint(v.Interface())
}

// moment formats a civil date as a date, any other time to the second.
func moment(t time.Time) string {
	if t = t.UTC(); t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

// name returns a member's name in the interface: BoundaryObservedOn is boundary_observed_on, a reference Farm farm_id.
func name(f reflect.StructField) string {
	out := snake(f.Name)
	if reference(f.Type) {
		out += "_id"
	}
	return out
}

func snake(word string) string {
	var b strings.Builder
	letters := []rune(word)
	for i, r := range letters {
		begins := unicode.IsUpper(r) && i > 0 &&
			(!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
