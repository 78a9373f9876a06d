package awslive

import (
	"context"
	"strings"
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

// VolumeUsage says what a volume did in the last days. The series are its
// minutes, for a picture. The error is an *Error.
func VolumeUsage(ctx context.Context, s *Session, cat *catalog.Catalog, region, id string, days int, o usage.Options) (usage.Report, usage.Series, error) {
	volumes, err := s.DescribeVolumes(ctx, region, VolumeFilter{IDs: []string{id}})
	if err != nil {
		return usage.Report{}, usage.Series{}, err
	}
	v := volumes[0] // one that is not there is an error
	measured := usage.Volume{
		Type: v.Type, SizeGiB: v.SizeGiB, IOPS: v.IOPS, ThroughputMiBPerS: v.ThroughputMiBPerS, Created: v.Created, Region: region,
	}
	if v.InstanceID != "" {
		instances, err := s.DescribeInstances(ctx, region, []string{v.InstanceID})
		if err != nil {
			return usage.Report{}, usage.Series{}, err
		}
		measured.InstanceType = instances[v.InstanceID].Type
	}
	start, minutes := usage.Window(s.Now(), days)
	var series usage.Series
	err = s.VolumeMetrics(ctx, region, []string{id}, start, minutes, func(_ string, got usage.Series) { series = got })
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
