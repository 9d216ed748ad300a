package cli

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// layers are the top-level folders from the bottom up: a package imports only from its
// own layer and those that are listed for it.
var layers = map[string][]string{
	"sim":       {},
	"models":    {"sim"},
	"checker":   {"sim/history", "sim/trace", "sim"},
	"scenarios": {"sim", "models", "checker"},
	"reports":   {"sim", "models", "checker", "scenarios"},
	"cmd":       {"sim", "models", "checker", "scenarios", "reports"},
}

// kernel are the packages below sim, each with those of sim that it may import.
var kernel = map[string][]string{
	"sim/trace":   {},
	"sim/rng":     {"sim/trace"},
	"sim":         {"sim/trace"},
	"sim/clock":   {"sim", "sim/rng", "sim/trace"},
	"sim/history": {"sim"},
	"sim/network": {"sim", "sim/rng", "sim/trace", "sim/history"},
	"sim/host":    {"sim", "sim/rng", "sim/trace", "sim/clock", "sim/network"},
	"sim/fault":   {"sim", "sim/rng", "sim/trace", "sim/clock", "sim/network", "sim/host", "sim/history"},
}

// publicModels is for other programs, too, and imports no package of ours.
const publicModels = "checker/linear/spec"

// apart are packages below the checker that know nothing of the rest of it, each with those
// of ours that it may import. What reads a format does not know what the operations mean.
var apart = map[string][]string{
	publicModels:           {},
	"checker/external":     {"checker/external/edn"},
	"checker/external/edn": {},
}

// confined are the dependencies that one folder alone may import.
var confined = map[string]string{
	"github.com/anishathalye/porcupine": "checker/linear",
	"gonum.org/v1/plot":                 "reports/plots",
	"gonum.org/v1/gonum":                "checker/stats",
	"go.etcd.io/raft":                   "models/raftkv",
	"github.com/goccy/go-yaml":          "scenarios",
	"github.com/spf13/cobra":            "cmd/cli",
	"github.com/spf13/pflag":            "cmd/cli",
	"github.com/schollz/progressbar":    "cmd/cli",
	"golang.org/x/term":                 "cmd/cli",
	"google.golang.org/protobuf":        "models/raftkv",
	"golang.org/x/image":                "reports/plots",
	"github.com/cockroachdb/datadriven": "models/modeltest/script",
}

// ownModules are modules of their own below cmd, each with the dependencies that it alone has.
var ownModules = map[string][]string{
	"cmd/fencepost-beam": {"github.com/apache/beam"},
	"cmd/fencepost-conform": {"github.com/go-redsync/redsync", "github.com/bsm/redislock", "github.com/redis/go-redis", "github.com/alicebob/miniredis",
		"github.com/Shopify/toxiproxy", "github.com/rs/zerolog", "go.etcd.io/etcd", "go.uber.org/zap", "google.golang.org/grpc", "github.com/go-zookeeper/zk", "golang.org/x/sys", "github.com/spf13/cobra"},
}

// ofOwnModule reports whether a package is a dependency of the module in which it is imported.
func ofOwnModule(dir, path string) bool {
	for module, deps := range ownModules {
		if within(dir, module) && slices.ContainsFunc(deps, func(dep string) bool { return within(path, dep) }) {
			return true
		}
	}
	return false
}

// testSupport is where what tests alone use stands; it may import what tests may.
const testSupport = "models/modeltest"

// testOnly are the dependencies of tests.
var testOnly = []string{"pgregory.net/rapid", "github.com/santhosh-tekuri/jsonschema", "github.com/rogpeppe/go-internal", "golang.org/x/tools"}

// imports calls f for every import in the repository.
func imports(t *testing.T, f func(file, dir, path string, isTest bool)) {
	t.Helper()
	count := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		for _, imp := range parsed.Imports {
			count++
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			f(file, filepath.ToSlash(filepath.Dir(file)), name, strings.HasSuffix(file, "_test.go"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 100 {
		t.Fatalf("only %d imports were seen", count)
	}
}

// TestImportsGoDown: lower layers do not know higher ones.
func TestImportsGoDown(t *testing.T) {
	imports(t, func(file, dir, path string, isTest bool) {
		own, ok := strings.CutPrefix(path, "fencepost/")
		if !ok || isTest {
			return
		}
		if strings.HasPrefix(dir, testSupport) {
			return
		}
		if strings.HasPrefix(own, testSupport) {
			t.Errorf("%s imports %s, which is for tests", file, own)
		}
		layer, _, _ := strings.Cut(dir, "/")
		target, _, _ := strings.Cut(own, "/")
		allowed, known := layers[layer]
		switch {
		case !known:
			t.Errorf("%s stands in no known layer", file)
		case apart[dir] != nil:
			if !slices.Contains(apart[dir], own) {
				t.Errorf("%s imports %s; package %s may import %v", file, own, dir, apart[dir])
			}
		case layer == "sim":
			if !slices.Contains(kernel[dir], own) {
				t.Errorf("%s imports %s; package %s may import %v", file, own, dir, kernel[dir])
			}
		case layer == "checker" && target == "sim":
			if !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s; the checker knows the history and the trace alone", file, own)
			}
		case layer != target && !slices.Contains(allowed, target):
			t.Errorf("%s imports %s; %s may import %v", file, own, layer, allowed)
		}
	})
}

// TestLayersAreTold: the table in docs/design.md names what each package of the kernel, and each
// that stands apart, may import, and a row that this test does not hold is a promise to no one.
func TestLayersAreTold(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "design.md"))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) == 3 {
			told[strings.Trim(cells[0], "|` ")] = strings.Trim(cells[2], "| ")
		}
	}
	rows := maps.Clone(kernel)
	maps.Copy(rows, apart)
	for pkg, allowed := range rows {
		want := "nothing"
		if len(allowed) > 0 {
			want = "`" + strings.Join(allowed, "`, `") + "`"
		}
		if told[pkg] != want {
			t.Errorf("docs/design.md lets %s import %q, the test %q", pkg, told[pkg], want)
		}
	}
}

// TestDependenciesStayWhereTheyBelong: each third-party package is imported in one place,
// and the kernel has the standard library alone.
func TestDependenciesStayWhereTheyBelong(t *testing.T) {
	imports(t, func(file, dir, path string, isTest bool) {
		first, _, _ := strings.Cut(path, "/")
		if !strings.Contains(first, ".") {
			return // the standard library, or our own
		}
		if ofOwnModule(dir, path) {
			return
		}
		for _, dep := range testOnly {
			if within(path, dep) {
				if !isTest {
					t.Errorf("%s imports %s, which is for tests", file, path)
				}
				return
			}
		}
		for dep, home := range confined {
			if within(path, dep) {
				if !within(dir, home) {
					t.Errorf("%s imports %s, which only %s may", file, path, home)
				}
				return
			}
		}
		t.Errorf("%s imports %s, which is no known dependency", file, path)
	})
}

// TestModulesOfTheirOwn: what needs heavy dependencies is a module below cmd, which takes fencepost from
// this checkout, and which fencepost does not know.
func TestModulesOfTheirOwn(t *testing.T) {
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d != nil && d.Name() == "go.mod" {
			dir, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			found = append(found, filepath.ToSlash(dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	if want := append([]string{"."}, slices.Sorted(maps.Keys(ownModules))...); !slices.Equal(found, want) {
		t.Errorf("there are modules in %v, want %v", found, want)
	}
	for _, module := range found {
		content, err := os.ReadFile(filepath.Join(root, module, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for _, dep := range slices.Concat(ownModules["cmd/fencepost-beam"], []string{"github.com/go-redsync", "github.com/redis/go-redis", "go.etcd.io/etcd/"}) {
			if module == "." && strings.Contains(string(content), dep) {
				t.Errorf("go.mod requires %s", dep)
			}
		}
		if module != "." && !strings.Contains(string(content), "\nreplace fencepost => ../..\n") {
			t.Errorf("%s does not take fencepost from this checkout", module)
		}
	}
}

// TestTopLevel: the repository's folders are those of the design.
func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"sim", "models", "scenarios", "checker", "reports", "cmd", "docs", "go.mod", "go.sum", "README.md", "CONTRIBUTING.md", "LICENSE", "out"}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s stands at the top; allowed: %v", e.Name(), allowed)
		}
	}
}

// within reports whether a path is a package or one below it, versions aside.
func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}
