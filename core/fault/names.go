package fault

// CodeUnknownName is the code of a refusal for nothing but names that are not known.
const CodeUnknownName = "unknown_name"

// Unknown adds the message of a name that is none of those known, with the nearest of them.
func (f Fields) Unknown(name string, known []string) {
	if nearest := Nearest(name, known); nearest != "" {
		f.Addf(name, "This name is not known here: did you mean %q?", nearest)
		return
	}
	f.Add(name, "This name is not known here.")
}

// Nearest returns the known name that a misspelt one is likely to mean; empty where none is near.
func Nearest(name string, known []string) (nearest string) {
	edits := max(2, len(name)/3) + 1
	for _, k := range known {
		if n := editsBetween(name, k); n < edits {
			nearest, edits = k, n
		}
	}
	return nearest
}

// editsBetween returns how many bytes are to be put in, taken out or changed to make one text of another (Levenshtein).
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
