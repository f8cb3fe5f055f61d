// Package ghg computes the greenhouse-gas balance of one assessment: a crop, on an area,
// in a year. It is pure: the same [Input] and [FactorSet] give the same [Result] on any
// machine.
//
// Amounts are SI inside: kg, ha, m3, MJ, °C; masses of carbon and nitrogen are named as such (t C, kg N, kg N2O-N), and
// nothing is rounded. Every equation is a step with its name, formula and source. A step takes every factor as an
// argument; only numbers that the method fixes stand in its formula. The factors are rows of a factor set, and the
// mapping alone links what a user entered to a row.
package ghg
