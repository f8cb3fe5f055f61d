package replay

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
)

// operand is a value under the symbol of an equation.
type operand struct {
	symbol string
	value  float64
}

// Evaluate computes an equation of a trace: + - * / and parentheses over numbers and symbols, with min, max and pow,
// and sum(x), which adds every operand with the symbol x in order. It fails on anything else.
func Evaluate(equation string, symbols []string, values []float64) (float64, error) {
	of := make([]operand, len(symbols))
	for i := range symbols {
		of[i] = operand{symbols[i], values[i]}
	}
	f, err := parse(equation)
	if err != nil {
		return 0, err
	}
	return f(of)
}

// formula is a parsed equation.
type formula func(of []operand) (float64, error)

func parse(equation string) (formula, error) {
	tree, err := parser.ParseExpr(equation)
	if err != nil {
		return nil, fmt.Errorf("the equation %q cannot be read: %w", equation, err)
	}
	return func(of []operand) (float64, error) { return value(tree, of) }, nil
}

func value(e ast.Expr, of []operand) (float64, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value, 64)
	case *ast.Ident:
		for i := range of {
			if of[i].symbol == e.Name {
				return of[i].value, nil
			}
		}
		return 0, fmt.Errorf("the symbol %s has no value", e.Name)
	case *ast.ParenExpr:
		return value(e.X, of)
	case *ast.UnaryExpr:
		v, err := value(e.X, of)
		if e.Op != token.SUB {
			return 0, fmt.Errorf("%s is not arithmetic", e.Op)
		}
		return -v, err
	case *ast.BinaryExpr:
		return binary(e, of)
	case *ast.CallExpr:
		return call(e, of)
	}
	return 0, fmt.Errorf("%T is not arithmetic", e)
}

func binary(e *ast.BinaryExpr, of []operand) (float64, error) {
	a, err := value(e.X, of)
	if err != nil {
		return 0, err
	}
	b, err := value(e.Y, of)
	if err != nil {
		return 0, err
	}
	// The conversions make every machine round each operation by itself.
	switch e.Op {
	case token.ADD:
		return float64(a + b), nil
	case token.SUB:
		return float64(a - b), nil
	case token.MUL:
		return float64(a * b), nil
	case token.QUO:
		return float64(a / b), nil
	default:
		return 0, fmt.Errorf("%s is not arithmetic", e.Op)
	}
}

var functions = map[string]func(a, b float64) float64{"min": math.Min, "max": math.Max, "pow": math.Pow}

func call(e *ast.CallExpr, of []operand) (float64, error) {
	name, _ := e.Fun.(*ast.Ident)
	if name != nil && name.Name == "sum" && len(e.Args) == 1 {
		return added(e.Args[0], of)
	}
	if name == nil || functions[name.Name] == nil || len(e.Args) != 2 {
		return 0, fmt.Errorf("the function at %d is not one of min, max, pow and sum", e.Pos())
	}
	a, err := value(e.Args[0], of)
	if err != nil {
		return 0, err
	}
	b, err := value(e.Args[1], of)
	return functions[name.Name](a, b), err
}

func added(e ast.Expr, of []operand) (total float64, err error) {
	symbol, ok := e.(*ast.Ident)
	if !ok {
		return 0, fmt.Errorf("sum takes a symbol")
	}
	for i := range of {
		if of[i].symbol == symbol.Name {
			total += of[i].value
		}
	}
	return total, nil
}
