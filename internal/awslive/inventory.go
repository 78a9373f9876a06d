package awslive

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// Volume is an EBS volume of the account.
type Volume struct {
	ID, Type, State, AvailabilityZone string
	SizeGiB                           int64
	// IOPS and ThroughputMiBPerS are 0 where the type has no such setting.
	IOPS, ThroughputMiBPerS int64
	Created                 time.Time
	// InstanceID is the instance that it is attached to, empty if it is not; Device is
	// its name there, CardIndex the EBS card.
	InstanceID, Device string
	CardIndex          int64
	// FromSnapshot says that it was restored from a snapshot.
	FromSnapshot bool
	Tags         map[string]string
}

// Instance is an EC2 instance of the account.
type Instance struct {
	ID, Type, State, HostID string
	Launched                time.Time
	// Stopped is when it was stopped or terminated; zero if it was not, or EC2 does
	// not say.
	Stopped time.Time
}

// Host is a dedicated host of the account.
type Host struct {
	ID, Type, Family, State, AvailabilityZone string
	Allocated, Released                       time.Time
	// InstanceIDs are the instances on it.
	InstanceIDs []string
	Tags        map[string]string
}

// VolumeFilter selects volumes; what is empty does not restrict.
type VolumeFilter struct {
	IDs, InstanceIDs []string
	Tags             map[string]string
}

// HostFilter selects hosts; what is empty does not restrict.
type HostFilter struct {
	IDs, Types, States []string
	Tags               map[string]string
}

// filters are EC2's: by tag and by other names.
func filters(tags map[string]string, by map[string][]string) []ec2types.Filter {
	var out []ec2types.Filter
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if values := by[name]; len(values) > 0 {
			out = append(out, ec2types.Filter{Name: aws.String(name), Values: values})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, ec2types.Filter{Name: aws.String("tag:" + key), Values: []string{tags[key]}})
	}
	return out
}

// mostObjects bounds memory in an account of any size.
const mostObjects = 100_000

var errTooMany = incomplete{fmt.Sprintf("there are more than %d; name tags or ids", mostObjects)}

// DescribeVolumes are the volumes that a filter selects, sorted by id. The error
// is an *Error; a volume that is asked for by id and not there is one.
func (s *Session) DescribeVolumes(ctx context.Context, region string, f VolumeFilter) ([]Volume, error) {
	var out []Volume
	err := s.ask(ctx, callVolumes, region, func(ctx context.Context, c clients) error {
		in := &ec2.DescribeVolumesInput{
			VolumeIds: f.IDs,
			Filters:   filters(f.Tags, map[string][]string{"attachment.instance-id": f.InstanceIDs}),
		}
		if len(f.IDs) == 0 {
			in.MaxResults = aws.Int32(500) // not allowed beside ids
		}
		return pages(ctx, func(token *string) (*string, error) {
			in.NextToken = token
			page, err := c.ec2.DescribeVolumes(ctx, in)
			if err != nil {
				return nil, err
			}
			for _, v := range page.Volumes {
				out = append(out, volume(v))
			}
			if len(out) > mostObjects {
				return nil, errTooMany
			}
			return page.NextToken, nil
		})
	})
	if err != nil {
		return nil, err
	}
	for _, id := range f.IDs {
		if !slices.ContainsFunc(out, func(v Volume) bool { return v.ID == id }) && len(f.Tags)+len(f.InstanceIDs) == 0 {
			return nil, s.explain(callVolumes, region, notFoundError{"a volume that was asked for by its id is not in the answer"}, nil)
		}
	}
	slices.SortFunc(out, func(a, b Volume) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

// volumesByID are volumes by id. One that is not there is not handed over: a
// filter does not fail where a list of ids would.
func (s *Session) volumesByID(ctx context.Context, region string, ids []string, each func(string, Volume)) error {
	return s.ask(ctx, callVolumes, region, func(ctx context.Context, c clients) error {
		for chunk := range slices.Chunk(ids, idsPerCall) {
			in := &ec2.DescribeVolumesInput{MaxResults: aws.Int32(500), Filters: filters(nil, map[string][]string{"volume-id": chunk})}
			err := pages(ctx, func(token *string) (*string, error) {
				in.NextToken = token
				page, err := c.ec2.DescribeVolumes(ctx, in)
				if err != nil {
					return nil, err
				}
				for _, v := range page.Volumes {
					v := volume(v)
					each(v.ID, v)
				}
				return page.NextToken, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func volume(v ec2types.Volume) Volume {
	out := Volume{
		ID: aws.ToString(v.VolumeId), Type: string(v.VolumeType), State: string(v.State), AvailabilityZone: aws.ToString(v.AvailabilityZone),
		SizeGiB: int64(aws.ToInt32(v.Size)), IOPS: int64(aws.ToInt32(v.Iops)), ThroughputMiBPerS: int64(aws.ToInt32(v.Throughput)),
		Created: aws.ToTime(v.CreateTime), FromSnapshot: aws.ToString(v.SnapshotId) != "", Tags: tags(v.Tags),
	}
	for _, a := range v.Attachments {
		// A volume may be attached to several instances; the first by id stands for it.
		if id := aws.ToString(a.InstanceId); id != "" && (out.InstanceID == "" || id < out.InstanceID) {
			out.InstanceID, out.Device, out.CardIndex = id, aws.ToString(a.Device), int64(aws.ToInt32(a.EbsCardIndex))
		}
	}
	return out
}

func tags(ts []ec2types.Tag) map[string]string {
	out := make(map[string]string, len(ts))
	for _, t := range ts {
		out[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return out
}

// idsPerCall is how many ids go into one filter; EC2 takes 200 values.
const idsPerCall = 200

// DescribeInstances are instances by id. One that is gone is not in the answer:
// a filter does not fail where a list of ids would. The error is an *Error.
func (s *Session) DescribeInstances(ctx context.Context, region string, ids []string) (map[string]Instance, error) {
	return s.instances(ctx, region, "instance-id", ids)
}

// DescribeInstancesOnHosts are the instances on hosts, with those that were
// terminated within about the last hour.
func (s *Session) DescribeInstancesOnHosts(ctx context.Context, region string, hostIDs []string) (map[string]Instance, error) {
	return s.instances(ctx, region, "host-id", hostIDs)
}

func (s *Session) instances(ctx context.Context, region, filter string, values []string) (map[string]Instance, error) {
	out := map[string]Instance{}
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(values) == 0 {
		return out, nil
	}
	err := s.ask(ctx, callInstances, region, func(ctx context.Context, c clients) error {
		for chunk := range slices.Chunk(values, idsPerCall) {
			in := &ec2.DescribeInstancesInput{MaxResults: aws.Int32(1000), Filters: filters(nil, map[string][]string{filter: chunk})}
			err := pages(ctx, func(token *string) (*string, error) {
				in.NextToken = token
				page, err := c.ec2.DescribeInstances(ctx, in)
				if err != nil {
					return nil, err
				}
				for _, r := range page.Reservations {
					for _, i := range r.Instances {
						v := accountInstance(i)
						out[v.ID] = v
					}
				}
				if len(out) > mostObjects {
					return nil, errTooMany
				}
				return page.NextToken, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func accountInstance(i ec2types.Instance) Instance {
	v := Instance{ID: aws.ToString(i.InstanceId), Type: string(i.InstanceType), Launched: aws.ToTime(i.LaunchTime)}
	if i.State != nil {
		v.State = string(i.State.Name)
	}
	if i.Placement != nil {
		v.HostID = aws.ToString(i.Placement.HostId)
	}
	v.Stopped = transition(aws.ToString(i.StateTransitionReason))
	return v
}

// transition reads the time out of "User initiated (2026-11-30 12:00:00 GMT)";
// zero if there is none.
func transition(reason string) time.Time {
	_, after, ok := strings.Cut(reason, "(")
	text, _, closed := strings.Cut(after, ")")
	if !ok || !closed {
		return time.Time{}
	}
	t, err := time.Parse("2006-01-02 15:04:05 MST", text)
	if err != nil || !strings.HasSuffix(text, "GMT") && !strings.HasSuffix(text, "UTC") {
		return time.Time{}
	}
	return t.UTC()
}

// DescribeHosts are the dedicated hosts that a filter selects, sorted by id. The
// error is an *Error.
func (s *Session) DescribeHosts(ctx context.Context, region string, f HostFilter) ([]Host, error) {
	var out []Host
	err := s.ask(ctx, callHosts, region, func(ctx context.Context, c clients) error {
		in := &ec2.DescribeHostsInput{
			HostIds: f.IDs,
			Filter:  filters(nil, map[string][]string{"instance-type": f.Types, "state": f.States}),
		}
		if len(f.IDs) == 0 {
			in.MaxResults = aws.Int32(500) // not allowed beside ids
		}
		return pages(ctx, func(token *string) (*string, error) {
			in.NextToken = token
			page, err := c.ec2.DescribeHosts(ctx, in)
			if err != nil {
				return nil, err
			}
			for _, h := range page.Hosts {
				// EC2 has no filter for the value of a host's tag, only for its key.
				if h := host(h); hasTags(h.Tags, f.Tags) {
					out = append(out, h)
				}
			}
			if len(out) > mostObjects {
				return nil, errTooMany
			}
			return page.NextToken, nil
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b Host) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

// hasTags says whether tags hold all of the wanted ones.
func hasTags(have, want map[string]string) bool {
	for k, v := range want {
		if value, ok := have[k]; !ok || value != v {
			return false
		}
	}
	return true
}

func host(h ec2types.Host) Host {
	out := Host{
		ID: aws.ToString(h.HostId), State: string(h.State), AvailabilityZone: aws.ToString(h.AvailabilityZone),
		Allocated: aws.ToTime(h.AllocationTime), Released: aws.ToTime(h.ReleaseTime), Tags: tags(h.Tags),
	}
	if p := h.HostProperties; p != nil {
		out.Type, out.Family = aws.ToString(p.InstanceType), aws.ToString(p.InstanceFamily)
	}
	for _, i := range h.Instances {
		if id := aws.ToString(i.InstanceId); id != "" {
			out.InstanceIDs = append(out.InstanceIDs, id)
		}
	}
	slices.Sort(out.InstanceIDs)
	return out
}
