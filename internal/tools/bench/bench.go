package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/awsstandin"
)

// bench measures in a folder of its own: "mirror" has the providers, "watched"
// the same behind a program that notes their memory, "work" a folder for each
// configuration.
type bench struct {
	dir            string
	terraform, opa string
	log            io.Writer
	prepared       map[string]bool
}

// measurement is one run of a work.
type measurement struct {
	// wall is the time until the command ended, cpu what it and all that it started
	// used of the processors, both in seconds.
	wall, cpu float64
	// peak memory in bytes: the provider's where there is one, else the command's;
	// 0 where it was not measured.
	peak int64
	// size in bytes, of a file.
	size int64
}

func (b *bench) runnerfit() string { return filepath.Join(b.dir, "runnerfit"+exe()) }
func (b *bench) time() string      { return filepath.Join(b.dir, "time"+exe()) }

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// install builds what is measured and puts it where Terraform finds it.
func (b *bench) install(ctx context.Context, timeProvider string) error {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	for out, pkg := range map[string]string{b.runnerfit(): ".", filepath.Join(b.dir, "aws"+exe()): "./internal/testing/awsstandin/cmd/terraform-provider-aws"} {
		// As releases are built.
		if _, err := b.output(ctx, ".", append(os.Environ(), "CGO_ENABLED=0"), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, pkg); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(timeProvider)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.time(), text, 0o755); err != nil { //nolint:gosec // In the folder that this command made.
		return err
	}
	if err := os.WriteFile(filepath.Join(b.dir, "policy.rego"), []byte(policy), 0o644); err != nil {
		return err
	}
	for _, p := range []struct{ name, version, binary string }{
		{"runnerfit/runnerfit", "1.0.0", b.runnerfit()},
		{"hashicorp/time", "0.14.2", b.time()},
		{"hashicorp/aws", awsstandin.Version, filepath.Join(b.dir, "aws"+exe())},
	} {
		for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
			place := filepath.Join(host, filepath.FromSlash(p.name), p.version, runtime.GOOS+"_"+runtime.GOARCH,
				"terraform-provider-"+filepath.Base(p.name)+"_v"+p.version+exe())
			mirrored := filepath.Join(b.dir, "mirror", place)
			if err := os.MkdirAll(filepath.Dir(mirrored), 0o755); err != nil {
				return err
			}
			_ = os.Remove(mirrored) // Of an earlier run in the same folder.
			if err := os.Link(p.binary, mirrored); err != nil {
				return err
			}
			if err := watched(mirrored, filepath.Join(b.dir, "watched", place)); err != nil {
				return err
			}
		}
	}
	for _, mirror := range []string{"mirror", "watched"} {
		config := fmt.Sprintf("disable_checkpoint = true\n\nprovider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.Join(b.dir, mirror))
		if err := os.WriteFile(filepath.Join(b.dir, mirror+".tfrc"), []byte(config), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// measurements are those of each work, by its key, in each run: one, or several
// of a brief work.
type measurements map[string][][]measurement

// Rows whose works are all brief are measured several times in each run, because
// what else the machine does weighs more in them.
const (
	briefSeconds = 1
	briefTimes   = 5
)

// measure runs the works of all rows several times in turn, each time in the
// opposite order, so that neither side of a row always comes first.
func (b *bench) measure(ctx context.Context, rows []row, runs int) ([]result, error) {
	measured := measurements{}
	isReversed := false
	pass := func(run int, rows []row) error {
		works := worksOf(rows)
		if isReversed {
			slices.Reverse(works)
		}
		isReversed = !isReversed
		for _, w := range works {
			_, _ = fmt.Fprintf(b.log, "run %d of %d: %s %s\n", run+1, runs, w.kind, w.name)
			m, err := b.once(ctx, w)
			if err != nil {
				return fmt.Errorf("%s %s: %w", w.kind, w.name, err)
			}
			measured.add(w, run, m)
		}
		return nil
	}
	for run := range runs {
		if err := pass(run, rows); err != nil {
			return nil, err
		}
		brief := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !measured.areBrief(r.works()) })
		for range briefTimes - 1 {
			if err := pass(run, brief); err != nil {
				return nil, err
			}
		}
	}
	var out []result
	for _, r := range rows {
		out = append(out, r.result(measured))
	}
	return out, nil
}

// worksOf are the works of rows, each once.
func worksOf(rows []row) (works []*work) {
	seen := map[string]bool{}
	for _, r := range rows {
		for _, w := range r.works() {
			if !seen[w.key()] {
				seen[w.key()] = true
				works = append(works, w)
			}
		}
	}
	return works
}

func (ms measurements) add(w *work, run int, m measurement) {
	of := ms[w.key()]
	if run == len(of) {
		of = append(of, nil)
	}
	of[run] = append(of[run], m)
	ms[w.key()] = of
}

// areBrief says whether all works took little time in the first run. Files take
// none.
func (ms measurements) areBrief(works []*work) bool {
	return !slices.ContainsFunc(works, func(w *work) bool {
		first := ms[w.key()][0][0]
		return w.kind == fileSize || first.wall > briefSeconds
	})
}

// once measures a work once.
func (b *bench) once(ctx context.Context, w *work) (measurement, error) {
	switch w.kind {
	case fileSize:
		info, err := os.Stat(filepath.Join(b.dir, w.tool+exe()))
		if err != nil {
			return measurement{}, err
		}
		return measurement{size: info.Size()}, nil
	case audit:
		plan, err := b.plan(ctx, w.config)
		if err != nil {
			return measurement{}, err
		}
		if w.tool == "opa" {
			return b.command(ctx, nil, b.opa, "eval", "--format", "json", "--data", filepath.Join(b.dir, "policy.rego"), "--input", plan, "data.runners.deny")
		}
		// 2 says that there are findings, which there are meant to be.
		return b.command(ctx, []int{2}, b.runnerfit(), "audit", "--format", "json", plan)
	case firstPlan, apply, unchangedPlan:
	}
	m, err := b.terraformRun(ctx, w, "mirror")
	if err != nil || !w.needsProvider() {
		return m, err
	}
	// The memory is measured in a run of its own, because the program that watches
	// takes time.
	watched, err := b.terraformRun(ctx, w, "watched")
	m.peak = watched.peak
	return m, err
}

// command measures a command line tool: its time alone, and its memory in a run
// of its own through the program that watches.
func (b *bench) command(ctx context.Context, codes []int, name string, args ...string) (measurement, error) {
	m, err := timedIn(ctx, b.dir, os.Environ(), codes, name, args...)
	if err != nil {
		return m, err
	}
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	peaks := filepath.Join(b.dir, "peaks")
	if err := removeAll(peaks); err != nil {
		return m, err
	}
	env := append(os.Environ(), peakTarget+"="+name, peakFile+"="+peaks)
	if _, err := timedIn(ctx, b.dir, env, codes, self, args...); err != nil {
		return m, err
	}
	m.peak, err = largest(peaks)
	return m, err
}

// terraformRun plans or applies a configuration, with the providers of a
// mirror.
func (b *bench) terraformRun(ctx context.Context, w *work, mirror string) (measurement, error) {
	dir, err := b.folder(ctx, w.config, mirror)
	if err != nil {
		return measurement{}, err
	}
	state := filepath.Join(dir, "terraform.tfstate")
	peaks := filepath.Join(dir, "peaks")
	env := append(b.env(mirror), peakFile+"="+peaks)
	args := []string{"plan", "-input=false", "-lock=false", "-no-color"}
	switch w.kind {
	case unchangedPlan:
		if _, err := os.Stat(state); err != nil { // Not there yet.
			if _, err := b.output(ctx, dir, env, b.terraform, "apply", "-auto-approve", "-input=false", "-no-color"); err != nil {
				return measurement{}, err
			}
		}
	case apply, firstPlan, audit, fileSize:
		if err := removeAll(state, state+".backup"); err != nil {
			return measurement{}, err
		}
		if w.kind == apply {
			args = []string{"apply", "-auto-approve", "-input=false", "-lock=false", "-no-color"}
		}
	}
	if err := removeAll(peaks); err != nil {
		return measurement{}, err
	}
	m, err := timedIn(ctx, dir, env, nil, b.terraform, args...)
	if err != nil {
		return m, err
	}
	if mirror == "watched" {
		m.peak, err = largest(peaks)
	}
	return m, err
}

// folder is the folder of a configuration, made and initialised once.
func (b *bench) folder(ctx context.Context, config, mirror string) (string, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(config)) // It never fails.
	dir := filepath.Join(b.dir, "work", fmt.Sprintf("%x-%s", h.Sum64(), mirror))
	if b.prepared[dir] {
		return dir, nil
	}
	// What an earlier run left here belongs to another binary.
	if err := removeAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(config), 0o644); err != nil {
		return "", err
	}
	if _, err := b.output(ctx, dir, append(b.env(mirror), peakFile+"="+os.DevNull), b.terraform, "init", "-input=false", "-no-color"); err != nil {
		return "", err
	}
	b.prepared[dir] = true
	return dir, nil
}

// plan is the file with the plan of a configuration as JSON.
func (b *bench) plan(ctx context.Context, config string) (string, error) {
	dir, err := b.folder(ctx, config, "mirror")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "plan.json")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	env := b.env("mirror")
	if _, err := b.output(ctx, dir, env, b.terraform, "plan", "-input=false", "-no-color", "-out=plan.bin"); err != nil {
		return "", err
	}
	text, err := b.output(ctx, dir, env, b.terraform, "show", "-json", "plan.bin")
	if err != nil {
		return "", err
	}
	return file, os.WriteFile(file, text, 0o644)
}

// version is the first line of what the tool says of itself.
func (b *bench) version(ctx context.Context) (string, error) {
	out, err := b.output(ctx, b.dir, b.env("mirror"), b.terraform, "version")
	line, _, _ := strings.Cut(string(out), "\n")
	return line, err
}

func (b *bench) env(mirror string) []string {
	return append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(b.dir, mirror+".tfrc"), "CHECKPOINT_DISABLE=1", "AWS_EC2_METADATA_DISABLED=true")
}

// output runs a command that is not measured.
func (b *bench) output(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // The commands are this program's own.
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// timedIn runs a command and measures its time. codes are the exit codes besides
// 0 that are no failure. The memory that the system reports of a child is no less
// than what this program held when it started it, so it is not looked at here.
func timedIn(ctx context.Context, dir string, env []string, codes []int, name string, args ...string) (measurement, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // The commands are this program's own.
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now() //nolint:forbidigo // Time is what is measured.
	err := cmd.Run()
	wall := time.Since(start) //nolint:forbidigo // Time is what is measured.
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && slices.Contains(codes, exit.ExitCode()) {
		err = nil
	}
	if err != nil {
		return measurement{}, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	s := cmd.ProcessState
	return measurement{wall: wall.Seconds(), cpu: (s.UserTime() + s.SystemTime()).Seconds()}, nil
}

func removeAll(paths ...string) error {
	for _, p := range paths {
		if err := os.RemoveAll(p); err != nil {
			return err
		}
	}
	return nil
}
