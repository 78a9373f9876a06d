package dockerhost

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

//go:embed rules/*.md
var pages embed.FS

func rule(id, summary string, severities ...finding.Severity) finding.Rule {
	return finding.Rule{ID: id, Summary: summary, Severities: severities, Pages: pages}
}

// The rules of containers on one host. Each has a page of the same name under rules/.
var (
	RuleMemoryOvercommit = rule("docker-memory-overcommit", "Containers may use more memory than their VM has", finding.Warning)
	RuleMemoryUnlimited  = rule("docker-memory-unlimited", "Container has no memory limit", finding.Warning)
	RuleMemorySmall      = rule("docker-memory-small", "Docker's VM has too little memory for runners", finding.Warning, finding.Info)
	RuleHeap             = rule("docker-heap", "Node's heap does not fit into its container", finding.Error)
	RuleCPU              = rule("docker-cpu", "Docker's VM has fewer CPUs than its runners want", finding.Info)
	RuleFileSharing      = rule("docker-file-sharing", "Docker Desktop shares files by a slow implementation", finding.Warning)
	RuleBindMount        = rule("docker-bind-mount", "Container works on files of the Mac", finding.Warning, finding.Info)
)

// Rules are the rules of this package.
func Rules() []finding.Rule {
	return []finding.Rule{
		RuleMemoryOvercommit, RuleMemoryUnlimited, RuleMemorySmall, RuleHeap, RuleCPU, RuleFileSharing, RuleBindMount,
	}
}

// findings applies every rule whose inputs are known.
func (h *host) findings() []finding.Finding {
	var fs []finding.Finding
	fs = append(fs, h.memorySmall()...)
	fs = append(fs, h.memoryOvercommit()...)
	fs = append(fs, h.heap()...)
	fs = append(fs, h.cpu()...)
	if s, ok := h.FileSharing.Get(); ok {
		fs = append(fs, JudgeFileSharing(s, "file_sharing")...)
	}
	if services, ok := h.Services.Get(); ok {
		fs = append(fs, JudgeServices(services, h.plan.AvailableMemoryGiB, "existing_compose_yaml")...)
	}
	return fs
}

// memorySmall: no runner fits, or only one, which leaves the next job waiting.
func (h *host) memorySmall() []finding.Finding {
	in, ok := optional.Both(optional.Both(h.MemoryGiB, h.available), optional.Both(h.MemoryLimitGiB, h.plan.RunnersWithoutOvercommit)).Get()
	if !ok || in.B.B > 1 {
		return nil
	}
	memory, available, limit := in.A.A, in.A.B, in.B.A
	reserved := memory.Sub(available)
	if in.B.B == 1 {
		return []finding.Finding{RuleMemorySmall.New(finding.Info, "memory_gib",
			fmt.Sprintf("%s GiB hold one runner of %s GiB at its peak, so jobs wait for each other: enough to try it, not for regular use.", gib(memory), gib(limit)),
			fmt.Sprintf("Write memory_gib = %s or more for two.", gib(reserved.Add(limit).Add(limit))))}
	}
	left := fmt.Sprintf("leave %s GiB", gib(available))
	if !available.IsPositive() {
		left = "leave nothing"
	}
	return []finding.Finding{RuleMemorySmall.New(finding.Warning, "memory_gib",
		fmt.Sprintf("No runner fits: %s GiB less the %s GiB of the VM and the build cache %s, and a runner of %s GiB needs %s GiB more.",
			gib(memory), gib(reserved), left, gib(limit), gib(limit.Sub(available))),
		fmt.Sprintf("Write memory_gib = %s or more.", gib(reserved.Add(limit))))}
}

// memoryOvercommit: the limits together are more than there is, so that enough
// jobs at their peak at once run out. That is a bet and not an error: a runner
// without a job takes 40 MiB.
func (h *host) memoryOvercommit() []finding.Finding {
	in, ok := optional.Both(
		optional.Both(h.plan.TotalRunners, h.plan.RunnersWithoutOvercommit),
		optional.Both(optional.Both(h.available, h.MemoryLimitGiB), optional.Both(h.MemoryGiB, h.Organizations))).Get()
	if !ok {
		return nil
	}
	total, fit := in.A.A, in.A.B
	available, limit := in.B.A.A, in.B.A.B
	memory, organizations := in.B.B.A, in.B.B.B.IntPart()
	worst := limit.Mul(decimal.NewFromInt(total))
	if total == 0 || !worst.GreaterThan(available) {
		return nil
	}
	path := "replicas"
	if h.Replicas.IsNull() && organizations > 1 {
		path = "organizations"
	}
	var ways []string
	if each := fit / organizations; each > 0 {
		ways = append(ways, fmt.Sprintf("replicas = %d (%d in all, which never run out)", each, each*organizations))
	}
	ways = append(ways, fmt.Sprintf("memory_gib = %s", gib(memory.Sub(available).Add(worst).Ceil())))
	return []finding.Finding{RuleMemoryOvercommit.New(finding.Warning, path,
		fmt.Sprintf("%s of %s GiB may use %s GiB, but the VM's %s GiB leave them %s%s. When %s, the VM runs out of memory and the kernel kills processes in any of them.",
			runners(total), gib(limit), gib(worst), gib(memory), gib(decimal.Max(decimal.Zero, available)), times(worst, available), peak(fit+1, total)),
		fmt.Sprintf("Write %s, or keep it if so many jobs never peak together: without a job a runner takes about %d MiB.", strings.Join(ways, " or "), IdleMiB))}
}

// times says how much more than available is wanted.
func times(worst, available decimal.Decimal) string {
	if !available.IsPositive() {
		return ""
	}
	return fmt.Sprintf(", so the limits are %s times that", units.Number(worst.DivRound(available, ratioDigits).InexactFloat64()))
}

func runners(n int64) string {
	if n == 1 {
		return "One runner"
	}
	return units.Count(n) + " runners"
}

func peak(n, total int64) string {
	switch n {
	case 1:
		return "one of them is at its peak"
	case total:
		return fmt.Sprintf("all %s are at their peak at once", units.Count(n))
	}
	return fmt.Sprintf("%s or more are at their peak at once", units.Count(n))
}

// heap: a heap that may outgrow the container's limit.
func (h *host) heap() []finding.Finding {
	in, ok := optional.Both(optional.Both(h.MemoryLimitGiB, h.TmpfsMiB), h.heapThatFits()).Get()
	if !ok {
		return nil
	}
	limitMiB, tmpfs, fits := in.A.A.Mul(decimal.NewFromInt(units.MiBPerGiB)), in.A.B, in.B
	written, isWritten := optional.Map(h.NodeHeapMiB, decimal.Decimal.IntPart).Get()
	sum := fmt.Sprintf("the limit of %s MiB less %s MiB of tmpfs, which count inside it, and %d MiB for the rest of the process", units.Decimal(limitMiB), units.Decimal(tmpfs), heapMarginMiB)
	switch {
	case fits == 0 && !h.NodeHeapMiB.IsUnknown():
		need := tmpfs.Add(decimal.NewFromInt(heapMarginMiB+usefulHeapMiB)).DivRound(decimal.NewFromInt(units.MiBPerGiB), ratioDigits).RoundUp(1)
		return []finding.Finding{RuleHeap.New(finding.Error, "memory_limit_gib",
			fmt.Sprintf("No room is left for Node's heap: %s leave nothing.", sum),
			fmt.Sprintf("Write memory_limit_gib = %s or more, or less tmpfs_mib.", gib(need)))}
	case isWritten && written > fits:
		return []finding.Finding{RuleHeap.New(finding.Error, "node_heap_mib",
			fmt.Sprintf("Node may grow its heap to %s MiB, but %s leave %s. The kernel kills the process before Node collects its garbage.", units.Count(written), sum, units.Count(fits)),
			fmt.Sprintf("Write node_heap_mib = %d, or leave it out.", fits))}
	}
	return nil
}

// usefulHeapMiB is the least heap that is worth a suggestion.
const usefulHeapMiB = 512

// cpu: fewer CPUs than about 1.6 a runner.
func (h *host) cpu() []finding.Finding {
	in, ok := optional.Both(optional.Both(h.plan.TotalRunners, h.CPUs), optional.Both(h.CPUsPerRunner, h.plan.CPURatio)).Get()
	if !ok || !in.B.B.GreaterThan(decimal.NewFromFloat(cpuTolerance)) {
		return nil
	}
	return []finding.Finding{RuleCPU.New(finding.Info, "cpus",
		fmt.Sprintf("%s at about %s CPUs each want %s, %s times the %s that the VM has: jobs slow each other down when all are busy.",
			runners(in.A.A), gib(in.B.A), gib(in.B.A.Mul(decimal.NewFromInt(in.A.A))), units.Number(in.B.B.InexactFloat64()), gib(in.A.B)),
		fmt.Sprintf("Give the VM cpus = %s, or fewer runners.", gib(in.B.A.Mul(decimal.NewFromInt(in.A.A)).Ceil())))}
}

// JudgeFileSharing judges how Docker Desktop shares files. No rule holds for all
// versions: on Docker Desktop 4.15 with macOS 13 on Intel, VirtioFS was seen
// eleven times slower than gRPC FUSE (docker/for-mac 6667), so the fix says to
// measure.
func JudgeFileSharing(s FileSharing, path string) []finding.Finding {
	var is string
	switch s {
	case GRPCFUSE:
		is = "Files of the Mac reach containers through gRPC FUSE. An npm install with a cold cache took 10 s with it and 5 s with VirtioFS, and its runs varied more; with a warm cache, or on the container's own file system, both were alike."
	case OSXFS:
		is = "Files of the Mac reach containers through osxfs, the oldest and slowest way: VirtioFS and gRPC FUSE are both off."
	default:
		return nil
	}
	return []finding.Finding{RuleFileSharing.New(finding.Warning, path, is,
		"Choose VirtioFS in Docker Desktop's Settings, General, and restart Docker Desktop fully. Measure before and after: versions are known in which VirtioFS was the slower one. Files of jobs belong in named volumes, which neither touches.")}
}

// databaseFolders are where images keep databases; a database on shared files is
// what suffers most (seeding took 8 minutes natively, 20 over gRPC FUSE, 29 over
// VirtioFS: docker/for-mac 6363).
var databaseFolders = []string{
	"/var/lib/postgresql", "/var/lib/mysql", "/var/lib/mariadb", "/var/lib/mongodb", "/data/db", "/var/lib/clickhouse",
	"/var/lib/elasticsearch", "/usr/share/elasticsearch/data", "/var/opt/mssql", "/bitnami/postgresql", "/bitnami/mysql", "/bitnami/mongodb",
}

// JudgeServices judges the services of a Compose file, or running containers,
// against the memory that the VM leaves to containers (null if it is not
// known). All findings have the same path.
func JudgeServices(services []composefile.Service, availableGiB optional.Value[decimal.Decimal], path string) []finding.Finding {
	var fs []finding.Finding
	if f, ok := unlimited(services); ok {
		fs = append(fs, f)
	}
	if f, ok := servicesOvercommit(services, availableGiB); ok {
		fs = append(fs, f)
	}
	fs = append(fs, heaps(services)...)
	fs = append(fs, bindMounts(services)...)
	for i := range fs {
		fs[i].Path = path
	}
	return fs
}

func unlimited(services []composefile.Service) (finding.Finding, bool) {
	var names []string
	for _, s := range services {
		if s.MemoryLimitBytes == 0 && s.Replicas > 0 {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return finding.Finding{}, false
	}
	have, them := "have", "any of them"
	if len(names) == 1 {
		have, them = "has", "it"
	}
	return RuleMemoryUnlimited.New(finding.Warning, "",
		fmt.Sprintf("%s %s no memory limit. One job in %s can take all of the VM's memory, and the kernel then kills processes in every container.", list(names), have, them),
		fmt.Sprintf("Write mem_limit: %sg (the peak of vitest with coverage; measure your own).", DefaultMemoryLimitGiB)), true
}

func servicesOvercommit(services []composefile.Service, availableGiB optional.Value[decimal.Decimal]) (finding.Finding, bool) {
	available, ok := availableGiB.Get()
	if !ok {
		return finding.Finding{}, false
	}
	var sum decimal.Decimal
	var containers int64
	for _, s := range services {
		if s.MemoryLimitBytes > 0 {
			sum = sum.Add(decimal.NewFromInt(s.MemoryLimitBytes).Mul(decimal.NewFromInt(s.Replicas)))
			containers += s.Replicas
		}
	}
	worst := sum.Div(bytesPerGiB)
	if !worst.GreaterThan(available) {
		return finding.Finding{}, false
	}
	return RuleMemoryOvercommit.New(finding.Warning, "",
		fmt.Sprintf("The limits of %s containers add up to %s GiB, but the VM leaves containers %s%s. As few as %s of them at their peak at once run out, and the kernel then kills processes in any of them.",
			units.Count(containers), gib(worst), gib(available), times(worst, available), units.Count(fewest(services, available))),
		"Start fewer replicas or give the VM more memory, unless so many jobs never peak together."), true
}

// fewest is the smallest number of containers whose limits exceed a memory that
// all together exceed: the largest come first.
func fewest(services []composefile.Service, availableGiB decimal.Decimal) int64 {
	bySize := slices.Clone(services)
	slices.SortStableFunc(bySize, func(a, b composefile.Service) int { return cmp.Compare(b.MemoryLimitBytes, a.MemoryLimitBytes) })
	left := availableGiB.Mul(bytesPerGiB)
	n := int64(0)
	for _, s := range bySize {
		limit := decimal.NewFromInt(s.MemoryLimitBytes)
		if left.LessThan(limit.Mul(decimal.NewFromInt(s.Replicas))) {
			more, _ := left.QuoRem(limit, 0)
			return n + more.IntPart() + 1
		}
		left = left.Sub(limit.Mul(decimal.NewFromInt(s.Replicas)))
		n += s.Replicas
	}
	return n
}

// heaps: services whose heap does not fit; those with the same figures are one
// finding.
func heaps(services []composefile.Service) []finding.Finding {
	type figures struct{ heap, limit, tmpfs int64 }
	var order []figures
	names := map[figures][]string{}
	for _, s := range services {
		heap, ok := s.NodeHeapMiB.Get()
		const mib = 1 << 20
		f := figures{heap: heap, limit: s.MemoryLimitBytes / mib, tmpfs: s.TmpfsBytes / mib}
		if !ok || s.MemoryLimitBytes == 0 || heap <= heapThatFits(decimal.NewFromInt(f.limit-f.tmpfs)) {
			continue
		}
		if names[f] == nil {
			order = append(order, f)
		}
		names[f] = append(names[f], s.Name)
	}
	var fs []finding.Finding
	for _, f := range order {
		fits := heapThatFits(decimal.NewFromInt(f.limit - f.tmpfs))
		fix := fmt.Sprintf("Write --max-old-space-size=%d in NODE_OPTIONS, or raise mem_limit.", fits)
		if fits < usefulHeapMiB {
			fix = fmt.Sprintf("Raise mem_limit to %dm or more.", f.heap+f.tmpfs+heapMarginMiB)
		}
		fs = append(fs, RuleHeap.New(finding.Error, "",
			fmt.Sprintf("%s: Node may grow its heap to %s MiB, but the limit of %s MiB less %s MiB of tmpfs, which count inside it, and %d MiB for the rest of the process leave %s. The kernel kills the process before Node collects its garbage.",
				list(names[f]), units.Count(f.heap), units.Count(f.limit), units.Count(f.tmpfs), heapMarginMiB, units.Count(fits)), fix))
	}
	return fs
}

// bindMounts: folders of the Mac in a container. A database on one is a fault,
// anything else advice.
func bindMounts(services []composefile.Service) []finding.Finding {
	var databases, others []string
	for _, s := range services {
		isDatabase := slices.ContainsFunc(s.BindMounts, func(target string) bool {
			return slices.ContainsFunc(databaseFolders, func(d string) bool { return target == d || strings.HasPrefix(target, d+"/") })
		})
		switch {
		case isDatabase:
			databases = append(databases, s.Name)
		case len(s.BindMounts) > 0:
			others = append(others, s.Name)
		}
	}
	var fs []finding.Finding
	if len(databases) > 0 {
		fs = append(fs, RuleBindMount.New(finding.Warning, "",
			fmt.Sprintf("%s: the database's files are on the Mac and reach the container through file sharing. Seeding a database that way was seen to take 2.5 to 3.6 times as long as natively.", list(databases)),
			"Put them in a named volume, which is on the VM's own disk."))
	}
	if len(others) > 0 {
		fs = append(fs, RuleBindMount.New(finding.Info, "",
			fmt.Sprintf("%s: folders of the Mac are mounted. How fast they are differs between versions of Docker Desktop, in both directions and up to tenfold.", list(others)),
			"Keep files of jobs in named volumes, and write down the version of Docker Desktop with every measurement."))
	}
	return fs
}

// list joins names; only the first few, so that a message stays readable.
func list(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// gib prints a figure for a message and a setting: without thousands set apart,
// so that it can be pasted, and at most two decimals.
func gib(d decimal.Decimal) string { return d.Round(2).String() }
