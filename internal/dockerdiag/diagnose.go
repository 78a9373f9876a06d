// Package dockerdiag looks at a Docker or Podman installation that runs
// containerised runners: Docker Desktop's settings file, the engine's API on its
// socket, and a Compose file. It says what is right, what is not and what could
// not be seen, with what to do.
//
// It only reads. Of environments nothing is kept but the heap limit in
// NODE_OPTIONS, and nothing of a Compose file or of the engine's answers is
// repeated but names and numbers.
package dockerdiag

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Options say where to look.
type Options struct {
	// Settings is Docker Desktop's settings file. Without it the first of
	// SettingsPaths that exists is read, and it is no error if none does.
	Settings      string
	SettingsPaths []string
	// Socket of the engine, likewise.
	Socket      string
	SocketPaths []string
	// Compose file; none if empty.
	Compose string
	// Timeout of one question to the engine.
	Timeout time.Duration
}

// DefaultTimeout is what the usage of a container takes, and some.
const DefaultTimeout = 10 * time.Second

// Status of a check.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Fault   Status = "fault"
	Unknown Status = "unknown"
)

// Check is one line of the list.
type Check struct {
	// ID is stable: "file-sharing".
	ID     string
	Status Status
	Detail string
	// ToDo is empty where there is nothing to do.
	ToDo string
	// Finding of a rule that the check is about, if there is one.
	Finding *finding.Finding
}

// Report is what was seen.
type Report struct {
	Settings *Settings
	// Socket that the engine was asked on, and the engine; nil if there is none.
	Socket string
	Engine *Engine
	// Services of the Compose file.
	Compose  []composefile.Service
	Checks   []Check
	Findings []finding.Finding
}

// Faults is how many checks found a fault.
func (r *Report) Faults() int {
	n := 0
	for _, c := range r.Checks {
		if c.Status == Fault {
			n++
		}
	}
	return n
}

// Diagnose looks at everything that is there. An error is about something that
// was asked for by name and cannot be read; it has the path in front.
func Diagnose(ctx context.Context, o Options) (*Report, error) {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	d := &diagnosis{report: &Report{}}
	if err := d.readSettings(o); err != nil {
		return nil, err
	}
	if err := d.readCompose(ctx, o.Compose); err != nil {
		return nil, err
	}
	if err := d.readEngine(ctx, o); err != nil {
		return nil, err
	}
	d.check()
	return d.report, nil
}

// diagnosis is a Report in work.
type diagnosis struct {
	report *Report
	// Why there are no settings and no engine.
	noSettings, noEngine string
	// passedOver says why a newer settings file was not read, where an older one was.
	passedOver string
}

func (d *diagnosis) readSettings(o Options) error {
	paths, named := o.SettingsPaths, o.Settings != ""
	if named {
		paths = []string{o.Settings}
	}
	d.noSettings = "no settings file of Docker Desktop is where it usually is"
	broken := ""
	for _, p := range paths {
		s, err := ReadSettings(p)
		switch {
		case err == nil:
			d.report.Settings = &s
			d.passedOver = broken
			return nil
		case named:
			return fmt.Errorf("%s: %w", p, err)
		case !errors.Is(err, errNotFound):
			broken = fmt.Sprintf("%s: %s", p, err)
			d.noSettings = broken
		}
	}
	return nil
}

func (d *diagnosis) readCompose(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	content, err := readFile(path, composefile.MaxBytes)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	env, err := readDotEnv(filepath.Join(filepath.Dir(full), ".env"))
	if err != nil {
		return err
	}
	services, err := composefile.Read(ctx, full, content, env)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	d.report.Compose = services
	return nil
}

// readDotEnv reads the variables that a Compose file is filled in with; there
// need not be any. Nothing of them is shown.
func readDotEnv(path string) (map[string]string, error) {
	b, err := readFile(path, composefile.MaxBytes)
	switch {
	case errors.Is(err, errNotFound) || errors.Is(err, errEmpty):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// The look-up answers nothing, so that no variable of this process gets in.
	env, err := dotenv.UnmarshalWithLookup(string(b), func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, fmt.Errorf("%s: is not a file of NAME=value lines", path)
	}
	return env, nil
}

func (d *diagnosis) readEngine(ctx context.Context, o Options) error {
	if o.Socket != "" {
		e, err := ReadEngine(ctx, o.Socket, o.Timeout)
		if err != nil {
			return fmt.Errorf("%s: %w", o.Socket, err)
		}
		d.report.Engine, d.report.Socket = e, o.Socket
		return nil
	}
	d.noEngine = "no socket of an engine is where one usually is"
	if len(o.SocketPaths) == 1 {
		d.noEngine = o.SocketPaths[0] + ": no socket of an engine is there"
	}
	for _, p := range o.SocketPaths {
		if info, err := os.Stat(p); err != nil || info.Mode()&fs.ModeSocket == 0 {
			continue
		}
		e, err := ReadEngine(ctx, p, o.Timeout)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			d.report.Engine, d.report.Socket = e, p
			return nil
		}
		d.noEngine = fmt.Sprintf("%s: %s", p, err)
	}
	return nil
}

const (
	wantedSwapMiB = 1024
	// Disk for the npm cache, image layers and the build cache.
	wantedDiskMiB = 64_000_000_000 / (1 << 20)
	// engineShort is the part of a VM's memory that the engine does not see, because
	// the VM's kernel keeps it: 7.65 of 8 GiB, 11.67 of 12.
	engineShort = 0.06
	// cpuTolerance is how far a VM may fall short of 1.6 CPUs a runner, which
	// is "about": 8 CPUs were right for 6 runners.
	cpuTolerance = 1.2
)

// memoryGiB is the memory of the VM; null if nobody says. The settings are
// exact; the engine sees a little less, so its figure is rounded up.
func (d *diagnosis) memoryGiB() optional.Value[decimal.Decimal] {
	if s := d.report.Settings; s != nil {
		if mib, ok := s.MemoryMiB.Get(); ok && mib > 0 {
			return optional.Known(decimal.NewFromInt(mib).DivRound(decimal.NewFromInt(units.MiBPerGiB), 2))
		}
	}
	if e := d.report.Engine; e != nil && e.MemoryBytes > 0 {
		return optional.Known(nominalGiB(e.MemoryBytes))
	}
	return optional.Null[decimal.Decimal]()
}

// nominalGiB is the size of a VM of which the engine sees a number of bytes.
func nominalGiB(bytes int64) decimal.Decimal {
	gib := float64(bytes) / (1 << 30)
	if up := math.Ceil(gib); up-gib <= engineShort*up {
		return decimal.NewFromFloat(up)
	}
	return decimal.NewFromFloat(gib).Round(2)
}

func (d *diagnosis) cpus() optional.Value[int64] {
	if s := d.report.Settings; s != nil && s.CPUs.IsKnown() {
		return s.CPUs
	}
	if e := d.report.Engine; e != nil && e.CPUs > 0 {
		return optional.Known(e.CPUs)
	}
	return optional.Null[int64]()
}

// available is what the VM leaves to containers.
func (d *diagnosis) available() optional.Value[decimal.Decimal] {
	return optional.Map(d.memoryGiB(), func(gib decimal.Decimal) decimal.Decimal {
		return decimal.Max(decimal.Zero, gib.Sub(dockerhost.DefaultVMOverheadGiB).Sub(dockerhost.DefaultBuildCacheGiB))
	})
}

// services are what is to run: those of the Compose file, else what runs now.
func (d *diagnosis) services() []composefile.Service {
	if d.report.Compose != nil || d.report.Engine == nil {
		return d.report.Compose
	}
	out := make([]composefile.Service, 0, len(d.report.Engine.Containers))
	for _, c := range d.report.Engine.Containers {
		out = append(out, c.Service)
	}
	return out
}

func (d *diagnosis) add(c Check) { d.report.Checks = append(d.report.Checks, c) }

// addFinding adds a check that a rule has something to say about. Advice is no
// fault: whether the advice is worth taking has to be measured.
func (d *diagnosis) addFinding(id string, f finding.Finding) {
	d.report.Findings = append(d.report.Findings, f)
	status := Fault
	if f.Severity == finding.Info {
		status = Unknown
	}
	d.add(Check{ID: id, Status: status, Detail: f.Message, ToDo: f.Fix, Finding: &f})
}

func (d *diagnosis) check() {
	d.checkSettingsFile()
	d.checkVersion()
	d.checkRestart()
	d.checkCPUs()
	d.checkMemory()
	d.checkSwapAndDisk()
	d.checkStorage()
	d.checkFileSharing()
	d.checkServices()
	finding.Sort(d.report.Findings)
}

// checkSettingsFile: figures of an older file may not be those that hold.
func (d *diagnosis) checkSettingsFile() {
	if d.passedOver == "" {
		return
	}
	d.add(Check{
		ID: "settings", Status: Unknown,
		Detail: fmt.Sprintf("%s; the older %s was read instead, and its figures may no longer hold", d.passedOver, d.report.Settings.Path),
		ToDo:   "Open Docker Desktop's Settings and apply them, which writes the newer file anew; or name a file with --settings.",
	})
}

// checkVersion: figures of one version say little about another, so the version
// belongs to every measurement.
func (d *diagnosis) checkVersion() {
	e := d.report.Engine
	if e == nil {
		d.add(Check{ID: "engine", Status: Unknown, Detail: d.noEngine, ToDo: "Start Docker, or name the socket with --socket."})
		return
	}
	detail := strings.TrimSpace(e.Product)
	if e.Version != "" {
		detail += ", engine " + e.Version
	}
	d.add(Check{ID: "engine", Status: OK, Detail: strings.TrimPrefix(detail, ", ")})
}

// checkRestart: settings that were changed hold only after a full restart.
func (d *diagnosis) checkRestart() {
	s, e := d.report.Settings, d.report.Engine
	if s == nil || e == nil || !e.Desktop {
		return
	}
	var differ []string
	if cpus, ok := s.CPUs.Get(); ok && cpus != e.CPUs {
		differ = append(differ, fmt.Sprintf("%d CPUs in the settings, %d in the engine", cpus, e.CPUs))
	}
	if mib, ok := s.MemoryMiB.Get(); ok && e.MemoryBytes > 0 {
		set, seen := float64(mib)/units.MiBPerGiB, float64(e.MemoryBytes)/(1<<30)
		if seen > set || seen < set*(1-2*engineShort) {
			differ = append(differ, fmt.Sprintf("%s GiB in the settings, %s in the engine", units.Number(set), units.Number(seen)))
		}
	}
	if len(differ) > 0 {
		d.add(Check{ID: "restart", Status: Fault, Detail: strings.Join(differ, "; "), ToDo: "Restart Docker Desktop fully: settings that were changed do not hold before that."})
	}
}

// runnersAtOnce is how many runners are to run, by their names: a database
// beside them does not take the CPUs that a runner does. 0 if nothing says.
func (d *diagnosis) runnersAtOnce() int64 {
	n := int64(0)
	for _, s := range d.services() {
		if strings.Contains(strings.ToLower(s.Name), "runner") {
			n += s.Replicas
		}
	}
	return n
}

func (d *diagnosis) checkCPUs() {
	cpus, ok := d.cpus().Get()
	if !ok {
		d.add(Check{ID: "cpus", Status: Unknown, Detail: d.unseen(), ToDo: "About 1.6 CPUs a runner are right, 16 for ten: look at Docker Desktop's Settings, Resources."})
		return
	}
	each := dockerhost.DefaultCPUsPerRunner
	enough := decimal.NewFromInt(cpus).Mul(decimal.NewFromFloat(cpuTolerance)).DivRound(each, 4).Floor()
	detail := fmt.Sprintf("%d, enough for %s at about %s each", cpus, runners(enough), each)
	n := d.runnersAtOnce()
	if n == 0 || !decimal.NewFromInt(n).GreaterThan(enough) {
		d.add(Check{ID: "cpus", Status: OK, Detail: detail})
		return
	}
	d.addFinding("cpus", dockerhost.RuleCPU.New(finding.Info, "",
		fmt.Sprintf("%s, and %d are to run.", detail, n),
		fmt.Sprintf("Give the VM %s CPUs, or start fewer runners.", each.Mul(decimal.NewFromInt(n)).Ceil())))
}

// unseen says why a figure of the VM is not known.
func (d *diagnosis) unseen() string {
	if d.report.Settings != nil {
		return "not in the settings file, so it is Docker Desktop's default, which depends on its version"
	}
	return d.noSettings
}

func (d *diagnosis) checkMemory() {
	gib, ok := d.memoryGiB().Get()
	if !ok {
		d.add(Check{ID: "memory", Status: Unknown, Detail: d.unseen(), ToDo: "It is not the Mac's memory. Look at Docker Desktop's Settings, Resources: 12 GiB for three runners at their peak, 20 for five."})
		return
	}
	reserved := dockerhost.DefaultVMOverheadGiB.Add(dockerhost.DefaultBuildCacheGiB)
	n := dockerhost.Runners(gib, dockerhost.DefaultMemoryLimitGiB, reserved)
	if n.IsZero() {
		d.addFinding("memory", dockerhost.RuleMemorySmall.New(finding.Warning, "",
			fmt.Sprintf("%s GiB less the %s of the VM and the build cache hold no runner of %s GiB.", gib, reserved, dockerhost.DefaultMemoryLimitGiB),
			fmt.Sprintf("Give the VM %s GiB or more.", reserved.Add(dockerhost.DefaultMemoryLimitGiB))))
		return
	}
	available, _ := d.available().Get()
	todo := ""
	if n.Equal(decimal.NewFromInt(1)) {
		todo = "One runner is enough to try it out, not for regular use: 12 GiB hold three, 20 hold five."
	}
	d.add(Check{ID: "memory", Status: OK, ToDo: todo, Detail: fmt.Sprintf("%s GiB, which leave %s to containers: room for %s of %s GiB", gib, available, runners(n), dockerhost.DefaultMemoryLimitGiB)})
}

func runners(n decimal.Decimal) string {
	if n.Equal(decimal.NewFromInt(1)) {
		return "one runner"
	}
	return n.String() + " runners"
}

func (d *diagnosis) checkSwapAndDisk() {
	s := d.report.Settings
	if s == nil {
		return // only the settings file tells
	}
	amount := func(id string, v optional.Value[int64], wanted int64, unit func(int64) string, todo string) {
		mib, ok := v.Get()
		switch {
		case !ok:
			d.add(Check{ID: id, Status: Unknown, Detail: d.unseen(), ToDo: todo})
		case mib < wanted:
			d.add(Check{ID: id, Status: Fault, Detail: unit(mib), ToDo: todo})
		default:
			d.add(Check{ID: id, Status: OK, Detail: unit(mib)})
		}
	}
	amount("swap", s.SwapMiB, wantedSwapMiB, func(mib int64) string { return units.Number(float64(mib)/units.MiBPerGiB) + " GiB" },
		"Give the VM 1 GiB of swap.")
	amount("disk", s.Disk, wantedDiskMiB, func(mib int64) string { return units.Number(math.Round(float64(mib)*(1<<20)/1e9)) + " GB" },
		"Give the VM 64 GB or more: npm's cache, image layers and the build cache share it.")
}

func (d *diagnosis) checkStorage() {
	s, e := d.report.Settings, d.report.Engine
	const todo = "Turn on “Use containerd for pulling and storing images” in Docker Desktop's Settings, General: pulls run in parallel and old images go sooner. It is advice, not a need."
	switch {
	case e != nil && e.Storage != "" && (e.Containerd || !e.Desktop):
		detail := e.Storage
		if e.Containerd {
			detail += " (containerd)"
		}
		d.add(Check{ID: "storage-driver", Status: OK, Detail: detail})
	case e != nil && e.Storage != "":
		d.add(Check{ID: "storage-driver", Status: Unknown, Detail: e.Storage + ", images are not kept by containerd", ToDo: todo})
	case s != nil && s.Containerd.IsKnown():
		if on, _ := s.Containerd.Get(); on {
			d.add(Check{ID: "storage-driver", Status: OK, Detail: "containerd"})
			return
		}
		d.add(Check{ID: "storage-driver", Status: Unknown, Detail: "images are not kept by containerd", ToDo: todo})
	default:
		d.add(Check{ID: "storage-driver", Status: Unknown, Detail: "neither the engine nor the settings file tells", ToDo: todo})
	}
}

// sharingNames are how Docker Desktop calls them.
var sharingNames = map[dockerhost.FileSharing]string{dockerhost.VirtioFS: "VirtioFS", dockerhost.GRPCFUSE: "gRPC FUSE", dockerhost.OSXFS: "osxfs"}

func (d *diagnosis) checkFileSharing() {
	const id = "file-sharing"
	s, e := d.report.Settings, d.report.Engine
	switch {
	case s == nil && e != nil && !e.Desktop:
		d.add(Check{ID: id, Status: Unknown, Detail: "the engine is not Docker Desktop: on Linux nothing is shared, in a VM of another kind its own settings tell"})
	case s == nil:
		d.add(Check{ID: id, Status: Unknown, Detail: d.noSettings, ToDo: "Look at Docker Desktop's Settings, General: choose VirtioFS."})
	default:
		sharing, ok := s.FileSharing().Get()
		if !ok {
			d.add(Check{ID: id, Status: Unknown, Detail: d.unseen() + " (VirtioFS in recent ones)", ToDo: "Look at Docker Desktop's Settings, General: choose VirtioFS."})
			return
		}
		if fs := dockerhost.JudgeFileSharing(sharing, ""); len(fs) > 0 {
			fs[0].Message = sharingNames[sharing] + ". " + fs[0].Message
			d.addFinding(id, fs[0])
			return
		}
		d.add(Check{ID: id, Status: OK, Detail: sharingNames[sharing]})
	}
}

// checkServices applies the rules of services to the Compose file and to what
// runs: a limit may be in the one and not yet in the other.
func (d *diagnosis) checkServices() {
	var fs []finding.Finding
	both := d.report.Compose != nil && d.report.Engine != nil && len(d.report.Engine.Containers) > 0
	judge := func(where string, services []composefile.Service) {
		found := finding.Merge(dockerhost.JudgeServices(services, d.available(), ""))
		for i := range found {
			if both {
				found[i].Message = where + ": " + found[i].Message
			}
		}
		fs = append(fs, found...)
	}
	if d.report.Compose != nil {
		judge("Compose file", d.report.Compose)
	}
	if e := d.report.Engine; e != nil {
		running := make([]composefile.Service, len(e.Containers))
		for i, c := range e.Containers {
			running[i] = c.Service
			running[i].Name = c.Name
		}
		judge("Running now", running)
	}
	if e := d.report.Engine; e != nil && !e.Desktop && d.report.Settings == nil {
		// A bind mount is slow only where it crosses into a VM.
		fs = slices.DeleteFunc(fs, func(f finding.Finding) bool { return f.Rule == dockerhost.RuleBindMount.ID })
	}
	finding.Sort(fs)
	for _, f := range fs {
		d.addFinding(strings.TrimPrefix(f.Rule, "docker-"), f)
	}
	if d.report.Compose == nil && d.report.Engine == nil {
		d.add(Check{ID: "memory-limits", Status: Unknown, Detail: "there is neither an engine nor a Compose file to look at", ToDo: "Name the Compose file with --compose."})
		return
	}
	if e := d.report.Engine; e != nil && e.Skipped > 0 {
		what, todo := "one running container was", "see docker inspect for it"
		if e.Skipped > 1 {
			what, todo = fmt.Sprintf("%d running containers were", e.Skipped), "see docker inspect for them"
		}
		d.add(Check{
			ID: "memory-limits", Status: Unknown, Detail: what + " not looked at, so whether all have a limit is not known",
			ToDo: fmt.Sprintf("At most %d are looked at, and the engine may refuse to show one: %s.", maxContainers, todo),
		})
		return
	}
	if len(d.services()) == 0 {
		d.add(Check{ID: "memory-limits", Status: Unknown, Detail: "no container is running", ToDo: "Start the runners, or name their Compose file with --compose."})
		return
	}
	unlimited := slices.ContainsFunc(fs, func(f finding.Finding) bool { return f.Rule == dockerhost.RuleMemoryUnlimited.ID })
	if !unlimited {
		d.add(Check{ID: "memory-limits", Status: OK, Detail: "every container has one"})
	}
}

// Step is what to try next when a vitest run in a container fails.
type Step struct {
	ID string `json:"id"`
	// Do is the change, Tells what it means if the failure goes away.
	Do    string `json:"do"`
	Tells string `json:"tells"`
}

// NextSteps narrow a failing vitest run down, one at a time.
var NextSteps = []Step{
	{ID: "A1", Do: "pnpm vitest run --no-coverage", Tells: "it was the memory of the coverage"},
	{ID: "A2", Do: "poolOptions.forks.singleFork = true in vitest's configuration", Tells: "it was several forks at a time"},
	{ID: "A3", Do: "pnpm vitest run --no-file-parallelism", Tells: "it was test files that disturb each other"},
	{ID: "A4", Do: "runs-on: [self-hosted, macOS, ARM64, native] (a runner without a container)", Tells: "it was the container: its limits, its files or its kernel"},
}
