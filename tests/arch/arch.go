// Package arch holds the import rules of the house and checks a list of packages
// against them. It is not a style linter, and it ignores test files: a test may
// import what it needs.
package arch

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Module is the path that every package of the house begins with.
const Module = "tilth"

// Package is what the rules look at; the JSON names are those of `go list -json`.
type Package struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string // names inside Dir, without tests
	Imports    []string // of GoFiles
}

// Violation is one broken rule: the package From, the import To (empty when the
// package itself is wrong), and the rule in words.
type Violation struct {
	From, To, Rule string
}

func (v Violation) String() string {
	if v.To == "" {
		return fmt.Sprintf("%s: %s", v.From, v.Rule)
	}
	return fmt.Sprintf("%s → %s: %s", v.From, v.To, v.Rule)
}

// pureLibraries are the modules that core may use besides the standard library.
var pureLibraries = []string{"github.com/peterstace/simplefeatures/geom", "gonum.org/v1/gonum"}

// drivingAdapters call the use cases, so they may import app.
var drivingAdapters = []string{"http", "cli", "console", "messaging"}

// soleImporters names, for a library that only some folders wrap, those folders.
// If the library has to go, they are what must be rewritten.
var soleImporters = map[string][]string{
	"github.com/danielgtaylor/huma": {
		Module + "/adapters/http/document", Module + "/adapters/http/query", Module + "/adapters/http/member",
		Module + "/adapters/http/body", Module + "/adapters/http/schema",
	},
	"github.com/minio/minio-go": {Module + "/adapters/objects"},
	"go.opentelemetry.io/otel":  {Module + "/adapters/telemetry"},
}

// templates call methods by a name that the linker does not know, so the linker keeps every method of every type: 12 MB
// of the program. core/markup writes HTML and XML instead.
var templates = []string{"text/template", "html/template"}

// binary is the one program; programs that help the tests live below tests.
const binary = Module + "/wire/tilth"

// Check returns every violation in packages, sorted by package, then import.
func Check(packages []Package) []Violation {
	var found []Violation
	for _, p := range packages {
		if p.Name == "main" && p.ImportPath != binary && !within(p.ImportPath, Module+"/tests") {
			found = append(found, Violation{p.ImportPath, "", "only " + binary + " and tools below tests are programs"})
		}
		if !knownRoom(p.ImportPath) {
			found = append(found, Violation{p.ImportPath, "", "the rooms are core, ports, app, adapters/NAME, wire, tests and docs"})
			continue
		}
		for _, imported := range p.Imports {
			if rule := broken(p.ImportPath, imported); rule != "" {
				found = append(found, Violation{p.ImportPath, imported, rule})
			}
		}
	}
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Rule, b.Rule))
	})
	return found
}

// broken returns the rule that the edge breaks, or the empty string.
func broken(from, to string) string {
	if within(from, Module+"/tests") {
		return ""
	}
	for library, owners := range soleImporters {
		if within(to, library) && !slices.ContainsFunc(owners, func(owner string) bool { return within(from, owner) }) {
			return "only " + strings.Join(owners, " and ") + " import " + library
		}
	}
	if slices.Contains(templates, to) {
		return "no templates: the linker would keep every method of the program (core/markup writes HTML and XML)"
	}
	switch room(from) {
	case "core":
		return brokenInCore(to)
	case "ports":
		if !standard(to) && !withinAny(to, "core", "ports") {
			return "ports import core only"
		}
	case "app":
		if !standard(to) && !withinAny(to, "core", "ports", "app") {
			return "app imports core and ports only"
		}
	case "adapters":
		return brokenInAdapter(from, to)
	case "docs":
		if to != "embed" {
			return "docs are files, embedded for wire"
		}
	}
	return ""
}

func brokenInCore(to string) string {
	if standard(to) {
		if forbiddenInCore(to) {
			return "core has no clock, randomness, I/O or log"
		}
		return ""
	}
	if withinAny(to, "core") || slices.ContainsFunc(pureLibraries, func(l string) bool { return within(to, l) }) {
		return ""
	}
	return "core imports the standard library, core, simplefeatures/geom and gonum only"
}

func brokenInAdapter(from, to string) string {
	if !within(to, Module) || withinAny(to, "core", "ports") {
		return ""
	}
	own := AdapterOf(from)
	switch {
	case withinAny(to, "app"):
		if slices.Contains(drivingAdapters, own) {
			return ""
		}
		return "of the adapters only " + strings.Join(drivingAdapters, ", ") + " import app"
	case AdapterOf(to) == own:
		return ""
	case AdapterOf(to) != "":
		return "an adapter never imports another adapter"
	}
	return "adapters import core, ports and their own library only"
}

// AdapterOf returns the first-level folder of adapters that a package belongs
// to, or the empty string.
func AdapterOf(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, Module+"/adapters/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// room returns the top-level folder of a package of the house.
func room(importPath string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(importPath, Module+"/"), "/")
	return name
}

func knownRoom(importPath string) bool {
	switch room(importPath) {
	case "core", "ports", "app", "wire", "tests":
		return within(importPath, Module)
	case "adapters":
		return AdapterOf(importPath) != ""
	case "docs":
		return importPath == Module+"/docs"
	}
	return false
}

func withinAny(importPath string, rooms ...string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool { return within(importPath, path.Join(Module, r)) })
}

// within reports whether a package is root or below it.
func within(importPath, root string) bool {
	return importPath == root || strings.HasPrefix(importPath, root+"/")
}

// standard reports whether a package belongs to the standard library: its first
// element has no dot, and it is not ours.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".") && first != Module
}
