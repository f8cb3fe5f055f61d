// Package docs holds the guides as files, with their pictures, so that the program can show them. It has no code.
package docs

import "embed"

// Files are the guides, with the programs and tables that they link to.
//
//go:embed *.md pictures/*.svg observability examples clients/walk.R clients/walk.py replay.py
var Files embed.FS
