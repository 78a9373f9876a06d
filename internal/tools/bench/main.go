// Command bench measures the provider and the command line beside what else
// people run, and prints a table with the ratios. tools/bench.sh runs it.
//
// Everything is measured in turn, several times, because the machine is never
// quite the same from one minute to the next: a ratio is the median of the
// ratios of the runs, each of two measurements made one after the other.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

func main() {
	if file, target := os.Getenv(peakFile), os.Getenv(peakTarget); file != "" && target != "" {
		os.Exit(runWatched(target, file))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	terraform, time, opa string
	runs                 int
	only                 *regexp.Regexp
	json                 string
	keep                 string
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.terraform, "terraform", "terraform", "the terraform or tofu to run")
	flags.StringVar(&o.time, "time", "", "hashicorp/time to compare with, a `binary`")
	flags.StringVar(&o.opa, "opa", "", "opa to compare with, a `binary`")
	flags.IntVar(&o.runs, "runs", 7, "how often everything is measured")
	quick := flags.Bool("quick", false, "measure twice only, and leave the growth rows out")
	only := flags.String("only", "", "measure only the rows whose name matches this `expression`")
	flags.StringVar(&o.json, "json", "", "write the figures to this `file`")
	flags.StringVar(&o.keep, "folder", "", "work in this `folder` and keep it, to look into what was run")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *quick {
		o.runs = 2
		if *only == "" {
			*only = `^[^→]*$`
		}
	}
	if o.runs < 1 {
		return o, fmt.Errorf("-runs must be at least 1, not %d", o.runs)
	}
	var err error
	o.only, err = regexp.Compile(*only)
	return o, err
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	dir := o.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "runnerfit-bench-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }() // Nothing in it is wanted any more.
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	b := &bench{dir: dir, terraform: o.terraform, opa: o.opa, log: stderr, prepared: map[string]bool{}}
	if err := b.install(ctx, o.time); err != nil {
		return err
	}
	var rows []row
	for _, r := range allRows() {
		if o.only.MatchString(r.name) {
			rows = append(rows, r)
		}
	}
	results, err := b.measure(ctx, rows, o.runs)
	if err != nil {
		return err
	}
	report := report{Machine: machine(), Go: runtime.Version(), Runs: o.runs, Rows: results}
	if report.Terraform, err = b.version(ctx); err != nil {
		return err
	}
	if o.json != "" {
		text, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.json, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return report.table(stdout)
}

// machine is what the figures depend on: "2 × Intel(R) Xeon(R) …, linux/amd64".
func machine() string {
	cpu := "CPU"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil { // Linux only; elsewhere the name is missing.
		if _, after, ok := strings.Cut(string(info), "model name"); ok {
			line, _, _ := strings.Cut(after, "\n")
			cpu = strings.TrimLeft(line, "\t :")
		}
	}
	return fmt.Sprintf("%d × %s, %s/%s", runtime.NumCPU(), cpu, runtime.GOOS, runtime.GOARCH)
}
