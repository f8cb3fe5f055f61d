package record

import "strings"

// Fold returns the form of a text in which names are compared and searched: texts that differ only in case have the same form.
func Fold(text string) string { return strings.ToLower(strings.ToUpper(text)) }
