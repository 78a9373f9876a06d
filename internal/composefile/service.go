package composefile

import (
	"strconv"
	"strings"

	"github.com/docker/go-units"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
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

// AddTmpfs adds a tmpfs mount with its options, "size=512m,mode=1777".
func (s *Service) AddTmpfs(options string) {
	for o := range strings.SplitSeq(options, ",") {
		if size, ok := strings.CutPrefix(o, "size="); ok {
			// The kernel's "m" is a MiB, as it is for Docker.
			n, _ := units.RAMInBytes(size)
			s.addTmpfs(n)
			return
		}
	}
	s.UnsizedTmpfs = true
}

// addTmpfs adds a tmpfs mount of a size; 0 for one without.
func (s *Service) addTmpfs(bytes int64) {
	if bytes <= 0 {
		s.UnsizedTmpfs = true
		return
	}
	s.TmpfsBytes = min(s.TmpfsBytes+min(bytes, maxSizeBytes), maxSizeBytes)
}

// isSocket says whether a mount is the engine's socket or the like, which is no
// place for files.
func isSocket(target string) bool { return strings.HasSuffix(target, ".sock") }

var nodeHeap = lazyregexp.New(`--max[-_]old[-_]space[-_]size(?:=|\s+)(\d{1,9})\b`)

// NodeHeap reads the heap limit in MiB out of NODE_OPTIONS; null if there is
// none. Node takes the last one.
func NodeHeap(nodeOptions string) optional.Value[int64] {
	all := nodeHeap().FindAllStringSubmatch(nodeOptions, -1)
	if len(all) == 0 {
		return optional.Null[int64]()
	}
	n, err := strconv.ParseInt(all[len(all)-1][1], 10, 64)
	if err != nil || n == 0 { // 0 is Node's own default
		return optional.Null[int64]()
	}
	return optional.Known(n)
}
