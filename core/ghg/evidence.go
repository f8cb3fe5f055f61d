package ghg

import (
	"slices"
	"strings"
)

// How well the value of a row of the tables is known.
const (
	// Verified: the value was read in the table that the row names.
	Verified = "verified"
	// Secondary: the value was read in a tool, a data set or a text that repeats or adapts it, not where it was published first.
	Secondary = "secondary"
	// Unverified: the value was recalled and not read, or its source is ambiguous. Every trace shows the word.
	Unverified = "unverified"
)

// Where the range of a row comes from. An exact row has no range.
const (
	RangePublished = "published" // the source of the value prints it
	RangeRecalled  = "recalled"  // it was recalled and not read
	RangeAssumed   = "assumed"   // it is that of the kind of source, or of a similar row
)

// secondaryMarks are the words in the source (or the note) that mark a row as read at second hand. docs/ghg.md lists them.
var secondaryMarks = []string{
	// The row itself states that a copy was read.
	"seen in", " via ", "as republished", "quoted", "secondary source", "Farm News", "news article",
	// The row names a calculator or a collection of other people's figures.
	"AIA", "AMEE", "BioGrace", "CCAFS", "Cool Farm", "FaST", "GOBLIN", "HESTIA", "Holos", "afsetools", "gnocpy",
	// The row is derived from such rows.
	"derived: production.", "from production.", "same as ammonium nitrate", "derived from the four rows above",
}

// assumedMarks are the words in the note (or the source) of a row whose printed range is not that of its source.
var assumedMarks = []string{"range assumed", "% assumed", "range of cattle manure"}

// SecondaryMarks returns the words that mark the source of a row as secondary.
func SecondaryMarks() []string { return slices.Clone(secondaryMarks) }

// judge sets the status of a row's value and of its range from the source and the note in its table.
func (f *Factor) judge() {
	said := func(mark string) bool { return strings.Contains(f.Source, mark) || strings.Contains(f.Note, mark) }
	if f.Status == Verified && slices.ContainsFunc(secondaryMarks, said) {
		f.Status = Secondary
	}
	switch {
	case !f.Ranged:
	case f.rangeOf != "", slices.ContainsFunc(assumedMarks, said):
		f.RangeStatus = RangeAssumed
	case said("recalled"), f.Status == Unverified:
		f.RangeStatus = RangeRecalled
	default:
		f.RangeStatus = RangePublished
	}
}

// Evidence counts the rows of the tables that move a figure, by their status. Rows that are exact by definition move
// nothing and are not counted; nor are the user's own factors and the warming potentials.
type Evidence struct {
	Factors        int `json:"factors" doc:"Number of rows of the tables that affect the figure."`
	Secondary      int `json:"secondary" doc:"Number of them whose value was read in a secondary source."`
	Unverified     int `json:"unverified" doc:"Number of them whose value was recalled, not read, or whose source is ambiguous."`
	RangesRecalled int `json:"ranges_recalled" doc:"Number of them whose range was recalled, not read."`
	RangesAssumed  int `json:"ranges_assumed" doc:"Number of them whose range is that of the kind of their source."`
}

// Status is the weakest status of the values; empty where no row is counted.
func (e Evidence) Status() string {
	switch {
	case e.Factors == 0:
		return ""
	case e.Unverified > 0:
		return Unverified
	case e.Secondary > 0:
		return Secondary
	}
	return Verified
}

// RangeStatus is the weakest status of the ranges; empty where no row is counted.
func (e Evidence) RangeStatus() string {
	switch {
	case e.Factors == 0:
		return ""
	case e.RangesAssumed > 0:
		return RangeAssumed
	case e.RangesRecalled > 0:
		return RangeRecalled
	}
	return RangePublished
}

func (e *Evidence) count(f *Factor) {
	if f.Status == "" {
		return // entered by the user
	}
	e.Factors++
	switch f.Status {
	case Secondary:
		e.Secondary++
	case Unverified:
		e.Unverified++
	}
	switch f.RangeStatus {
	case RangeRecalled:
		e.RangesRecalled++
	case RangeAssumed:
		e.RangesAssumed++
	}
}
