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
)

func (a *app) chartCommand() *cobra.Command {
	var property, x, out string
	c := &cobra.Command{
		Use:   "chart RESULTS",
		Short: "Draw violation rates from a sweep's CSV or JSON",
		Long: `Draw one property's violation rate, with its Clopper-Pearson band, for every lock and
guard of a sweep. The horizontal axis is a parameter or the ratio of two: --x fault.pause/ttl.
Without --x it is fault.pause/ttl if the sweep has both, else the parameter that varies.
A scenario's closed form is drawn too when RESULTS is the JSON, which has it.`,
		Example: `  fencepost chart out/sweep.csv --property exclusion --out rates.svg`,
		Args:    exactly(1, "the CSV or JSON of a sweep, such as out/sweep.csv"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.chart(args[0], property, x, out)
		},
	}
	c.Flags().StringVar(&property, "property", checker.Exclusion, "the property: "+strings.Join(checker.Properties, ", "))
	c.Flags().StringVar(&x, "x", "", "the horizontal axis: a parameter, or the ratio of two")
	c.Flags().StringVar(&out, "out", "", "the picture: a .svg or .png `file`, or a name to which both are added (default: beside RESULTS)")
	return c
}

func (a *app) chart(results, property, x, out string) error {
	if ext := filepath.Ext(out); !slices.Contains([]string{"", ".svg", ".png"}, ext) {
		return fmt.Errorf("--out %s: write a .svg or .png file, or a name without an extension for both", out)
	}
	f, err := os.Open(results)
	if err != nil {
		return err
	}
	defer f.Close()
	read := reports.ReadSweepCSV
	if filepath.Ext(results) == ".json" {
		read = reports.ReadSweepJSON
	}
	table, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", results, err)
	}
	if !slices.Contains(checker.Properties, property) {
		return fmt.Errorf("--property %q is not known; accepted: %s", property, strings.Join(checker.Properties, ", "))
	}
	chart, err := reports.RateChart(table, property, x)
	if err != nil {
		return fmt.Errorf("%s: %w", results, err)
	}
	if out == "" {
		out = strings.TrimSuffix(results, filepath.Ext(results)) + "-" + property
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
