// Package dashboard adds up the assessments of a company: what each of them contributes
// ([Facts]), how the sums change when one of them does ([Changes]), and the dashboard that
// is made of the sums ([Compose]).
//
// Sums are integers: grams of CO2e and of product, square decimetres, tenths of a per
// cent, millionths of a share. They are added and taken away again without ever drifting,
// so that the sums after any sequence of writes are those of the assessments there are.
package dashboard
