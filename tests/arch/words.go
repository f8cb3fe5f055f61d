package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// worst are words of an earlier house style that the vocabulary in CONTRIBUTING replaces,
// where they begin a doc comment ("gives") or appear in an identifier or a text.
var worst = struct{ verbs, texts, identifiers []string }{
	verbs:       []string{"gives"},
	texts:       []string{"Mend:"},
	identifiers: []string{"adorn", "most", "least"},
}

// CheckWords returns a violation for every doc comment, text and identifier that uses a word
// which the vocabulary replaces.
func CheckWords(packages []Package) ([]Violation, error) {
	var found []Violation
	for _, p := range packages {
		for _, name := range p.GoFiles {
			file, _, err := parseCounted(path.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			if p.ImportPath == Module+"/tests/arch" || ast.IsGenerated(file.syntax) {
				continue
			}
			for _, word := range wordsOf(file) {
				found = append(found, Violation{p.ImportPath, "", word})
			}
		}
	}
	return found, nil
}

func wordsOf(file parsed) (found []string) {
	add := func(pos token.Pos, what string) {
		at := file.set.Position(pos)
		found = append(found, fmt.Sprintf("%s:%d: %s", path.Base(at.Filename), at.Line, what))
	}
	doc := func(comment *ast.CommentGroup, name *ast.Ident) {
		second, _, _ := strings.Cut(strings.TrimPrefix(comment.Text(), name.Name+" "), " ")
		if comment != nil && slices.Contains(worst.verbs, second) {
			add(comment.Pos(), fmt.Sprintf("%s %q: a function returns", name.Name, second))
		}
	}
	ast.Inspect(file.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			doc(n.Doc, n.Name)
		case *ast.Field:
			if len(n.Names) > 0 {
				doc(n.Doc, n.Names[0])
			}
		case *ast.BasicLit:
			for _, text := range worst.texts {
				if n.Kind == token.STRING && strings.Contains(n.Value, text) {
					add(n.Pos(), fmt.Sprintf("%q: write Fix:", text))
				}
			}
		case *ast.Ident:
			for _, word := range worst.identifiers {
				if begins(n.Name, word) {
					add(n.Pos(), fmt.Sprintf("identifier %s: see the vocabulary", n.Name))
				}
			}
		}
		return true
	})
	return found
}

// begins reports whether a name is a word, or begins with it in camel case.
func begins(name, word string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(name[:1])+name[1:], word)
	return ok && (rest == "" || rest[0] >= 'A' && rest[0] <= 'Z')
}
