package clients_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
	"tilth/wire"
)

// generator writes the Go client. Releases before 2.6 cannot read OpenAPI 3.1.
const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

// mostLines bounds the Go client of the whole interface, formatted.
const mostLines = 30_000

// table is what the generated clients print about their import of many fields, before the rest of the walk.
const table = `table: 200 created, then 200 unchanged\n`

func TestMain(m *testing.M) { rig.Main(m) }

// Each recipe makes a farm with fields from a file, and reads the series of all of them.
func TestRecipes(t *testing.T) {
	server := rig.Start(t, rig.Options{Demo: true})
	t.Setenv("TILTH_URL", server.URL)
	t.Run("Python", func(t *testing.T) {
		has(t, "python3", "")
		walked(t, "", recipes(t, "."), "python3", "walk.py")
	})
	t.Run("R", func(t *testing.T) {
		has(t, "Rscript", "")
		if exec.CommandContext(t.Context(), "Rscript", "-e", "library(httr2); library(jsonlite)").Run() != nil {
			t.Skip("LEFT OUT: the recipe in R, which needs its packages httr2 and jsonlite. Fix: install r-cran-httr2 and r-cran-jsonlite.")
		}
		walked(t, "", recipes(t, "."), "Rscript", "walk.R")
	})
	t.Run("TypeScript", func(t *testing.T) {
		has(t, "npm", "TILTH_CLIENTS")
		in := copied(t, "typescript")
		run(t, in, "npm", "ci", "--no-audit", "--no-fund")
		run(t, in, "npm", "run", "generate")
		run(t, in, "npm", "run", "check")
		walked(t, table, in, "npm", "run", "-s", "start")
	})
	t.Run("Go", func(t *testing.T) {
		has(t, "go", "TILTH_CLIENTS")
		in := copied(t, "go")
		require.NoError(t, os.MkdirAll(filepath.Join(in, "tilth"), 0o700))
		run(t, in, "go", "run", generator, "-config", "oapi-codegen.yaml", "openapi.json")
		text, err := os.ReadFile(filepath.Join(in, "tilth", "tilth.gen.go"))
		require.NoError(t, err)
		require.LessOrEqual(t, bytes.Count(text, []byte{'\n'}), mostLines, "lines of the client of the whole interface")
		require.NoError(t, os.Mkdir(filepath.Join(in, "answers"), 0o700))
		program, err := os.ReadFile("testdata/answers.go")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(in, "answers", "answers.go"), program, 0o600))
		run(t, in, "go", "vet", "./...")
		walked(t, table, in, "go", "run", ".")
		require.Equal(t, "done\n", run(t, in, "go", "run", "./answers"))
	})
}

// Our document has none of the errors that linters of OpenAPI documents report, except the slashes at the end of paths.
func TestLinters(t *testing.T) {
	has(t, "npm", "TILTH_CLIENTS")
	in := copied(t, "../../tests/clients/linters")
	run(t, in, "npm", "ci", "--no-audit", "--no-fund")
	run(t, in, "npm", "run", "redocly")
	run(t, in, "npm", "run", "spectral")
}

// has skips a recipe if its language is not installed, or if its downloads were not requested.
func has(t *testing.T, program, asked string) {
	t.Helper()
	if asked != "" && os.Getenv(asked) == "" {
		t.Skip("LEFT OUT: the generated client, which downloads its generator. Fix: make clients.")
	}
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("LEFT OUT: the recipe, for there is no %s. Fix: install it.", program)
	}
}

// recipes returns a folder below docs/clients.
func recipes(t *testing.T, below string) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("../../docs/clients", below))
	require.NoError(t, err)
	return folder
}

// copied returns a copy of a folder of recipes, with the document beside it.
func copied(t *testing.T, below string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(recipes(t, below))))
	document, err := wire.Program{}.OpenAPI()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "openapi.json"), document, 0o600))
	return folder
}

func run(t *testing.T, folder, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", program, args, out)
	return string(out)
}

// walked runs a recipe to its end, where it prints a line for every field.
func walked(t *testing.T, before, folder, program string, args ...string) {
	t.Helper()
	require.Regexp(t, `^`+before+`(field \d+: \d+ dates, NDVI up to 0\.\d\d\n){3}$`, run(t, folder, program, args...))
}
