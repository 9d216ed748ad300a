package cli

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/models/modeltest"

	"golang.org/x/tools/go/packages"
)

// bannedPackages are those whose use makes a run depend on something else than its
// inputs, or runs beside the event loop.
var bannedPackages = []string{"context", "crypto", "hash/maphash", "math/rand", "net", "os", "reflect", "runtime", "sync", "syscall",
	"testing", "unique", "unsafe", "weak"}

// durations is what the kernel and the models may use of package time: amounts of time,
// and nothing that reads a clock or waits.
var durations = []string{"Duration", "Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour", "ParseDuration"}

// lawful are the few places that a ban does not reach, each with the reason.
var lawful = map[string]string{
	"sim/rng float":                   "portable distributions are worked out in floats; whole nanoseconds leave",
	"models/modeltest testing":        "a rig for tests of models, which takes a testing.TB",
	"models/modeltest/script testing": "it runs stories, in tests",
	"models/modeltest/script os":      "it reads UPDATE_GOLDEN",
	"models/modeltest range":          "it copies one map into another, in which order makes no difference",
}

// TestNothingHiddenReachesARun reads the source of the kernel and of the models: no clock
// but the simulated ones, no randomness but sim/rng, nothing that runs beside the event
// loop, no order that Go does not define, and no floats, whose last bits differ between
// machines.
func TestNothingHiddenReachesARun(t *testing.T) {
	if modeltest.Raced {
		t.Skip("it reads source, and runs nothing of it")
	}
	for _, found := range hidden(t, nil) {
		t.Error(found)
	}
}

// planted breaks each of the bans once.
const planted = `package models

import (
	"maps"
	"math/rand/v2"
	"sync"
	"time"
)

var half = 0.5

func planted(m map[string]int, c chan int, lock *sync.Mutex) {
	go func() {}()
	select {}
	c <- rand.Int()
	for range m {
	}
	maps.Keys(m)
	time.Sleep(1)
	wait := time.Now
	wait()
	half *= half
}
`

// TestBansAreSeen: what is planted is found, so the test above can fail.
func TestBansAreSeen(t *testing.T) {
	if modeltest.Raced {
		t.Skip("it reads source, and runs nothing of it")
	}
	file, err := filepath.Abs(filepath.Join(root, "models", "planted.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Join(hidden(t, map[string][]byte{file: []byte(planted)}), "\n")
	for _, want := range []string{"imports math/rand/v2", "imports sync", "type float64", "uses a channel", "starts a goroutine",
		"selects", "iterates over a map", "uses maps.Keys", "uses time.Sleep", "uses time.Now"} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is planted and not found in:\n%s", want, found)
		}
	}
}

// hidden lists what is banned in the kernel and the models, with files that are put over
// those on the disk.
func hidden(t *testing.T, overlay map[string][]byte) (found []string) {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Dir: root, Overlay: overlay, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps},
		"fencepost/sim/...", "fencepost/models/...", "fencepost/scenarios/...", "fencepost/checker/...")
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 15 {
		t.Fatalf("only %d packages were read", len(pkgs))
	}
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			t.Fatal(err)
		}
		b := &ban{pkg: pkg, sorted: map[ast.Expr]bool{}, folder: strings.TrimPrefix(pkg.PkgPath, "fencepost/")}
		// What stands above the models may run workers, read files and count in floats, but
		// what it makes of a scenario has to be the same each time.
		b.orderOnly = within(b.folder, "scenarios") || within(b.folder, "checker")
		for _, file := range pkg.Syntax {
			b.imports(file)
			ast.Inspect(file, b.inspect)
		}
		found = append(found, b.found...)
	}
	return found
}

// ban looks for what is banned in one package.
type ban struct {
	pkg    *packages.Package
	folder string
	found  []string

	orderOnly bool              // look for undefined order alone
	sorted    map[ast.Expr]bool // uses of package maps whose result is sorted at once
}

func (b *ban) report(at token.Pos, what, format string, args ...any) {
	if _, ok := lawful[b.folder+" "+what]; ok || b.orderOnly && what != "range" {
		return
	}
	place := b.pkg.Fset.Position(at)
	name, _ := filepath.Abs(root)
	file, _ := filepath.Rel(name, place.Filename)
	b.found = append(b.found, fmt.Sprintf("%s:%d: %s", file, place.Line, fmt.Sprintf(format, args...)))
}

func (b *ban) imports(file *ast.File) {
	for _, imp := range file.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		for _, banned := range bannedPackages {
			if within(path, banned) {
				b.report(imp.Pos(), banned, "imports %s", path)
			}
		}
	}
}

func (b *ban) inspect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		b.report(n.Pos(), "go", "starts a goroutine")
	case *ast.SelectStmt:
		b.report(n.Pos(), "select", "selects")
	case *ast.ChanType, *ast.SendStmt:
		b.report(n.Pos(), "chan", "uses a channel")
	case *ast.RangeStmt:
		if isMap(b.pkg.TypesInfo.TypeOf(n.X)) {
			b.report(n.Pos(), "range", "iterates over a map, whose order Go leaves open")
		}
	case *ast.CallExpr:
		b.allowSorted(n)
	case *ast.SelectorExpr:
		b.selector(n)
	case ast.Expr:
		b.float(n)
	}
	return true
}

// allowSorted notes slices.Sorted(maps.Keys(m)), which has one order.
func (b *ban) allowSorted(n *ast.CallExpr) {
	if f, ok := n.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Sorted" || len(n.Args) != 1 {
		return
	}
	if keys, ok := n.Args[0].(*ast.CallExpr); ok {
		b.sorted[keys.Fun] = true
	}
}

// selector looks at a use of another package's name.
func (b *ban) selector(n *ast.SelectorExpr) {
	used := b.pkg.TypesInfo.Uses[n.Sel]
	if used == nil || used.Pkg() == nil {
		return
	}
	if _, qualified := b.pkg.TypesInfo.Uses[baseIdent(n)].(*types.PkgName); qualified {
		switch path := used.Pkg().Path(); {
		case path == "time" && !slices.Contains(durations, used.Name()):
			b.report(n.Pos(), "time", "uses time.%s", used.Name())
		case path == "maps" && used.Name() != "Clone" && !b.sorted[n]:
			b.report(n.Pos(), "range", "uses maps.%s, whose order Go leaves open", used.Name())
		}
	}
	b.float(n)
}

func baseIdent(n *ast.SelectorExpr) *ast.Ident {
	id, _ := n.X.(*ast.Ident)
	return id
}

// float looks for values of a floating type. A constant, such as the sigma of a preset, is
// worked out when the program is compiled, and the same everywhere.
func (b *ban) float(n ast.Expr) {
	tv, ok := b.pkg.TypesInfo.Types[n]
	if !ok || tv.IsBuiltin() || tv.Value != nil {
		return
	}
	if basic, ok := types.Unalias(tv.Type).Underlying().(*types.Basic); ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0 {
		b.report(n.Pos(), "float", "has a value of type %s", tv.Type)
	}
}

func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}
