// Package govaluate takes the place of casbin's expression evaluator (by a replace in go.mod). It has only what casbin's
// model and role manager refer to: one type. The evaluator itself calls methods by name and is linked wherever it is
// imported; the linker then keeps every method of the whole program, 12 MB of it. Nothing here evaluates expressions
// (adapters/permission decides in Go), and code that imports casbin's Enforcer does not compile.
package govaluate

// ExpressionFunction is a function that an expression of casbin could call.
type ExpressionFunction func(arguments ...any) (any, error)
