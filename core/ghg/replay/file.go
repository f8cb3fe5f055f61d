package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// version is the part of an exported version that a replay reads. The types are its own: it shares none with the engine.
type version struct {
	InputDigest    string          `json:"input_digest"`
	EnteredDigest  string          `json:"entered_digest"`
	EvidenceDigest string          `json:"evidence_digest"`
	Snapshot       json.RawMessage `json:"snapshot"`
	Entered        json.RawMessage `json:"entered"`
	Evidence       json.RawMessage `json:"evidence"`
	Report         *report         `json:"report"`
}

type report struct {
	Engine struct{ ID, Version string } `json:"engine"`
	Unit   struct {
		AreaHa   *float64 `json:"area_ha"`
		ProductT *float64 `json:"product_t"`
	} `json:"functional_unit"`
	Totals struct {
		Emissions, Removals, Balance float64
		EmissionsPerHa               *float64 `json:"emissions_per_ha"`
		RemovalsPerHa                *float64 `json:"removals_per_ha"`
		EmissionsPerT                *float64 `json:"emissions_per_t"`
	} `json:"totals"`
	Allocation struct {
		MainSharePct float64 `json:"main_share_pct"`
	} `json:"allocation"`
	Range         bounds    `json:"uncertainty"`
	RemovalsRange bounds    `json:"removals_uncertainty"`
	BySource      []shown   `json:"by_source"`
	Removals      []shown   `json:"removals_by_source"`
	Warnings      []warning `json:"warnings"`
	Trace         []line    `json:"trace"`
}

type warning struct{ Item string }

type bounds struct{ Low, High float64 }

// shown is a line of the report.
type shown struct {
	name
	CO2e float64 `json:"co2e"`
	bounds
}

// name identifies a line of a report.
type name struct {
	Model, Label, Section string
	Scope                 int
}

// line is a step of the trace.
type line struct {
	Number               int
	Step, Item, Equation string
	Inputs, Factors      []argument
	Result               float64
	Label, Sets          string
	Total                *total
}

type argument struct {
	Symbol       string
	Value        float64
	From         int
	Input        string
	Entered      string
	Constant     string
	Row, Key     string // of an input, of a factor
	Lower, Upper *float64
}

type total struct {
	Of string
	name
	bounds
}

// read returns the version in the answer of GET …/submissions/{n}/, or in the value of its member data.
func read(file []byte) (*version, error) {
	var answer struct{ Data json.RawMessage }
	if err := json.Unmarshal(file, &answer); err != nil {
		return nil, notReplayable("The file is not a JSON object: %v. Fix: export the version with GET …/submissions/{n}/.", err)
	}
	if answer.Data != nil {
		file = answer.Data
	}
	v := new(version)
	if err := json.Unmarshal(file, v); err != nil {
		return nil, notReplayable("The file is not an exported version: %v.", err)
	}
	switch {
	case v.Report == nil || len(v.Snapshot) == 0:
		return nil, notReplayable("The file contains no report with its snapshot. Fix: export the version with GET …/submissions/{n}/.")
	case len(v.Report.Trace) == 0 && !v.Report.empty():
		return nil, notReplayable("The report of the engine %s %s has no trace. Fix: submit the assessment with the built-in engine.", v.Report.Engine.ID, v.Report.Engine.Version)
	}
	for _, l := range v.Report.Trace {
		if l.Number == 0 {
			return nil, notReplayable("The steps have no numbers: the version was calculated by the engine %s %s before steps were numbered, or by an external engine. "+
				"Fix: submit the assessment again with the built-in engine of this program, and export the new version.", v.Report.Engine.ID, v.Report.Engine.Version)
		}
	}
	return v, nil
}

// empty reports whether the report has no figure, and so no step.
func (r *report) empty() bool {
	return len(r.BySource) == 0 && len(r.Removals) == 0 && r.Totals.Emissions == 0 && r.Totals.Removals == 0
}

// tree is a JSON value whose members are looked up by paths such as fertilizers[0].rate.value.
type tree struct{ root any }

func newTree(text json.RawMessage) (tree, error) {
	var t tree
	if len(text) == 0 {
		return t, nil
	}
	err := json.Unmarshal(text, &t.root)
	return t, err
}

// number returns the number at a path; ok is false where there is none.
func (t tree) number(path string) (v float64, ok bool) {
	v, ok = t.at(path).(float64)
	return v, ok
}

// at returns the value at a path; nil where there is none.
func (t tree) at(path string) any {
	at := t.root
	for _, part := range strings.Split(path, ".") {
		member, rest, _ := strings.Cut(part, "[")
		object, _ := at.(map[string]any)
		at = object[member]
		for rest != "" {
			var index string
			index, rest, _ = strings.Cut(rest, "]")
			rest = strings.TrimPrefix(rest, "[")
			i, err := strconv.Atoi(index)
			list, _ := at.([]any)
			if err != nil || i < 0 || i >= len(list) {
				return nil
			}
			at = list[i]
		}
	}
	return at
}

// digest is the SHA-256 of a JSON text without the white space between its tokens.
func digest(text json.RawMessage) (string, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	sum := sha256.Sum256(compact.Bytes())
	return hex.EncodeToString(sum[:]), nil
}
