package main

import (
	"bytes"
	"os"
	"slices"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

// allowed are the licences that the program may contain: they require attribution, and the Mozilla licence
// requires that the source of its own files, which we do not change, is available.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0"}

// Everything in the program may be distributed with it.
func TestEveryLicenceMayBeGivenAway(t *testing.T) {
	t.Chdir("../..")
	modules, err := modulesOf(t.Context(), program)
	require.NoError(t, err)
	require.Greater(t, len(modules), 20)
	require.True(t, modules[0].Main)
	for _, m := range modules {
		licences, err := licencesOf(m)
		require.NoError(t, err)
		require.NotEmpty(t, licences, "%s has no licence that is known here. Fix: read it, then teach identify", m.Path)
		for _, l := range licences {
			require.Contains(t, allowed, l, m.Path)
		}
	}
}

func TestTheBillListsEveryModule(t *testing.T) {
	t.Chdir("../..")
	var first, second bytes.Buffer
	require.NoError(t, write(t.Context(), &first))
	require.NoError(t, write(t.Context(), &second))
	require.Equal(t, first.String(), second.String())
	var bom cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(&first, cdx.BOMFileFormatJSON).Decode(&bom))
	require.Equal(t, "tilth", bom.Metadata.Component.Name)
	at := slices.IndexFunc(*bom.Components, func(c cdx.Component) bool { return c.Name == "modernc.org/sqlite" })
	require.GreaterOrEqual(t, at, 0)
	sqlite := (*bom.Components)[at]
	require.Equal(t, "pkg:golang/modernc.org/sqlite@"+sqlite.Version, sqlite.PackageURL)
	require.Equal(t, "BSD-3-Clause", (*sqlite.Licenses)[0].Expression)
	require.Len(t, *(*bom.Dependencies)[0].Dependencies, len(*bom.Components))
}

func TestLicencesAreIdentified(t *testing.T) {
	t.Parallel()
	ours, err := os.ReadFile("../../LICENSE")
	require.NoError(t, err)
	require.Equal(t, []string{"Apache-2.0"}, identify(string(ours)))
	require.Equal(t, []string{"AGPL"}, identify("GNU AFFERO GENERAL\nPUBLIC LICENSE\n Version 3"))
	require.Equal(t, []string{"GPL"}, identify("the GNU General Public License, version 2"))
	require.Equal(t, []string{"MPL-2.0"}, identify("Mozilla Public License, version 2.0 ... the GNU Affero General Public License"))
	require.Empty(t, identify("Do what you like."))
}
