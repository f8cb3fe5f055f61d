package credential

// Errors may repeat what a caller sent, to name what is wrong. A key, a token or the secret of a link that
// was sent in the wrong place is not repeated, because errors end up in the logs of callers.

// Hidden replaces what is not shown.
const Hidden = "(hidden)"

// shortest is the length from which a run of characters may be a credential.
const shortest = 20

// The kinds of characters that credentials consist of.
const (
	upperLetter = 1 << iota
	lowerLetter
	digit
	joiner
	random = upperLetter | lowerLetter | digit // words, UUIDs and digests have one case
)

func kindOf(c byte) int {
	switch {
	case 'A' <= c && c <= 'Z':
		return upperLetter
	case 'a' <= c && c <= 'z':
		return lowerLetter
	case '0' <= c && c <= '9':
		return digit
	case c == '_', c == '-':
		return joiner
	}
	return 0
}

// Hide replaces runs of characters that look random in the text of an error.
func Hide(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		run, kinds := 0, 0
		for run < len(text) && kindOf(text[run]) != 0 {
			kinds |= kindOf(text[run])
			run++
		}
		if run >= shortest && kinds&random == random {
			out = append(out, Hidden...)
		} else {
			out = append(out, text[:run]...)
		}
		if run < len(text) { // the character that ends a run is of no kind
			out = append(out, text[run])
			run++
		}
		text = text[run:]
	}
	return out
}
