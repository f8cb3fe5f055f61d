package engine

import (
	"errors"
	"fmt"

	"tilth/core/fault"
	"tilth/core/ghg"
)

// contract names the edition of docs/ghg-engine-contract.md.
const contract = "tilth-ghg/1"

type calculation struct {
	Contract    string    `json:"contract"`
	InputDigest string    `json:"input_digest"`
	FactorSet   string    `json:"factor_set"`
	Trace       bool      `json:"trace"`
	Input       ghg.Input `json:"input"`
}

// computed is the body of an answer. Masses are kg, and the engine sums nothing: the
// totals are ours.
type computed struct {
	Contract    string          `json:"contract"`
	InputDigest string          `json:"input_digest"`
	Version     string          `json:"version"`
	FactorSet   ghg.Identity    `json:"factor_set"`
	GWP         string          `json:"gwp_set"`
	Warming     ghg.Gases       `json:"gwp"`
	Lines       []computedLine  `json:"lines"`
	Removals    []computedLine  `json:"removals"`
	Low         float64         `json:"low"`
	High        float64         `json:"high"`
	RemovedLow  *float64        `json:"removals_low"`
	RemovedHigh *float64        `json:"removals_high"`
	UserShare   float64         `json:"share_of_emissions_from_user_values"`
	BiogenicCO2 float64         `json:"biogenic_co2"`
	Warnings    []ghg.Warning   `json:"warnings"`
	Trace       []ghg.TraceLine `json:"trace"`
	Private     privateIDs      `json:"private"`
}

type computedLine struct {
	Model   string    `json:"model"`
	Label   string    `json:"label"`
	Section string    `json:"section"`
	Scope   int       `json:"scope"`
	Kg      ghg.Gases `json:"kg"`
	Low     float64   `json:"low"`
	High    float64   `json:"high"`
	Tier    int       `json:"tier"`
}

// privateIDs are the identifiers under which the engine keeps the assessment: a [ports.EngineReference],
// which has no JSON so that it stays private.
type privateIDs struct {
	Account    string `json:"account_id"`
	Assessment string `json:"assessment_id"`
	Run        string `json:"run_id"`
}

// result checks an answer and converts it to the form of our own results.
func (c *computed) result(engine, digest string, in ghg.Input) (ghg.Result, error) {
	res, err := c.mapped(engine, digest, in)
	if err != nil {
		return ghg.Result{}, fault.Newf(fault.Unavailable, "engine_answer", "The answer of the calculation engine %s cannot be used.", engine).Because(err)
	}
	return res, nil
}

func (c *computed) mapped(engine, digest string, in ghg.Input) (ghg.Result, error) {
	switch {
	case c.Contract != contract:
		return ghg.Result{}, fmt.Errorf("the contract %q is not %q", c.Contract, contract)
	case c.InputDigest != digest:
		return ghg.Result{}, errors.New("the answer is for another input")
	case c.FactorSet.ID == "" || c.GWP == "":
		return ghg.Result{}, errors.New("the answer does not name its factors")
	case c.UserShare < 0 || c.UserShare > 1 || amiss(c.BiogenicCO2, c.Low, c.High):
		return ghg.Result{}, errors.New("a figure in the answer is out of bounds")
	}
	res := ghg.Result{
		Engine: ghg.Identity{ID: engine, Version: c.Version}, FactorSet: c.FactorSet, GWP: c.GWP, InputDigest: digest,
		UserShare: c.UserShare, BiogenicCO2: c.BiogenicCO2, Warnings: c.Warnings, Trace: c.Trace, Low: c.Low, High: c.High,
	}
	res.Describe(in)
	var ok bool
	if res.Warming, ok = masses(c.Warming); !ok {
		return ghg.Result{}, errors.New("a warming potential is out of bounds")
	}
	var err error
	if res.Lines, res.Emissions, err = lines(c.Lines, res.Warming, ghg.Labels()); err != nil {
		return ghg.Result{}, err
	}
	if res.Removals, res.Removed, err = lines(c.Removals, res.Warming, ghg.RemovalLabels()); err != nil {
		return ghg.Result{}, err
	}
	res.RemovedLow, res.RemovedHigh = c.removedRange(res.Removals)
	if amiss(res.RemovedLow, res.RemovedHigh) {
		return ghg.Result{}, errors.New("the range of the removals is out of bounds")
	}
	if slack := 1e-6 * res.Emissions; res.Low > res.Emissions+slack || res.High < res.Emissions-slack {
		return ghg.Result{}, errors.New("the emissions lie outside their range")
	}
	return res, nil
}

// removedRange returns the range of the removals: the one of the answer, else the sum of the ranges of the lines.
func (c *computed) removedRange(removals []ghg.Line) (low, high float64) {
	if c.RemovedLow != nil && c.RemovedHigh != nil {
		return *c.RemovedLow, *c.RemovedHigh
	}
	for _, l := range removals {
		low, high = low+l.Low, high+l.High
	}
	return low, high
}

// lines checks the lines of an answer against the labels that reports know.
func lines(from []computedLine, warming ghg.Masses, labels map[string]string) (out []ghg.Line, total float64, err error) {
	for _, l := range from {
		category, known := labels[l.Label]
		kg, ok := masses(l.Kg)
		if !known || !ok || l.Scope < 1 || l.Scope > 3 || l.Tier < 1 || l.Tier > 3 || amiss(l.Low, l.High) {
			return nil, 0, fmt.Errorf("the line %q of %q is not a valid line of a result", l.Label, l.Section)
		}
		line := ghg.Line{Model: l.Model, Label: l.Label, Section: l.Section, Scope: l.Scope, Category: category, Kg: kg, Low: l.Low, High: l.High, Tier: l.Tier}
		for gas := range kg {
			line.CO2e += ghg.CO2e(kg[gas], warming[gas])
		}
		total += line.CO2e
		out = append(out, line)
	}
	return out, total, nil
}

// masses returns the figures by gas; ok is false where one is negative or not a number.
func masses(g ghg.Gases) (kg ghg.Masses, ok bool) {
	kg = ghg.Masses{ghg.CO2: g.CO2, ghg.CH4Fossil: g.CH4Fossil, ghg.CH4Biogenic: g.CH4Biogenic, ghg.N2O: g.N2O, ghg.NotSplit: g.NotSplit}
	return kg, !amiss(kg[:]...)
}

// maxKg is more than any figure of an assessment: the world emits 6e13 kg CO2e a year.
const maxKg = 1e15

// amiss reports whether a figure is negative, not a number, or out of all bounds.
func amiss(figures ...float64) bool {
	for _, v := range figures {
		if !(v >= 0 && v <= maxKg) {
			return true
		}
	}
	return false
}
