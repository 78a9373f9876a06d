package dockerhost

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/docker/go-units"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// Service is what the rules need to know of a service of a Compose file, or of
// a running container.
type Service struct {
	Name     string
	Replicas int64
	// MemoryLimitBytes is 0 for a service that may use all memory.
	MemoryLimitBytes, ReservationBytes int64
	// Limits on processes, open files and processes of the user; 0 if not set.
	PidsLimit, FilesLimit, ProcessesLimit int64
	CPUs                                  float64
	// TmpfsBytes is what all tmpfs mounts with a size may take. It counts against
	// the memory limit.
	TmpfsBytes int64
	// UnsizedTmpfs says that a tmpfs has no size, so that only the limit stops it.
	UnsizedTmpfs bool
	// NodeHeapMiB is the --max-old-space-size in NODE_OPTIONS. It is the only thing
	// that is read of an environment.
	NodeHeapMiB optional.Value[int64]
	// BindMounts are the targets in the container of folders of the host.
	BindMounts []string
}

// services are the active services of a project, sorted by name.
func services(p *types.Project) []Service {
	out := make([]Service, 0, len(p.Services))
	for name, s := range p.Services {
		out = append(out, service(name, s))
	}
	slices.SortFunc(out, func(a, b Service) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func service(name string, s types.ServiceConfig) Service {
	out := Service{
		Name:             name,
		Replicas:         int64(s.GetScale()),
		MemoryLimitBytes: max(0, int64(s.MemLimit)), // a negative one is none
		ReservationBytes: int64(s.MemReservation),
		PidsLimit:        s.PidsLimit,
		CPUs:             float64(s.CPUS),
		FilesLimit:       ulimit(s.Ulimits["nofile"]),
		ProcessesLimit:   ulimit(s.Ulimits["nproc"]),
	}
	if s.Deploy != nil {
		// The newer way to write the same limits; Compose refuses both at once when
		// they differ.
		if l := s.Deploy.Resources.Limits; l != nil {
			out.MemoryLimitBytes = max(out.MemoryLimitBytes, int64(l.MemoryBytes))
			out.PidsLimit = max(out.PidsLimit, l.Pids)
			out.CPUs = max(out.CPUs, float64(l.NanoCPUs.Value()))
		}
		if r := s.Deploy.Resources.Reservations; r != nil {
			out.ReservationBytes = max(out.ReservationBytes, int64(r.MemoryBytes))
		}
	}
	for _, t := range s.Tmpfs {
		_, options, _ := strings.Cut(t, ":")
		out.AddTmpfs(options)
	}
	for _, v := range s.Volumes {
		switch v.Type {
		case types.VolumeTypeTmpfs:
			if v.Tmpfs != nil && v.Tmpfs.Size > 0 {
				out.TmpfsBytes += int64(v.Tmpfs.Size)
			} else {
				out.UnsizedTmpfs = true
			}
		case types.VolumeTypeBind:
			if !isSocket(v.Target) {
				out.BindMounts = append(out.BindMounts, v.Target)
			}
		}
	}
	if v := s.Environment["NODE_OPTIONS"]; v != nil {
		out.NodeHeapMiB = NodeHeap(*v)
	}
	return out
}

// AddTmpfs adds a tmpfs mount with its options, "size=512m,mode=1777".
func (s *Service) AddTmpfs(options string) {
	for o := range strings.SplitSeq(options, ",") {
		if size, ok := strings.CutPrefix(o, "size="); ok {
			// The kernel's "m" is a MiB, as it is for Docker.
			if n, err := units.RAMInBytes(size); err == nil && n > 0 {
				s.TmpfsBytes += n
				return
			}
		}
	}
	s.UnsizedTmpfs = true
}

func ulimit(u *types.UlimitsConfig) int64 {
	switch {
	case u == nil:
		return 0
	case u.Single != 0:
		return int64(u.Single)
	}
	return int64(u.Soft)
}

// isSocket says whether a mount is the engine's socket or the like, which is no
// place for files.
func isSocket(target string) bool { return strings.HasSuffix(target, ".sock") }

var nodeHeap = regexp.MustCompile(`--max[-_]old[-_]space[-_]size(?:=|\s+)(\d{1,9})\b`)

// NodeHeap reads the heap limit in MiB out of NODE_OPTIONS; null if there is
// none. Node takes the last one.
func NodeHeap(nodeOptions string) optional.Value[int64] {
	all := nodeHeap.FindAllStringSubmatch(nodeOptions, -1)
	if len(all) == 0 {
		return optional.Null[int64]()
	}
	n, err := strconv.ParseInt(all[len(all)-1][1], 10, 64)
	if err != nil || n == 0 { // 0 is Node's own default
		return optional.Null[int64]()
	}
	return optional.Known(n)
}
