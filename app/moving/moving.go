// Package moving holds the use cases with which a company leaves an installation, with everything that it has, and enters
// another. core/moving defines the file; docs/moving.md describes how people use it.
package moving

import (
	"fmt"

	"tilth/app/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// Mover writes companies to files and stores them from files. On the command line, access to the shell is the authority.
type Mover struct {
	Store   ports.Store
	Objects ports.Objects
	Files   ports.CompanyFiles
	Chains  *audit.Sequencer
	Clock   ports.Clock
	IDs     ports.IDs
	Version Version
}

// Version is the version of the program.
type Version string

func refuse(format string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, "company_file", "The file of the company cannot be taken: "+fmt.Sprintf(format, args...)+".")
}
