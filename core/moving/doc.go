// Package moving defines the file in which everything that a company has leaves an installation and enters another one: its
// manifest, what its ids become, and what makes it whole. It reads and writes no file. docs/moving.md is its description for
// people.
package moving
