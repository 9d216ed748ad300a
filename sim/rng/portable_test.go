package rng_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"
)

// portableMath lists what the package may use of math: exact operations and constants.
var portableMath = map[string]bool{
	"Abs": true, "Floor": true, "Sqrt": true, "Inf": true, "IsInf": true, "Float64bits": true, "Float64frombits": true,
	"MaxInt64": true, "MaxFloat64": true, "Sqrt2": true,
}

// TestSourceIsPortable reads the package's source and enforces the two rules that make
// results the same on every machine: of math only exact functions, and no product of
// floats as a direct operand of a sum, where a compiler may fuse the two.
func TestSourceIsPortable(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Skip("the source is not here: ", err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := conf.Check("fencepost/sim/rng", fset, files, info); err != nil {
		t.Skip("types need the source of the imported packages: ", err)
	}
	checked := 0
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := x.X.(*ast.Ident); ok && pkg.Name == "math" && !portableMath[x.Sel.Name] {
					t.Errorf("%v: math.%s differs between machines", fset.Position(n.Pos()), x.Sel.Name)
				}
			}
			for _, operand := range summands(n) {
				checked++
				if isFloatProduct(info, operand) {
					t.Errorf("%v: wrap this product in float64(...), it may be fused with the sum", fset.Position(operand.Pos()))
				}
			}
			return true
		})
	}
	if checked < 100 {
		t.Errorf("only %d operands of sums seen: is the check reading the source?", checked)
	}
}

// summands returns the operands of a sum, a difference or their assigning forms.
func summands(n ast.Node) []ast.Expr {
	switch x := n.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.ADD || x.Op == token.SUB {
			return []ast.Expr{x.X, x.Y}
		}
	case *ast.AssignStmt:
		if x.Tok == token.ADD_ASSIGN || x.Tok == token.SUB_ASSIGN {
			return x.Rhs
		}
	}
	return nil
}

// isFloatProduct reports whether e is a product of floats computed at run time, perhaps
// with a sign or in parentheses.
func isFloatProduct(info *types.Info, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return isFloatProduct(info, x.X)
	case *ast.UnaryExpr:
		return isFloatProduct(info, x.X)
	case *ast.BinaryExpr:
		tv := info.Types[e]
		basic, ok := tv.Type.Underlying().(*types.Basic)
		return x.Op == token.MUL && ok && basic.Info()&types.IsFloat != 0 && tv.Value == nil
	}
	return false
}
