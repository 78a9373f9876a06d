// Package dockerhost knows how many containerised runners one Docker VM holds:
// the usual count per organisation, the count that never over-commits, what it
// takes to run out of memory in between, and the Compose file that carries the
// limits. Its rules judge the plan and the services of an existing Compose file;
// see rules.go.
//
// The figures were measured on one Mac with Docker Desktop, runners of vitest
// with coverage and npm; each default names what it stands for.
package dockerhost

import (
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Defaults of a Host, as measured.
var (
	// DefaultMemoryLimitGiB is what a runner peaks at under vitest with coverage.
	DefaultMemoryLimitGiB = decimal.NewFromInt(3)
	// DefaultVMOverheadGiB is what the VM's own system and the engine keep.
	DefaultVMOverheadGiB = decimal.NewFromInt(2)
	// DefaultBuildCacheGiB is BuildKit's working space.
	DefaultBuildCacheGiB = decimal.NewFromInt(1)
	// DefaultTmpfsMiB is /tmp and /dev/shm together.
	DefaultTmpfsMiB = decimal.NewFromInt(768)
	// DefaultCPUsPerRunner is 16 CPUs for ten runners.
	DefaultCPUsPerRunner = decimal.New(16, -1)
)

const (
	// heapMarginMiB is what a Node process needs beside its heap: code, stacks,
	// buffers. 3,072 MiB less 768 of tmpfs less this is the 2,048 that held.
	heapMarginMiB = 256
	// cpuTolerance is how far a VM may fall short of DefaultCPUsPerRunner, which is
	// "about": the same fleet ran six runners on eight CPUs, 1.2 times the demand.
	cpuTolerance = 1.2
	// IdleMiB is what a runner without a job takes.
	IdleMiB = 40
	// ratioDigits is how many decimals a ratio is worth.
	ratioDigits = 4
)

// FileSharing is how Docker Desktop hands folders of the Mac to containers.
type FileSharing string

// The implementations, from fastest to slowest in most versions.
const (
	VirtioFS FileSharing = "virtiofs"
	GRPCFUSE FileSharing = "grpcfuse"
	OSXFS    FileSharing = "osxfs"
)

// FileSharings are all implementations.
var FileSharings = []FileSharing{VirtioFS, GRPCFUSE, OSXFS}

// Host is a VM for containerised runners as somebody wrote it. Unknown members
// are waited for.
type Host struct {
	// MemoryGiB of the VM, not of the Mac. There is no default: Docker Desktop's
	// own has changed between versions.
	MemoryGiB optional.Value[decimal.Decimal]
	// CPUs of the VM; null if they are not to be judged.
	CPUs optional.Value[decimal.Decimal]
	// Organizations that get runners of their own; 1 if null.
	Organizations optional.Value[decimal.Decimal]
	// Replicas are the runners of each organisation; the usual count if null.
	Replicas optional.Value[decimal.Decimal]
	// MemoryLimitGiB of one container, VMOverheadGiB and BuildCacheGiB of the VM,
	// TmpfsMiB in one container (which counts inside its limit), CPUsPerRunner: the
	// defaults above if null.
	MemoryLimitGiB, VMOverheadGiB, BuildCacheGiB, TmpfsMiB, CPUsPerRunner optional.Value[decimal.Decimal]
	// NodeHeapMiB is Node's --max-old-space-size; what fits if null.
	NodeHeapMiB optional.Value[decimal.Decimal]
	// FileSharing of Docker Desktop; null if it is not to be judged.
	FileSharing optional.Value[FileSharing]
	// Services of a Compose file that is there already, to be judged.
	Services optional.Value[[]composefile.Service]
}

// Plan is what follows from a Host. A null member does not apply; an unknown
// one waits for an input.
type Plan struct {
	// AvailableMemoryGiB is what the VM leaves to containers; never negative.
	AvailableMemoryGiB optional.Value[decimal.Decimal]
	// RunnersWithoutOvercommit can all be at their limit at the same time.
	RunnersWithoutOvercommit optional.Value[int64]
	ReplicasPerOrganization  optional.Value[int64]
	TotalRunners             optional.Value[int64]
	// WorstCaseMemoryGiB is the sum of all limits.
	WorstCaseMemoryGiB optional.Value[decimal.Decimal]
	// OvercommitRatio is the sum of all limits over what is available; null if
	// nothing is available for runners that are wanted.
	OvercommitRatio optional.Value[decimal.Decimal]
	// CPURatio is the CPUs that the runners want over those that are there; null
	// without CPUs.
	CPURatio      optional.Value[decimal.Decimal]
	NodeHeapMiB   optional.Value[int64]
	VitestThreads optional.Value[int64]
	// ComposeYAML and DotEnv are the files to start the runners with; null if there
	// are none to start.
	ComposeYAML, DotEnv      optional.Value[string]
	Findings                 []finding.Finding
	FindingsWaitForAnUnknown bool
}

// Runners is how many containers of a limit fit into a memory that something
// else is reserved of: a whole number, never negative. The limit must be
// positive.
func Runners(memoryGiB, limitGiB, reservedGiB decimal.Decimal) decimal.Decimal {
	left := memoryGiB.Sub(reservedGiB)
	if !left.IsPositive() {
		return decimal.Zero
	}
	// The quotient of a division with remainder is exact, where Div rounds.
	n, _ := left.QuoRem(limitGiB, 0)
	return n
}

// host is a Host in work, its defaults filled in.
type host struct {
	Host
	available optional.Value[decimal.Decimal] // may be negative
	plan      Plan
}

// Evaluate plans the runners of a host and applies the rules. It is for hosts
// without Problems. An error is a fault of this package: the Compose file that
// it wrote does not load.
func Evaluate(in Host) (Plan, error) {
	h := &host{Host: in}
	h.Organizations = in.Organizations.Or(decimal.NewFromInt(1))
	h.MemoryLimitGiB = in.MemoryLimitGiB.Or(DefaultMemoryLimitGiB)
	h.VMOverheadGiB = in.VMOverheadGiB.Or(DefaultVMOverheadGiB)
	h.BuildCacheGiB = in.BuildCacheGiB.Or(DefaultBuildCacheGiB)
	h.TmpfsMiB = in.TmpfsMiB.Or(DefaultTmpfsMiB)
	h.CPUsPerRunner = in.CPUsPerRunner.Or(DefaultCPUsPerRunner)
	h.count()
	h.compare()
	if err := h.writeFiles(); err != nil {
		return Plan{}, err
	}
	h.plan.Findings = finding.Merge(h.findings())
	h.plan.FindingsWaitForAnUnknown = h.waits()
	return h.plan, nil
}

// count works out how many runners there can be and how many there are.
func (h *host) count() {
	reserved := optional.Map2(h.VMOverheadGiB, h.BuildCacheGiB, decimal.Decimal.Add)
	h.available = optional.Map2(h.MemoryGiB, reserved, decimal.Decimal.Sub)
	h.plan.AvailableMemoryGiB = optional.Map(h.available, func(d decimal.Decimal) decimal.Decimal { return decimal.Max(decimal.Zero, d) })
	fit := optional.Map2(h.available, h.MemoryLimitGiB, func(available, limit decimal.Decimal) int64 {
		return Runners(available, limit, decimal.Zero).IntPart()
	})
	h.plan.RunnersWithoutOvercommit = fit
	// The usual count gives every organisation what the VM holds once: jobs rarely
	// peak together, and Overcommit says what happens when they do.
	h.plan.ReplicasPerOrganization = optional.Map(h.Replicas, decimal.Decimal.IntPart).OrElse(fit)
	h.plan.TotalRunners = optional.Map2(h.plan.ReplicasPerOrganization, h.Organizations, func(replicas int64, organizations decimal.Decimal) int64 {
		return replicas * organizations.IntPart()
	})
}

// compare sets what the runners want against what there is.
func (h *host) compare() {
	p := &h.plan
	total := optional.Map(p.TotalRunners, decimal.NewFromInt)
	p.WorstCaseMemoryGiB = optional.Map2(total, h.MemoryLimitGiB, decimal.Decimal.Mul)
	p.OvercommitRatio = optional.Then(optional.Both(p.WorstCaseMemoryGiB, h.available), func(m optional.Pair[decimal.Decimal, decimal.Decimal]) optional.Value[decimal.Decimal] {
		switch {
		case m.A.IsZero():
			return optional.Known(decimal.Zero)
		case !m.B.IsPositive():
			return optional.Null[decimal.Decimal]()
		}
		return optional.Known(m.A.DivRound(m.B, ratioDigits))
	})
	wanted := optional.Map2(total, h.CPUsPerRunner, decimal.Decimal.Mul)
	p.CPURatio = optional.Map2(wanted, h.CPUs, func(wanted, cpus decimal.Decimal) decimal.Decimal { return wanted.DivRound(cpus, ratioDigits) })
	p.NodeHeapMiB = optional.Map(h.NodeHeapMiB, decimal.Decimal.IntPart).OrElse(h.heapThatFits())
	// As many threads as CPUs: more were seen to cost more in switches than they
	// brought.
	p.VitestThreads = optional.Map(h.CPUsPerRunner, func(d decimal.Decimal) int64 { return max(1, d.Ceil().IntPart()) })
}

// heapThatFits is the largest heap that a Node process may grow to inside the
// container's limit; 0 if there is no room for any.
func (h *host) heapThatFits() optional.Value[int64] {
	return optional.Map2(h.MemoryLimitGiB, h.TmpfsMiB, func(limit, tmpfs decimal.Decimal) int64 {
		return heapThatFits(limit.Mul(decimal.NewFromInt(units.MiBPerGiB)).Sub(tmpfs))
	})
}

// heapThatFits is the heap for what a limit leaves when the tmpfs are full.
func heapThatFits(leftMiB decimal.Decimal) int64 {
	return max(0, leftMiB.Sub(decimal.NewFromInt(heapMarginMiB)).Floor().IntPart())
}

// writeFiles writes the Compose file and its .env.
func (h *host) writeFiles() error {
	p := &h.plan
	inputs := optional.Both(
		optional.Both(p.TotalRunners, optional.Both(p.ReplicasPerOrganization, h.Organizations)),
		optional.Both(optional.Both(h.MemoryLimitGiB, h.TmpfsMiB), optional.Both(p.NodeHeapMiB, p.VitestThreads)))
	in, ok := inputs.Get()
	if !ok || in.A.A == 0 {
		none := optional.Null[string]()
		if inputs.IsUnknown() {
			none = optional.Unknown[string]()
		}
		p.ComposeYAML, p.DotEnv = none, none
		return nil
	}
	c := Compose{
		Organizations:    int(in.A.B.B.IntPart()),
		Replicas:         int(in.A.B.A),
		MemoryLimitBytes: in.B.A.A.Mul(bytesPerGiB).IntPart(),
		TmpfsMiB:         in.B.A.B.IntPart(),
		NodeHeapMiB:      in.B.B.A,
		VitestThreads:    in.B.B.B,
	}
	text, err := c.YAML()
	if err != nil {
		return err
	}
	p.ComposeYAML, p.DotEnv = optional.Known(text), optional.Known(c.DotEnv())
	return nil
}

var bytesPerGiB = decimal.NewFromInt(1 << 30)

// waits says whether any input is unknown.
func (h *host) waits() bool {
	for _, v := range []optional.Value[decimal.Decimal]{
		h.MemoryGiB, h.CPUs, h.Organizations, h.Replicas, h.MemoryLimitGiB, h.VMOverheadGiB,
		h.BuildCacheGiB, h.TmpfsMiB, h.CPUsPerRunner, h.NodeHeapMiB,
	} {
		if v.IsUnknown() {
			return true
		}
	}
	return h.FileSharing.IsUnknown() || h.Services.IsUnknown()
}
