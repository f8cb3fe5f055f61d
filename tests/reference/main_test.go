package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pages agree with the code.
func TestPagesAreAsTheCode(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "docs")
	made, err := pages(dir)
	require.NoError(t, err)
	for name, text := range made {
		have, err := os.ReadFile(filepath.Join(dir, name+".md"))
		require.NoError(t, err)
		require.True(t, string(have) == text, "docs/%s.md is stale. Fix: make generate, and commit it.", name)
	}
}

func TestMembersOfPayloadsHaveNames(t *testing.T) {
	t.Parallel()
	require.NotContains(t, eventTypes(), "| `` |")
	require.NotContains(t, eventTypes(), ".` |")
}
