package main

import (
	"reflect"
	"strings"

	"tilth/core/event"
)

// eventTypes describes every type of event, with the members of its payload.
func eventTypes() string {
	var b strings.Builder
	b.WriteString("# Types of events\n\n")
	b.WriteString("What `data` holds in the events of a [stream, a webhook](events.md) or a [broker](broker.md). New types and members may\n" +
		"be added at any time; ignore those that you do not know.\n\n")
	b.WriteString(head("type", "when"))
	for _, k := range event.Kinds() {
		b.WriteString(row(code(k.Type), cell(k.Meaning)))
	}
	for _, k := range event.Kinds() {
		b.WriteString("\n## " + k.Type + "\n\n" + k.Meaning + "\n\n" + head("member", "form"))
		members(&b, reflect.TypeOf(k.Payload), "")
	}
	b.WriteString("\nNext: [how events are received](events.md).\n")
	return b.String()
}

// members writes a row for each member of a payload, including those of nested objects.
func members(b *strings.Builder, t reflect.Type, within string) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		form, object := formOf(field.Type)
		b.WriteString(row(code(within+name), form))
		if object != nil {
			members(b, object, within+name+".")
		}
	}
}

// formOf returns the form of a member, and the type of the objects in it, if any.
func formOf(t reflect.Type) (text string, object reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		text, object = formOf(t.Elem())
		return text + ", or null", object
	case reflect.Slice:
		text, object = formOf(t.Elem())
		return "list: " + text, object
	case reflect.Struct:
		if t.PkgPath() == "time" {
			return "time", nil
		}
		return "object", t
	case reflect.Bool:
		return "true or false", nil
	case reflect.String:
		return "text", nil
	case reflect.Float64:
		return "number", nil
	default:
		return "whole number", nil
	}
}
