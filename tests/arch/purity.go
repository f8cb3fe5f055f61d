package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
)

// impure are the packages of the standard library, with everything below them,
// that core must not use: they read the outside world, write to it, or roll dice.
var impure = []string{
	"crypto/rand", "database", "io/ioutil", "log", "math/rand", "net", "os", "plugin", "runtime", "syscall", "testing", "unsafe",
}

func forbiddenInCore(importPath string) bool {
	return slices.ContainsFunc(impure, func(p string) bool { return within(importPath, p) })
}

// clock are the names of package time that read or wait for the clock. Times
// and durations as values are welcome in core.
var clock = []string{"After", "AfterFunc", "Local", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}

// CheckClock reads the files of core's packages and returns a violation for
// every use of the clock, named by file and line. It returns an error when a
// file cannot be read or parsed.
func CheckClock(packages []Package) ([]Violation, error) {
	var found []Violation
	for _, p := range packages {
		if !withinAny(p.ImportPath, "core") {
			continue
		}
		for _, name := range p.GoFiles {
			uses, err := clockUses(path.Join(p.Dir, name), nil)
			if err != nil {
				return nil, err
			}
			for _, use := range uses {
				found = append(found, Violation{p.ImportPath, "", use})
			}
		}
	}
	return found, nil
}

// clockUses parses a file (source nil: read from disk) and returns a line for
// each mention of the clock, called or not: a stored time.Now is also a clock.
func clockUses(file string, source any) ([]string, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	local := localName(tree, "time")
	if local == "." {
		return []string{path.Base(file) + ": core names what it takes from time, so no dot import"}, nil
	}
	var found []string
	ast.Inspect(tree, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := selector.X.(*ast.Ident); ok && local != "" && of.Name == local && slices.Contains(clock, selector.Sel.Name) {
			at := set.Position(selector.Pos())
			found = append(found, fmt.Sprintf("%s:%d: core has no clock, so no time.%s", path.Base(file), at.Line, selector.Sel.Name))
		}
		return true
	})
	return found, nil
}

// localName returns the name by which a file knows an imported package, or the
// empty string when it does not import it.
func localName(tree *ast.File, importPath string) string {
	for _, spec := range tree.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}
