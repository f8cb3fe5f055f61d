package arch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// root is the module's folder, seen from this package.
const root = "../.."

// house lists the packages of the module as the go command sees them. Folders
// that hold only tests are listed without files.
func house(t *testing.T) []Package {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	// -e: a package that does not compile yet is still checked; the compiler reports it elsewhere.
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-json=ImportPath,Name,Dir,GoFiles,Imports", "./...")
	cmd.Dir = root
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	output, err := cmd.Output()
	require.NoError(t, err, complaints.String())

	var packages []Package
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p Package
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
}

func TestHouseKeepsTheImportRules(t *testing.T) {
	packages := house(t)
	require.Contains(t, importPaths(packages), Module+"/core/fault", "the list is not that of this module")
	for _, v := range Check(packages) {
		t.Error(v)
	}
}

func TestCoreHasNoClock(t *testing.T) {
	violations, err := CheckClock(house(t))
	require.NoError(t, err)
	for _, v := range violations {
		t.Error(v)
	}
}

// Only tests can set the clock of a process ahead.
func TestClockIsSetByTestsAlone(t *testing.T) {
	var in []string
	for _, p := range house(t) {
		if withinAny(p.ImportPath, "tests") {
			continue
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			require.NoError(t, err)
			if strings.Contains(string(text), "SetAhead(") {
				in = append(in, p.ImportPath)
			}
		}
	}
	require.Equal(t, []string{Module + "/adapters/identity"}, in, "where it is, and nobody who calls it")
}

// The linter checks the same rules a second time, adapter by adapter; a new
// adapter must not slip through it.
func TestLinterKnowsEveryAdapter(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".golangci.yaml"))
	require.NoError(t, err)
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]struct{ Files []string }
				}
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	rules := config.Linters.Settings.Depguard.Rules
	for _, room := range []string{"core", "ports", "app", "templates"} {
		require.Contains(t, rules, room)
	}
	for _, p := range house(t) {
		name := AdapterOf(p.ImportPath)
		if name == "" {
			continue
		}
		rule, ok := rules["adapters-"+name]
		if !ok {
			t.Errorf(".golangci.yaml has no depguard rule adapters-%s for %s", name, p.ImportPath)
			continue
		}
		require.Contains(t, rule.Files, "${config-path}/adapters/"+name+"/**", "rule adapters-%s", name)
	}
}

func importPaths(packages []Package) (paths []string) {
	for _, p := range packages {
		paths = append(paths, p.ImportPath)
	}
	return paths
}

func TestCheckNamesTheOffendingEdge(t *testing.T) {
	const (
		onlyCore     = "core imports the standard library, core, simplefeatures/geom and gonum only"
		impureCore   = "core has no clock, randomness, I/O or log"
		onlyPorts    = "ports import core only"
		onlyApp      = "app imports core and ports only"
		otherAdapter = "an adapter never imports another adapter"
		drivesApp    = "of the adapters only http, cli, console, messaging import app"
		ownLibrary   = "adapters import core, ports and their own library only"
		noTemplates  = "no templates: the linker would keep every method of the program (core/markup writes HTML and XML)"
		onlyWrapped  = "only tilth/adapters/http/document and tilth/adapters/http/query and tilth/adapters/http/member and tilth/adapters/http/body and tilth/adapters/http/schema import github.com/danielgtaylor/huma"
	)
	for _, c := range []struct {
		from, to, rule string // rule empty: allowed
	}{
		{"tilth/core/geo", "math", ""},
		{"tilth/core/geo", "time", ""},
		{"tilth/core/geo", "tilth/core/fault", ""},
		{"tilth/core/geo", "github.com/peterstace/simplefeatures/geom", ""},
		{"tilth/core/geo", "gonum.org/v1/gonum/stat", ""},
		{"tilth/core/geo", "github.com/peterstace/simplefeatures/geos", onlyCore},
		{"tilth/core/geo", "github.com/google/uuid", onlyCore},
		{"tilth/core/geo", "tilth/ports", onlyCore},
		{"tilth/core/geo", "tilth/corelike", onlyCore},
		{"tilth/core/geo", "os", impureCore},
		{"tilth/core/geo", "net/http", impureCore},
		{"tilth/core/geo", "log/slog", impureCore},
		{"tilth/core/geo", "math/rand/v2", impureCore},
		{"tilth/core/geo", "crypto/rand", impureCore},
		{"tilth/core/geo", "database/sql", impureCore},
		{"tilth/core/geo", "crypto/sha256", ""},

		{"tilth/ports", "tilth/core/farm", ""},
		{"tilth/ports", "context", ""},
		{"tilth/ports", "tilth/app", onlyPorts},
		{"tilth/ports", "gonum.org/v1/gonum/mat", onlyPorts},

		{"tilth/app/farm", "tilth/core/farm", ""},
		{"tilth/app/farm", "tilth/ports", ""},
		{"tilth/app/farm", "tilth/app/credit", ""},
		{"tilth/app/farm", "tilth/adapters/mail", onlyApp},
		{"tilth/app/farm", "github.com/uptrace/bun", onlyApp},

		{"tilth/adapters/persistence", "tilth/ports", ""},
		{"tilth/adapters/persistence", "github.com/uptrace/bun", ""},
		{"tilth/adapters/persistence/migrations", "tilth/adapters/persistence", ""},
		{"tilth/adapters/persistence", "tilth/adapters/permission", otherAdapter},
		{"tilth/adapters/imagery/cog", "tilth/adapters/imagery2/stac", otherAdapter},
		{"tilth/adapters/persistence", "tilth/app/farm", drivesApp},
		{"tilth/adapters/http/v12", "tilth/app/farm", ""},
		{"tilth/adapters/messaging", "tilth/app/farm", ""},
		{"tilth/adapters/http/v12", "tilth/wire", ownLibrary},
		{"tilth/adapters/http/v12", "tilth/tests/pgtest", ownLibrary},

		{"tilth/adapters/http/document", "github.com/danielgtaylor/huma/v2", ""},
		{"tilth/adapters/http/body", "github.com/danielgtaylor/huma/v2", ""},
		{"tilth/adapters/http/rest", "github.com/danielgtaylor/huma/v2", onlyWrapped},
		{"tilth/wire", "github.com/danielgtaylor/huma/v2/sse", onlyWrapped},

		{"tilth/adapters/http", "html/template", noTemplates},
		{"tilth/adapters/persistence", "text/template", noTemplates},
		{"tilth/core/markup", "text/template", noTemplates},
		{"tilth/tests/reference", "text/template", ""},
		{"tilth/wire", "tilth/adapters/http", ""},
		{"tilth/tests/contract", "github.com/danielgtaylor/huma/v2", ""},
	} {
		t.Run(c.from+" to "+c.to, func(t *testing.T) {
			got := Check([]Package{{ImportPath: c.from, Name: "x", Imports: []string{c.to}}})
			if c.rule == "" {
				require.Empty(t, got)
				return
			}
			require.Equal(t, []Violation{{c.from, c.to, c.rule}}, got)
			require.Equal(t, c.from+" → "+c.to+": "+c.rule, got[0].String())
		})
	}
}

func TestCheckKnowsRoomsAndPrograms(t *testing.T) {
	const rooms = "the rooms are core, ports, app, adapters/NAME, wire, tests and docs"
	const programs = "only tilth/wire/tilth and tools below tests are programs"
	for _, c := range []struct {
		path, name string
		rules      []string
	}{
		{"tilth/wire/tilth", "main", nil},
		{"tilth/tests/tools/x", "main", nil},
		{"tilth/adapters/cli", "main", []string{programs}},
		{"tilth/internal/x", "x", []string{rooms}},
		{"tilth", "tilth", []string{rooms}},
		{"tilth/adapters", "adapters", []string{rooms}},
		{"tilth/cmd/x", "main", []string{programs, rooms}},
	} {
		t.Run(c.path, func(t *testing.T) {
			var got []string
			for _, v := range Check([]Package{{ImportPath: c.path, Name: c.name}}) {
				require.Equal(t, c.path, v.From)
				got = append(got, v.Rule)
			}
			require.Equal(t, c.rules, got)
		})
	}
}

func TestClockIsFoundByAnyName(t *testing.T) {
	for _, c := range []struct {
		name, source string
		uses         []string
	}{
		{"called", "package x\nimport \"time\"\nvar a = time.Now()", []string{"x.go:3: core has no clock, so no time.Now"}},
		{"stored", "package x\nimport \"time\"\nvar a = time.Now", []string{"x.go:3: core has no clock, so no time.Now"}},
		{"renamed", "package x\nimport t \"time\"\nvar a = t.Since(t.Time{})", []string{"x.go:3: core has no clock, so no time.Since"}},
		{"dot import", "package x\nimport . \"time\"\nvar a = Now()", []string{"x.go: core names what it takes from time, so no dot import"}},
		{"values only", "package x\nimport \"time\"\nvar a = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Hour)", nil},
		{"another's Now", "package x\nvar a = clock.Now()", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			uses, err := clockUses("x.go", c.source)
			require.NoError(t, err)
			require.Equal(t, c.uses, uses)
		})
	}
	_, err := clockUses("x.go", "no Go at all")
	require.Error(t, err)
}

func TestHouseKeepsItsSize(t *testing.T) {
	violations, err := CheckSize(house(t))
	require.NoError(t, err)
	for _, v := range violations {
		t.Error(v)
	}
}

func TestHouseKeepsItsWords(t *testing.T) {
	violations, err := CheckWords(house(t))
	require.NoError(t, err)
	for _, v := range violations {
		t.Error(v)
	}
}

func TestUnwatchedPackagesShareNothing(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	names := Unwatched(string(makefile))
	require.Contains(t, names, Module+"/core/geo")
	violations, err := CheckUnwatched(house(t), names)
	require.NoError(t, err)
	for _, v := range violations {
		t.Error(v)
	}
	_, err = CheckUnwatched(nil, []string{Module + "/core/gone"})
	require.Error(t, err)

	found, err := shares("x.go", `package x
import ("sync"; "sync/atomic")
var (pool sync.Pool; once sync.Once; n atomic.Int64)
func f() { go f() }
`)
	require.NoError(t, err)
	require.Len(t, found, 3)
}
