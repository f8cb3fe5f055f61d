package ghg

import (
	"slices"
	"strings"
)

// What is known of the value of a row of the tables.
const (
	// Verified: the value was read in the table that the row names.
	Verified = "verified"
	// Secondary: the value was read in a tool, a data set or a text that repeats or adapts it, not where it was published first.
	Secondary = "secondary"
	// Unverified: the value was recalled and not read, or its source is ambiguous. Every trace shows the word.
	Unverified = "unverified"
)

// What is known of the range of a row. A row that is exact has none.
const (
	RangePublished = "published" // the source of the value prints it
	RangeRecalled  = "recalled"  // it was recalled and not read
	RangeAssumed   = "assumed"   // it is that of the kind of source, or of a row like it
)

// secondaryMarks are the words in the source (or the note) of a row that was read at second hand. docs/ghg.md prints them.
var secondaryMarks = []string{
	// The row says itself that another's copy was read.
	"seen in", " via ", "as republished", "quoted", "secondary source", "Farm News", "news article",
	// The row names a calculator or a collection of other people's figures.
	"AIA", "AMEE", "BioGrace", "CCAFS", "Cool Farm", "FaST", "GOBLIN", "HESTIA", "Holos", "afsetools", "gnocpy",
	// The row follows from rows of these.
	"derived: production.", "from production.", "same as ammonium nitrate", "derived from the four rows above",
}

// assumedMarks are the words in the note of a row that prints a range which is not of its source.
var assumedMarks = []string{"range assumed", "% assumed", "range of cattle manure"}

// SecondaryMarks returns the words by which the source of a row is known to be a secondary one.
func SecondaryMarks() []string { return slices.Clone(secondaryMarks) }

// judge puts on a row what is known of its value and of its range, from what its table says of it.
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

// Evidence counts the rows of the tables that move a figure, by what is known of them. What is exact by definition moves
// nothing and is not counted; nor are the user's own factors and the warming potentials.
type Evidence struct {
	Factors        int `json:"factors" doc:"Rows of the tables that move the figure."`
	Secondary      int `json:"secondary" doc:"Of them, those whose value was read in a secondary source."`
	Unverified     int `json:"unverified" doc:"Of them, those whose value was recalled, not read, or whose source is ambiguous."`
	RangesRecalled int `json:"ranges_recalled" doc:"Of them, those whose range was recalled, not read."`
	RangesAssumed  int `json:"ranges_assumed" doc:"Of them, those whose range is that of the kind of their source."`
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
