package record

import "tilth/core/fault"

// maxExternal bounds each member of External, in characters.
const maxExternal = 255

// External is the origin of a record that is kept in step with another system.
type External struct {
	ExternalID string // its key there, unique among a company's live records of a kind; empty: none
	Source     string // the name of that system
}

// Foreign is a record that carries its origin.
type Foreign interface{ Origin() *External }

// Origin returns the origin itself, so that a record that embeds it is Foreign.
func (e *External) Origin() *External { return e }

// Check adds what is wrong with the origin itself.
func (e External) Check(f fault.Fields) {
	f.Text("external_id", e.ExternalID, maxExternal)
	f.Text("source", e.Source, maxExternal)
}
