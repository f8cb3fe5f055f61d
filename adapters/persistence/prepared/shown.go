package prepared

import (
	"regexp"
	"strings"
)

// shownStatement is how many bytes of a statement are shown.
const shownStatement = 2 << 10

// WithoutValues returns a statement with ? in place of every marked argument and every literal: 'text' with its quotes
// doubled, in which neither database interprets a backslash, and numbers. Several in a row become one ?; a long statement is cut.
func WithoutValues(text string) string {
	var out strings.Builder
	value := false // the last thing written was the place of a value
	place := func() {
		if !value {
			out.WriteByte('?')
		}
		value = true
	}
	for i := 0; i < len(text) && out.Len() < shownStatement; {
		c := text[i]
		switch {
		case c == mark:
			kind, _, next, err := readMark(text, i)
			if err != nil {
				return out.String()
			}
			if i = next; kind != varied {
				place()
			}
		case c == '\'':
			i = endOfText(text, i)
			place()
		case c >= '0' && c <= '9':
			for i < len(text) && (isWord(text[i]) || text[i] == '.') {
				i++
			}
			place()
		case isWord(c) || c == '$' || c == '"':
			end := endOfName(text, i)
			out.WriteString(text[i:end])
			i, value = end, false
		case value && (c == ',' || c == ' '):
			next := strings.TrimLeft(text[i:], ", ")
			if c == ',' && next != "" && (next[0] == mark || next[0] == '\'' || next[0] >= '0' && next[0] <= '9') {
				i = len(text) - len(next)
				continue
			}
			fallthrough
		default:
			out.WriteByte(c)
			i, value = i+1, false
		}
	}
	return out.String()
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// endOfText returns the place after the text literal that begins at i, or the end where it has none.
func endOfText(text string, i int) int {
	for i++; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 == len(text) || text[i+1] != '\'' {
			return i + 1
		}
		i++
	}
	return len(text)
}

// endOfName returns the place after the keyword, name or placeholder that begins at i.
func endOfName(text string, i int) int {
	if text[i] == '"' {
		if end := strings.IndexByte(text[i+1:], '"'); end >= 0 {
			return i + 1 + end + 1
		}
		return len(text)
	}
	for i++; i < len(text) && isWord(text[i]); i++ {
		continue
	}
	return i
}

// named finds the table of a statement.
var named = regexp.MustCompile(`^(?:FROM|INTO|UPDATE) +"?([a-z_]+)`)

// Headline returns the verb and the table of a statement without its values: SELECT farms. The table is the one outside
// of all brackets.
func Headline(shown string) string {
	verb, _, _ := strings.Cut(strings.TrimSpace(shown), " ")
	depth := 0
	for i := range len(shown) {
		switch shown[i] {
		case '(':
			depth++
		case ')':
			depth--
		case 'F', 'I', 'U':
			if table := named.FindStringSubmatch(shown[i:]); depth == 0 && table != nil {
				return verb + " " + table[1]
			}
		}
	}
	return verb
}
