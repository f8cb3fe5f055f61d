// Package govaluate is what casbin's model and role manager name of the evaluator of expressions that casbin comes with: one
// type, which go.mod puts in its place. The evaluator itself calls methods by name, and is linked wherever it is imported:
// then the linker keeps every method of the whole program, 12 MB of it. Nothing here evaluates expressions
// (adapters/permission decides in Go), and who imports casbin's Enforcer is told so by the compiler.
package govaluate

// ExpressionFunction is a function that an expression of casbin could call.
type ExpressionFunction func(arguments ...any) (any, error)
