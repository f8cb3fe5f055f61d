package chain

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// layout is how a change is written: what stands before each of its three values.
type layout struct {
	names  [3]string
	member int // which of the three names the member
	before int
	after  int
}

var (
	ofTrail    = layout{names: [3]string{`{"member":`, `,"before":`, `,"after":`}, member: 0, before: 1, after: 2}
	ofPostgres = layout{names: [3]string{`{"after": `, `, "before": `, `, "member": `}, member: 2, before: 1, after: 0} // it sorts by length
)

// Plain reports whether changes are written as the trail writes them, with values of one word each: null, true, false, a
// number or a text without escapes. False says nothing about them.
func Plain(stored string) bool {
	_, ok := plainChanges(stored, ofTrail)
	return ok
}

// plainChanges returns the fields of changes in a layout, if each of their values is one word, which nearly all are. Such a
// value is its own canonical form.
func plainChanges(stored string, l layout) (fields []Field, ok bool) {
	rest, ok := strings.CutPrefix(stored, "[")
	for i := 0; ok; i++ {
		var values [3]string
		for n, name := range l.names {
			if values[n], rest, ok = plainValue(rest, name); !ok {
				return nil, false
			}
		}
		member := values[l.member]
		if rest, ok = strings.CutPrefix(rest, "}"); !ok || member[0] != '"' {
			return nil, false
		}
		member = member[1 : len(member)-1]
		at := "changes." + strconv.Itoa(i) + "."
		fields = append(fields, Field{Name: at + "member", Value: &member}, guarded(at+"before", values[l.before]), guarded(at+"after", values[l.after]))
		if rest == "]" {
			return fields, true
		}
		if rest, ok = strings.CutPrefix(rest, ","); ok && l == ofPostgres {
			rest, ok = strings.CutPrefix(rest, " ")
		}
	}
	return nil, false
}

// guarded is a guarded field of a value in its canonical form.
func guarded(name, value string) Field {
	if value == "null" {
		return Field{Name: name, Guarded: true}
	}
	return Field{Name: name, Value: &value, Guarded: true}
}

// plainValue reads the value after a name.
func plainValue(text, name string) (value, rest string, ok bool) {
	if text, ok = strings.CutPrefix(text, name); !ok {
		return "", "", false
	}
	n := plainLength(text)
	return text[:n], text[n:], n > 0
}

// plainLength returns the length of the value of one word at the start of a text, 0 where there is none.
func plainLength(text string) int {
	for _, word := range []string{"null", "true", "false"} {
		if strings.HasPrefix(text, word) {
			return len(word)
		}
	}
	if !strings.HasPrefix(text, `"`) {
		return numberLength(text)
	}
	n := strings.IndexByte(text[1:], '"') + 1
	if n > 0 && asIs(text[1:n]) {
		return n + 1
	}
	return 0
}

// asIs reports whether JSON writes a text without any escape, even where HTML is escaped.
func asIs(text string) bool {
	var beyond byte // ASCII
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
		beyond |= c
	}
	return beyond < utf8.RuneSelf || utf8.ValidString(text) && !strings.Contains(text, "\u2028") && !strings.Contains(text, "\u2029")
}

// numberLength returns the length of the number at the start of a text: a decimal one without an exponent that is not a zero with a sign.
func numberLength(text string) int {
	digits := func(i int) int {
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		return i
	}
	whole := 0
	if strings.HasPrefix(text, "-") {
		whole = 1
	}
	end := digits(whole)
	if end == whole || text[whole] == '0' && end > whole+1 {
		return 0
	}
	if end < len(text) && text[end] == '.' {
		part := end + 1
		if end = digits(part); end == part {
			return 0
		}
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') || whole == 1 && strings.Trim(text[1:end], "0.") == "" {
		return 0
	}
	return end
}
