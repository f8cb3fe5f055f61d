package wire

import (
	"tilth/adapters/engine"
	"tilth/core/assessment"
)

// assessmentTable makes the table of sections from the mapping of input values to factors
// that is built in.
func assessmentTable() *assessment.Table {
	mapping, err := engine.Mapping()
	if err != nil {
		panic("wire: the built-in mapping is broken: " + err.Error())
	}
	return assessment.NewTable(mapping)
}
