// Package moving defines the file in which everything that a company has leaves one installation and enters another:
// its manifest, what its ids become, and what makes it complete. It reads and writes no file. docs/moving.md is its
// description for people.
package moving
