package awslive

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/attached"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/machosts"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

// IsID says whether a text has the shape of an id: a prefix such as "vol", a
// hyphen, and hexadecimal digits.
func IsID(prefix, s string) bool {
	digits, ok := strings.CutPrefix(s, prefix+"-")
	if !ok || len(digits) < 8 || len(digits) > 32 {
		return false
	}
	return strings.Trim(digits, "0123456789abcdef") == ""
}

// gathers are the questions about single volumes that are gathered: by Region,
// and of their minutes also by the window.
type gathers struct {
	mu        sync.Mutex
	volumes   map[string]*gather[string, Volume]
	instances map[string]*gather[string, Instance]
	metrics   map[metricsOf]*gather[string, usage.Series]
}

// metricsOf is what metrics of several volumes can be asked for with.
type metricsOf struct {
	region  string
	start   time.Time
	minutes int
}

// gatherOf is the one that gathers for a key.
func gatherOf[G, K comparable, V any](s *Session, of *map[G]*gather[K, V], key G, ask func(context.Context, []K, func(K, V)) error) *gather[K, V] {
	s.gathers.mu.Lock()
	defer s.gathers.mu.Unlock()
	if *of == nil {
		*of = map[G]*gather[K, V]{}
	}
	g, ok := (*of)[key]
	if !ok {
		g = &gather[K, V]{ask: ask}
		(*of)[key] = g
	}
	return g
}

// volume describes one volume, together with others that are asked for now.
func (s *Session) volume(ctx context.Context, region, id string) (Volume, error) {
	g := gatherOf(s, &s.gathers.volumes, region, func(ctx context.Context, ids []string, each func(string, Volume)) error {
		return s.volumesByID(ctx, region, ids, each)
	})
	v, ok, err := g.get(ctx, id)
	if err == nil && !ok {
		err = notFoundError{"there is no such volume in the Region (InvalidVolume.NotFound)"}
	}
	if err != nil {
		return Volume{}, s.explain(callVolumes, region, err, newAttempts(ctx))
	}
	return v, nil
}

// instance describes one instance in the same way; its zero value if it is gone.
func (s *Session) instance(ctx context.Context, region, id string) (Instance, error) {
	g := gatherOf(s, &s.gathers.instances, region, func(ctx context.Context, ids []string, each func(string, Instance)) error {
		found, err := s.DescribeInstances(ctx, region, ids)
		for id, i := range found {
			each(id, i)
		}
		return err
	})
	i, _, err := g.get(ctx, id)
	if err != nil {
		return Instance{}, s.explain(callInstances, region, err, newAttempts(ctx))
	}
	return i, nil
}

// minutes reads the minutes of one volume in the same way.
func (s *Session) minutes(ctx context.Context, region, id string, start time.Time, minutes int) (usage.Series, error) {
	g := gatherOf(s, &s.gathers.metrics, metricsOf{region, start, minutes}, func(ctx context.Context, ids []string, each func(string, usage.Series)) error {
		return s.VolumeMetrics(ctx, region, ids, start, minutes, each)
	})
	series, _, err := g.get(ctx, id)
	if err != nil {
		return usage.Series{}, s.explain(callMetricData, region, err, newAttempts(ctx))
	}
	return series, nil
}

// VolumeUsage says what a volume did in the last days. Calls at nearly the same
// time share their requests. The series are its minutes, for a picture, and are
// not to be changed. The error is an *Error.
func VolumeUsage(ctx context.Context, s *Session, cat *catalog.Catalog, region, id string, days int, o usage.Options) (usage.Report, usage.Series, error) {
	ctx, cancel := s.Within(ctx)
	defer cancel()
	v, err := s.volume(ctx, region, id)
	if err != nil {
		return usage.Report{}, usage.Series{}, err
	}
	measured := usage.Volume{
		Type: v.Type, SizeGiB: v.SizeGiB, IOPS: v.IOPS, ThroughputMiBPerS: v.ThroughputMiBPerS, Created: v.Created, Region: region,
	}
	if v.InstanceID != "" {
		instance, err := s.instance(ctx, region, v.InstanceID)
		if err != nil {
			return usage.Report{}, usage.Series{}, err
		}
		measured.InstanceType = instance.Type
	}
	start, minutes := usage.Window(s.Now(), days)
	series, err := s.minutes(ctx, region, id, start, minutes)
	if err != nil {
		return usage.Report{}, usage.Series{}, err
	}
	return usage.Analyze(cat, measured, series, o), series, nil
}

// AttachedVolumes are the volumes that a filter selects, as EC2 describes them
// and, in the same order, as they are judged. The error is an *Error.
func AttachedVolumes(ctx context.Context, s *Session, region string, f VolumeFilter) ([]Volume, []attached.Volume, error) {
	found, err := s.DescribeVolumes(ctx, region, f)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	for _, v := range found {
		if v.InstanceID != "" {
			ids = append(ids, v.InstanceID)
		}
	}
	instances, err := s.DescribeInstances(ctx, region, ids)
	if err != nil {
		return nil, nil, err
	}
	volumes := make([]attached.Volume, len(found))
	for i, v := range found {
		volumes[i] = attached.Volume{
			ID: v.ID, Type: v.Type, SizeGiB: v.SizeGiB, IOPS: v.IOPS, ThroughputMiBPerS: v.ThroughputMiBPerS,
			InstanceID: v.InstanceID, InstanceType: instances[v.InstanceID].Type, CardIndex: v.CardIndex,
		}
	}
	return found, volumes, nil
}

// MacHosts are the dedicated Mac hosts that a filter selects. Where it names no
// types, all hosts are described and the Macs are taken: a Mac newer than the
// catalogue is one, too. The error is an *Error.
func MacHosts(ctx context.Context, s *Session, cat *catalog.Catalog, region string, f HostFilter) ([]machosts.Host, error) {
	found, err := s.DescribeHosts(ctx, region, f)
	if err != nil {
		return nil, err
	}
	var out []machosts.Host
	var empty []string
	for _, h := range found {
		if !isMac(cat, h) {
			continue
		}
		out = append(out, machosts.Host{
			ID: h.ID, Type: h.Type, State: h.State, AvailabilityZone: h.AvailabilityZone,
			Allocated: h.Allocated, Released: h.Released, InstanceIDs: h.InstanceIDs, Tags: h.Tags,
		})
		if len(h.InstanceIDs) == 0 && h.Released.IsZero() {
			empty = append(empty, h.ID)
		}
	}
	instances, err := s.DescribeInstancesOnHosts(ctx, region, empty)
	if err != nil {
		return nil, err
	}
	lastUsed := map[string]time.Time{}
	for _, i := range instances {
		if i.Stopped.After(lastUsed[i.HostID]) {
			lastUsed[i.HostID] = i.Stopped
		}
	}
	for n := range out {
		out[n].LastUsed = lastUsed[out[n].ID]
	}
	return out, nil
}

func isMac(cat *catalog.Catalog, h Host) bool {
	if _, ok := cat.Mac(h.Type); ok {
		return true
	}
	return strings.HasPrefix(h.Type, "mac") || strings.HasPrefix(h.Family, "mac")
}
