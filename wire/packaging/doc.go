// Package packaging holds what Tilth is installed from: release makes the archives, Debian packages and images; debian,
// compose and kubernetes hold what goes into them or runs them. docs/install.md is for those who install Tilth.
package packaging
