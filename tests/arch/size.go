package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
)

// Bounds of a package and of a function. A package is counted without its tests.
const (
	maxFiles      = 30
	maxLines      = 4_500
	maxParameters = 6
)

// CheckSize returns a violation for every package over the bounds and every function with
// too many parameters. Generated files and packages below tests are left out. It returns an
// error when a file cannot be read or parsed.
func CheckSize(packages []Package) ([]Violation, error) {
	var found []Violation
	for _, p := range packages {
		if withinAny(p.ImportPath, "tests") {
			continue
		}
		files, lines := 0, 0
		for _, name := range p.GoFiles {
			file, n, err := parseCounted(path.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			if ast.IsGenerated(file.syntax) {
				continue
			}
			files, lines = files+1, lines+n
			for _, function := range crowded(file) {
				found = append(found, Violation{p.ImportPath, "", fmt.Sprintf("%s takes more than %d parameters", function, maxParameters)})
			}
		}
		if files > maxFiles {
			found = append(found, Violation{p.ImportPath, "", fmt.Sprintf("%d files are more than %d", files, maxFiles)})
		}
		if lines > maxLines {
			found = append(found, Violation{p.ImportPath, "", fmt.Sprintf("%d lines are more than %d", lines, maxLines)})
		}
	}
	return found, nil
}

type parsed struct {
	set    *token.FileSet
	syntax *ast.File
}

func parseCounted(name string) (parsed, int, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return parsed{}, 0, err
	}
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return parsed{set, syntax}, bytes.Count(text, []byte("\n")), err
}

// crowded names the functions of a file, literals included, that take too many parameters.
func crowded(file parsed) (names []string) {
	inside := "a function"
	ast.Inspect(file.syntax, func(n ast.Node) bool {
		var kind *ast.FuncType
		var name string
		switch n := n.(type) {
		case *ast.FuncDecl:
			inside = n.Name.Name
			kind, name = n.Type, inside
		case *ast.FuncLit:
			kind, name = n.Type, "a literal in "+inside
		default:
			return true
		}
		if kind.Params.NumFields() > maxParameters {
			at := file.set.Position(kind.Pos())
			names = append(names, fmt.Sprintf("%s (%s:%d)", name, path.Base(at.Filename), at.Line))
		}
		return true
	})
	return names
}
