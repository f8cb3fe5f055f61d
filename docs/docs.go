// Package docs holds the guides as files, so that the program can show them. It has no code.
package docs

import "embed"

// Files are the guides, with the programs and tables that they link to.
//
//go:embed *.md observability examples clients/walk.R clients/walk.py replay.py
var Files embed.FS
