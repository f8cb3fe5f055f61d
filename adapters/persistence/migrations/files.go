// Package migrations holds the statements of the schema's versions. They are templates
// over the words that the two databases spell differently.
package migrations

import "embed"

// Files are NUMBER_NAME.up.sql, and what takes each back: NUMBER_NAME.down.sql.
//
//go:embed *.sql
var Files embed.FS
