// Package replay recomputes an exported version of an assessment from the file alone, as a witness independent of the
// engine: it shares no equation with the engine, and computes those that the trace prints.
package replay

import (
	"fmt"
	"math"
)

// NotReplayableError is the reason why a file cannot be replayed, and the fix.
type NotReplayableError struct{ Message string }

func (e NotReplayableError) Error() string { return e.Message }

func notReplayable(format string, args ...any) error {
	return NotReplayableError{fmt.Sprintf(format, args...)}
}

// Outcome is the result of a replay, in t CO2e as a report prints them.
type Outcome struct {
	Steps                             int // that were recomputed
	Emissions, Low, High              float64
	Removals, RemovedLow, RemovedHigh float64
	// Difference is the first one; nil where the file holds what its steps produce.
	Difference *Difference
	// Unused are the items of the snapshot that no step uses: those counted elsewhere, and those without an emission by the method.
	Unused []string
}

// Difference is the first place where a file differs from what its steps produce. Step is 0 where the difference belongs to no
// step: a line of the report has none, or the digest of the snapshot, of what was entered or of the evidence differs.
type Difference struct {
	Step       int
	Name, Item string
	Text       string // what the file holds, and what is expected
}

func (d *Difference) Error() string {
	if d.Step == 0 {
		return d.Text
	}
	at := d.Name
	if d.Item != "" {
		at += " of " + d.Item
	}
	return fmt.Sprintf("step %d (%s): %s", d.Step, at, d.Text)
}

// accuracy is the maximum relative difference between the result of a step and the recorded one: machines differ in the
// last digits of powers and logarithms. Figures that a report prints may be off by half a gram on top of it.
const accuracy = 1e-12

// Version recomputes totals and ranges of an exported version, the answer of GET …/submissions/{n}/. It returns a
// NotReplayableError for other files and for versions whose steps have no numbers.
func Version(file []byte) (Outcome, error) {
	v, err := read(file)
	if err != nil {
		return Outcome{}, err
	}
	w := &walk{formulas: map[string]formula{}, rows: map[string]argument{}, used: map[string]bool{}, lines: map[string]map[name]*sum{}}
	if w.snapshot, err = newTree(v.Snapshot); err != nil {
		return Outcome{}, notReplayable("The snapshot is not JSON: %v.", err)
	}
	if w.entered, err = newTree(v.Entered); err != nil {
		return Outcome{}, notReplayable("What was entered is not JSON: %v.", err)
	}
	for i := range v.Report.Trace {
		if d := w.step(&v.Report.Trace[i]); d != nil {
			out := w.outcome()
			out.Difference = d
			return out, nil
		}
	}
	out := w.outcome()
	for _, differs := range []func() *Difference{
		func() *Difference { return w.whole(v.Report) }, func() *Difference { return w.printed(v.Report) }, v.digests,
	} {
		if out.Difference = differs(); out.Difference != nil {
			break
		}
	}
	out.Unused = w.unused
	return out, nil
}

// outcome rounds the totals as a report does.
func (w *walk) outcome() Outcome {
	emissions, removals := w.total("emissions"), w.total("removals")
	return Outcome{
		Steps:     len(w.steps),
		Emissions: tonnes(emissions.value), Low: tonnes(emissions.low), High: tonnes(emissions.high),
		Removals: tonnes(removals.value), RemovedLow: tonnes(removals.low), RemovedHigh: tonnes(removals.high),
	}
}

// tonnes rounds kg as a report does, to the gram.
func tonnes(kg float64) float64 { return math.Round(kg/1000*1e6) / 1e6 }

// digests compares the snapshot, what was entered and the list of the files of evidence with their digests.
func (v *version) digests() *Difference {
	for _, part := range []struct {
		what, want string
		text       []byte
	}{{"snapshot", v.InputDigest, v.Snapshot}, {"entered", v.EnteredDigest, v.Entered}, {"evidence", v.EvidenceDigest, v.Evidence}} {
		if part.want == "" {
			continue
		}
		if got, err := digest(part.text); err != nil || got != part.want {
			return &Difference{Text: fmt.Sprintf("%s does not have the SHA-256 that the file states (%s): a value that no step uses differs.", part.what, part.want)}
		}
	}
	return nil
}
