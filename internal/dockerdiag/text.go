package dockerdiag

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var marks = map[Status]string{OK: "✓", Fault: "✗", Unknown: "?"}

// Text writes a report for people.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%s %s: %s\n", marks[c.Status], strings.ReplaceAll(c.ID, "-", " "), c.Detail)
		if c.ToDo != "" {
			fmt.Fprintf(&b, "  → %s\n", c.ToDo)
		}
		if c.Finding != nil {
			fmt.Fprintf(&b, "    Rule: %s\n", c.Finding.Rule)
		}
	}
	if ss := r.limits(); len(ss) > 0 {
		b.WriteString("\nLimits by service\n")
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  SERVICE\tCONTAINERS\tMEMORY\tRESERVED\tTMPFS\tPIDS\tFILES\tHEAP")
		for _, s := range ss {
			fmt.Fprintf(t, "  %s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.Replicas, size(s.MemoryLimitBytes), size(s.ReservationBytes),
				tmpfs(s), number(s.PidsLimit), number(s.FilesLimit), heap(s))
		}
		_ = t.Flush() // a strings.Builder does not fail
	}
	if r.Engine != nil && len(r.Engine.Containers) > 0 {
		b.WriteString("\nUsage at this moment\n")
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  CONTAINER\tCPU\tMEMORY")
		for _, c := range r.Engine.Containers {
			cpu, memory := "?", "?"
			if c.Usage != nil {
				if percent, ok := c.Usage.CPUPercent.Get(); ok {
					cpu = strconv.FormatFloat(percent, 'f', 2, 64) + " %"
				}
				memory = size(max(1, c.Usage.MemoryBytes))
			}
			if c.Service.MemoryLimitBytes > 0 {
				memory += " of " + size(c.Service.MemoryLimitBytes)
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\n", c.Name, cpu, memory)
		}
		_ = t.Flush()
		if r.Engine.Skipped > 0 {
			fmt.Fprintf(&b, "  %d more are not shown.\n", r.Engine.Skipped)
		}
	}
	b.WriteString("\nWhen a vitest run fails, try these one at a time. If it passes,\n")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range NextSteps {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", s.ID, s.Do, s.Tells)
	}
	_ = t.Flush()
	_, err := io.WriteString(w, b.String())
	return err
}

// limits are the services of the Compose file, else those that run, containers
// of one service with the same limits as one line.
func (r *Report) limits() []composefile.Service {
	if r.Compose != nil {
		return r.Compose
	}
	if r.Engine == nil {
		return nil
	}
	var out []composefile.Service
	for _, c := range r.Engine.Containers {
		at := slices.IndexFunc(out, func(s composefile.Service) bool {
			return s.Name == c.Service.Name && s.MemoryLimitBytes == c.Service.MemoryLimitBytes && s.ReservationBytes == c.Service.ReservationBytes &&
				s.TmpfsBytes == c.Service.TmpfsBytes && s.PidsLimit == c.Service.PidsLimit && s.FilesLimit == c.Service.FilesLimit && s.NodeHeapMiB == c.Service.NodeHeapMiB
		})
		if at < 0 {
			out = append(out, c.Service)
			continue
		}
		out[at].Replicas++
	}
	slices.SortStableFunc(out, func(a, b composefile.Service) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

const none = "-"

// size prints a number of bytes in GiB or MiB; none for 0, which is no limit.
func size(n int64) string {
	switch f := float64(n); {
	case n <= 0:
		return none
	case n >= 1<<30:
		return units.Number(f/(1<<30)) + " GiB"
	default:
		return units.Number(float64(int64(f/(1<<20)*10))/10) + " MiB"
	}
}

func tmpfs(s composefile.Service) string {
	if s.UnsizedTmpfs {
		return "no size"
	}
	return size(s.TmpfsBytes)
}

func number(n int64) string {
	if n <= 0 {
		return none
	}
	return strconv.FormatInt(n, 10)
}

func heap(s composefile.Service) string {
	if n, ok := s.NodeHeapMiB.Get(); ok {
		return units.Count(n) + " MiB"
	}
	return none
}

// The report as JSON. Names are stable; a null is what was not seen.
type (
	reportJSON struct {
		SchemaVersion int           `json:"schema_version"`
		Engine        *engineJSON   `json:"engine"`
		Checks        []checkJSON   `json:"checks"`
		Services      []serviceJSON `json:"services"`
		Usage         []usageJSON   `json:"usage"`
		Findings      []findingJSON `json:"findings"`
		NextSteps     []Step        `json:"next_steps"`
		Settings      *settingsJSON `json:"settings"`
	}
	settingsJSON struct {
		CPUs        *int64                  `json:"cpus"`
		DiskMiB     *int64                  `json:"disk_mib"`
		FileSharing *dockerhost.FileSharing `json:"file_sharing"`
		MemoryMiB   *int64                  `json:"memory_mib"`
		SwapMiB     *int64                  `json:"swap_mib"`
	}
	engineJSON struct {
		Product       string `json:"product"`
		Version       string `json:"version"`
		CPUs          int64  `json:"cpus"`
		MemoryBytes   int64  `json:"memory_bytes"`
		StorageDriver string `json:"storage_driver"`
		Skipped       int    `json:"containers_skipped"`
	}
	checkJSON struct {
		ID     string `json:"id"`
		Status Status `json:"status"`
		Detail string `json:"detail"`
		ToDo   string `json:"todo,omitempty"`
		Rule   string `json:"rule,omitempty"`
	}
	serviceJSON struct {
		Name                   string `json:"name"`
		Containers             int64  `json:"containers"`
		MemoryLimitBytes       *int64 `json:"memory_limit_bytes"`
		MemoryReservationBytes *int64 `json:"memory_reservation_bytes"`
		TmpfsBytes             int64  `json:"tmpfs_bytes"`
		PidsLimit              *int64 `json:"pids_limit"`
		FilesLimit             *int64 `json:"nofile_limit"`
		NodeHeapMiB            *int64 `json:"node_heap_mib"`
	}
	usageJSON struct {
		Container   string   `json:"container"`
		CPUPercent  *float64 `json:"cpu_percent"`
		MemoryBytes *int64   `json:"memory_bytes"`
	}
	findingJSON struct {
		Rule     string `json:"rule"`
		Severity string `json:"severity"`
		Message  string `json:"message"`
		Fix      string `json:"fix"`
	}
)

// JSON writes a report for programs.
func (r *Report) JSON(w io.Writer) error {
	out := reportJSON{
		SchemaVersion: 1, NextSteps: NextSteps,
		Checks: []checkJSON{}, Services: []serviceJSON{}, Usage: []usageJSON{}, Findings: []findingJSON{},
	}
	if s := r.Settings; s != nil {
		out.Settings = &settingsJSON{
			CPUs: known(s.CPUs.Get()), DiskMiB: known(s.Disk.Get()), FileSharing: known(s.FileSharing().Get()),
			MemoryMiB: known(s.MemoryMiB.Get()), SwapMiB: known(s.SwapMiB.Get()),
		}
	}
	if e := r.Engine; e != nil {
		out.Engine = &engineJSON{Product: e.Product, Version: e.Version, CPUs: e.CPUs, MemoryBytes: e.MemoryBytes, StorageDriver: e.Storage, Skipped: e.Skipped}
		for _, c := range e.Containers {
			u := usageJSON{Container: c.Name}
			if c.Usage != nil {
				u.MemoryBytes = &c.Usage.MemoryBytes
				if percent, ok := c.Usage.CPUPercent.Get(); ok {
					u.CPUPercent = &percent
				}
			}
			out.Usage = append(out.Usage, u)
		}
	}
	for _, c := range r.Checks {
		j := checkJSON{ID: c.ID, Status: c.Status, Detail: c.Detail, ToDo: c.ToDo}
		if c.Finding != nil {
			j.Rule = c.Finding.Rule
		}
		out.Checks = append(out.Checks, j)
	}
	for _, s := range r.limits() {
		heap, hasHeap := s.NodeHeapMiB.Get()
		j := serviceJSON{
			Name: s.Name, Containers: s.Replicas, TmpfsBytes: s.TmpfsBytes,
			MemoryLimitBytes: limit(s.MemoryLimitBytes), MemoryReservationBytes: limit(s.ReservationBytes),
			PidsLimit: limit(s.PidsLimit), FilesLimit: limit(s.FilesLimit),
		}
		if hasHeap {
			j.NodeHeapMiB = &heap
		}
		out.Services = append(out.Services, j)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, findingJSON{Rule: f.Rule, Severity: f.Severity.String(), Message: f.Message, Fix: f.Fix})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// known is a value as JSON shows it: null unless it is known.
func known[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

// limit is nil for 0, which is no limit.
func limit(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
