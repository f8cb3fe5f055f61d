// Package assessment is the record of a year's greenhouse gases of a farm or a field: its general part and the fifteen
// sections people fill in. One table ([NewTable]) defines what each section holds; the validator, the form's schema,
// completeness, the checks before submission, the columns of a file and the normalised snapshot the engine reads are
// all made from it. It calculates no emission: that is tilth/core/ghg.
package assessment
