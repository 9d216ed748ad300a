package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fencepost/checker"
	"fencepost/reports"
	"fencepost/reports/plots"
	"fencepost/scenarios"
)

// chartOptions are the flags of chart.
type chartOptions struct {
	property, x, out, locks, guards string
	only                            []string
	log                             bool
}

func (a *app) chartCommand() *cobra.Command {
	o := &chartOptions{}
	c := &cobra.Command{
		Use:   "chart RESULTS",
		Short: "Draw violation rates from a sweep's CSV or JSON",
		Long: `Draw one property's violation rate, with its Clopper-Pearson band, for every lock and
guard of a sweep. The horizontal axis is a parameter or the ratio of two: --x fault.pause/ttl.
Without --x it is fault.pause/ttl if the sweep has both, else the parameter that varies.
A scenario's closed form is drawn too when RESULTS is the JSON, which has it.

What has the very same rates shares a curve. A chart of more than 16 different curves is
refused: draw a part of the sweep with --lock, --guard and --only.`,
		Example: `  fencepost chart out/sweep.csv --property exclusion --out rates.svg
  fencepost chart out/sweep.csv --x ttl --only fault.pause=10s,30s --lock redis,etcd`,
		Args: exactly(1, "the CSV or JSON of a sweep, such as out/sweep.csv"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.chart(args[0], o)
		},
	}
	c.Flags().StringVar(&o.property, "property", checker.Exclusion, "the property: "+strings.Join(checker.Properties, ", "))
	c.Flags().BoolVar(&o.log, "log", false, "a logarithmic axis of rates, which small ones get anyway; where no violation was seen it shows the upper bound, with an arrow down")
	c.Flags().StringVar(&o.x, "x", "", "the horizontal axis: a parameter, or the ratio of two")
	c.Flags().StringVar(&o.locks, "lock", "all", "draw these lock systems of the sweep, separated by commas, or all")
	c.Flags().StringVar(&o.guards, "guard", "all", "draw these guards of the sweep, separated by commas, or all")
	c.Flags().StringArrayVar(&o.only, "only", nil, "draw these values of a parameter: `NAME=VALUE,VALUE` (repeatable)")
	c.Flags().Var((*path)(&o.out), "out", "the picture: a .svg or .png `file`, or a name to which both are added (default: beside RESULTS)")
	return c
}

func (a *app) chart(results string, o *chartOptions) error {
	if ext := filepath.Ext(o.out); !slices.Contains([]string{"", ".svg", ".png"}, ext) {
		return fmt.Errorf("--out %s: write a .svg or .png file, or a name without an extension for both", o.out)
	}
	pick, err := o.pick()
	if err != nil {
		return err
	}
	chart, err := o.draw(results, pick)
	if err != nil {
		return err
	}
	out := o.out
	if out == "" {
		out = strings.TrimSuffix(results, filepath.Ext(results)) + "-" + o.property
	}
	files := map[string]func(io.Writer) error{}
	switch filepath.Ext(out) {
	case ".svg":
		files[out] = chart.WriteSVG
	case ".png":
		files[out] = chart.WritePNG
	default:
		files[out+".svg"], files[out+".png"] = chart.WriteSVG, chart.WritePNG
	}
	for _, path := range []string{out, out + ".svg", out + ".png"} {
		write, ok := files[path]
		if !ok {
			continue
		}
		if err := replaceFile(path, write); err != nil {
			return &outputError{err}
		}
		fmt.Fprintln(a.streams.Out, path)
	}
	return nil
}

// draw reads a sweep and draws what is picked of it.
func (o *chartOptions) draw(results string, pick reports.Pick) (*plots.Chart, error) {
	f, err := openResult(results)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	read := reports.ReadSweepCSV
	if filepath.Ext(results) == ".json" {
		read = reports.ReadSweepJSON
	}
	table, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", results, err)
	}
	if !slices.Contains(checker.Properties, o.property) {
		return nil, oneOf("--property", o.property, checker.Properties)
	}
	if table, err = table.Pick(pick); err != nil {
		return nil, fmt.Errorf("%s: %w", results, err)
	}
	chart, err := reports.RateChart(table, o.property, o.x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", results, err)
	}
	if o.log {
		chart.Scale = plots.LogShares
	}
	if n := len(chart.Series); n > reports.MostCurves {
		return nil, fmt.Errorf("%s: %d different curves are too many for one chart (at most %d): draw some of them with --lock, --guard or --only NAME=VALUE,VALUE (there are %s)",
			results, n, reports.MostCurves, table.Varying())
	}
	return chart, nil
}

// openResult opens a file of a sweep's result.
func openResult(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: name a file in it, such as %s", path, filepath.Join(path, "sweep.json"))
	}
	return os.Open(path)
}

// pick reads the flags that leave something out.
func (o *chartOptions) pick() (reports.Pick, error) {
	p := reports.Pick{Only: map[string][]string{}}
	if o.locks != "all" {
		p.Locks = strings.Split(o.locks, ",")
	}
	if o.guards != "all" {
		p.Guards = strings.Split(o.guards, ",")
	}
	for _, text := range o.only {
		name, values, ok := strings.Cut(text, "=")
		if !ok || name == "" || values == "" {
			return p, fmt.Errorf("--only %q: write NAME=VALUE,VALUE, such as ttl=5s,10s", text)
		}
		if _, twice := p.Only[name]; twice {
			return p, fmt.Errorf("--only %s is given twice", name)
		}
		p.Only[name] = scenarios.SplitValues(values)
	}
	return p, nil
}
