package record

import "strings"

// Fold returns a text as names are compared and searched: what differs in its case alone is the same.
func Fold(text string) string { return strings.ToLower(strings.ToUpper(text)) }
