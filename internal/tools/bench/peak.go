package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// The environment in which this program stands in for another: it starts
// peakTarget, and writes the most memory that it used to peakFile.
//
// Linux counts into a program's peak what the one that started it held, until
// the start of the program. This one holds a few megabytes when it has just begun,
// which is less than anything that is measured here.
const (
	peakFile   = "RUNNERFIT_BENCH_PEAK_FILE"
	peakTarget = "RUNNERFIT_BENCH_PEAK_TARGET"
)

// runWatched runs a program as if it had been started itself, and appends its
// peak memory in bytes to the file.
func runWatched(target, file string) int {
	cmd := exec.Command(target, os.Args[1:]...) //nolint:noctx,gosec // It ends when it is done, or Terraform tells it to.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState != nil {
		if f, e := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); e == nil { //nolint:gosec // The file that the benchmark names.
			_, _ = fmt.Fprintln(f, peakBytes(cmd.ProcessState)) // A missing line is noticed by who reads them.
			_ = f.Close()
		}
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return 1
	}
	return 0
}

// peakBytes is the largest resident size of a process that has ended. A process
// that only started others has theirs in it.
func peakBytes(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // It counts in bytes, the others in KiB.
		return usage.Maxrss
	}
	return usage.Maxrss * 1024
}

// watched puts a program in a provider's place that starts the provider and
// notes its memory.
func watched(provider, place string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=%s exec %s \"$@\"\n", peakTarget, quote(provider), quote(self))
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return err
	}
	return os.WriteFile(place, []byte(script), 0o755)
}

// largest is the largest number in a file of lines.
func largest(file string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var most int64
	for line := range strings.FieldsSeq(string(text)) {
		n, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}

// quote makes one word of a shell's of a text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
