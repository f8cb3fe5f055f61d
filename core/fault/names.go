package fault

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// CodeUnknownName is the code of a refusal for names that are not known, whatever else is wrong.
const CodeUnknownName = "unknown_name"

// The bounds of what is reported about unknown names: a body has room for many, and for long ones.
const (
	maxNamed  = 60 // characters that are repeated of a name
	maxListed = 10 // in the message of a fault
)

// unknownName holds the messages about a name that is not known.
type unknownName []string

// Unknown adds the message about a name that is not among those known, with the nearest of these.
func (f Fields) Unknown(name string, known []string) {
	message := "This name is not known here."
	if nearest := Nearest(name, known); nearest != "" {
		message = "This name is not known here" + Meant(nearest)
	}
	f.Misplaced(name, message)
}

const meant = ": did you mean "

// Meant returns the end of the message about an unknown name, with the name that was probably meant.
func Meant(nearest string) string { return meant + "\"" + nearest + "\"?" }

// Misplaced adds a message about a name that is not known here; the message says where it belongs.
func (f Fields) Misplaced(name, message string) {
	if utf8.RuneCountInString(name) > maxNamed {
		name = string([]rune(name)[:maxNamed]) + "…"
	}
	f[name] = append(unknownName(Messages(f[name])), message)
}

// Unknowns returns the paths of the names that are not known, such as fertilizers[2].amout, sorted.
func (f Fields) Unknowns() []string {
	var out []string
	f.unknowns("", func(path, _ string) { out = append(out, path) })
	return out
}

func (f Fields) unknowns(prefix string, found func(path, message string)) {
	for _, key := range slices.Sorted(maps.Keys(f)) {
		switch v := f[key].(type) {
		case unknownName:
			found(Path(prefix, key), v[0])
		case Fields:
			v.unknowns(Path(prefix, key), found)
		}
	}
}

// OnlyUnknown reports whether nothing is wrong except unknown names.
func (f Fields) OnlyUnknown() bool { return onlyUnknown(f) }

// onlyUnknown reports whether a value of fields is nested fields that hold nothing but messages about unknown names.
func onlyUnknown(value any) bool {
	below, ok := value.(Fields)
	for _, v := range below {
		if _, unknown := v.(unknownName); !unknown && !onlyUnknown(v) {
			return false
		}
	}
	return ok
}

// Path returns the path of a field below another, as clients write it: fertilizers[3].rate.unit.
func Path(prefix, key string) string {
	switch {
	case key == NonField:
		return prefix
	case key != "" && strings.Trim(key, "0123456789") == "": // the index of an item
		return prefix + "[" + key + "]"
	case prefix == "":
		return key
	}
	return prefix + "." + key
}

// Naming returns the same fault. If its fields have names that are not known, it takes their code and names them in its message.
func (e *Error) Naming() *Error {
	var says []string
	e.Fields.unknowns("", func(path, message string) {
		if _, nearest, near := strings.Cut(message, meant); near {
			path += " (did you mean " + nearest + ")"
		}
		says = append(says, path)
	})
	if len(says) == 0 {
		return e
	}
	if len(says) > maxListed {
		says = append(says[:maxListed], "…")
	}
	e.Code = CodeUnknownName
	e.Message = strings.TrimSpace("Names that are not known here: " + strings.Join(says, ", ") + ". " + e.Message)
	return e
}

// Nearest returns the known name that a misspelt one is likely to mean; empty where none is near.
func Nearest(name string, known []string) (nearest string) {
	if len(name) > 2*maxNamed {
		return ""
	}
	edits := max(2, len(name)/3) + 1
	name = strings.ToLower(name)
	for _, k := range known {
		if n := editsBetween(name, strings.ToLower(k)); n < edits {
			nearest, edits = k, n
		}
	}
	return nearest
}

// editsBetween returns the number of bytes to insert, delete or change to turn one text into another (Levenshtein).
func editsBetween(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
