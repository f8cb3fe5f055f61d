package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

var unwatched = regexp.MustCompile(`(?m)^UNWATCHED := ((?:.*\\\n)*.*)$`)

// Unwatched returns the packages of this module that the Makefile builds without the race detector.
func Unwatched(makefile string) []string {
	var out []string
	if found := unwatched.FindStringSubmatch(makefile); found != nil {
		for _, name := range strings.Fields(strings.ReplaceAll(found[1], "\\\n", " ")) {
			if within(name, Module) {
				out = append(out, name)
			}
		}
	}
	return out
}

// CheckUnwatched returns a violation for every way in which the named packages share memory: the detector sees
// neither the order that they establish nor what breaks it. A pool is allowed, because it reports its order itself.
func CheckUnwatched(packages []Package, names []string) ([]Violation, error) {
	var found []Violation
	for _, name := range names {
		at := slices.IndexFunc(packages, func(p Package) bool { return p.ImportPath == name })
		if at < 0 {
			return nil, fmt.Errorf("the Makefile leaves %s unwatched, which is no package", name)
		}
		for _, file := range packages[at].GoFiles {
			uses, err := shares(path.Join(packages[at].Dir, file), nil)
			if err != nil {
				return nil, err
			}
			for _, use := range uses {
				found = append(found, Violation{name, "", use})
			}
		}
	}
	return found, nil
}

// shares parses a file (source nil: read from disk) and returns a line for each way in which it shares memory.
func shares(file string, source any) ([]string, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []string
	add := func(n ast.Node, what string) {
		found = append(found, fmt.Sprintf("%s:%d: %s in a package without the race detector", path.Base(file), set.Position(n.Pos()).Line, what))
	}
	if name := localName(tree, "sync/atomic"); name != "" {
		add(tree, "sync/atomic")
	}
	local := localName(tree, "sync")
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			add(n, "a goroutine")
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && local != "" && of.Name == local && n.Sel.Name != "Pool" {
				add(n, "sync."+n.Sel.Name)
			}
		}
		return true
	})
	return found, nil
}
