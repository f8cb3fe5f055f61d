// Package attachment holds the files that people attach to records: invoices to assessments, photos to samples. It
// knows which kinds are accepted, and recognises them by their content.
package attachment

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tilth/core/record"
)

// The bounds of what is attached.
const (
	MaxName = 200 // characters
	MaxNote = 1000
)

// File is a file that is attached to a record.
type File struct {
	ID     int64
	Name   string
	Media  string // one of [Media]
	Size   int64  // bytes
	SHA256 string // hexadecimal
	Note   string
	At     time.Time  // of its upload
	By     record.Ref // without a name where the user is gone
	Object string     // its name among the objects
	record.External
}

// CleanName returns the name of a file without the folders that some browsers send, or what is wrong with it.
func CleanName(sent string) (name, wrong string) {
	name = strings.TrimSpace(sent[strings.LastIndexAny(sent, `/\`)+1:])
	switch {
	case name == "" || strings.Trim(name, ".") == "":
		return "", "Give the name of the file, such as invoice.pdf."
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.C, r) }):
		return "", "The name holds characters that cannot be shown."
	case utf8.RuneCountInString(name) > MaxName:
		return "", fmt.Sprintf("At most %d characters.", MaxName)
	}
	return name, ""
}
