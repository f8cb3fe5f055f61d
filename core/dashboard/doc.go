// Package dashboard adds up the assessments of a company: what each of them contributes ([Facts]), how the sums change
// when one of them does ([Changes]), and the dashboard that is made from the sums ([Compose]).
//
// Sums are integers: grams of CO2e and of product, square decimetres, tenths of a per cent, millionths of a share. They
// are added and subtracted without drift, so that the sums after any sequence of writes are those of the existing
// assessments.
package dashboard
