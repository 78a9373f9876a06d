//go:build moto

package awslive_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/schemas"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go/transport/http/protocol/awsjson"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

// The tests in this file speak the real wire protocol with moto's server, which
// `make test-aws` starts. moto takes settings that EC2 refuses and frees a Mac at
// once, so it is a surface to talk to, not an oracle. It has no price list.

// motoRegion is one of its own for this package, so that what other tests make
// is not in the answers.
const motoRegion = "us-west-2"

func moto(t *testing.T) (*awslive.Session, aws.Config) {
	t.Helper()
	url := os.Getenv("RUNNERFIT_TEST_AWS")
	if url == "" {
		t.Fatal("RUNNERFIT_TEST_AWS is not set; `make test-aws` starts the server and sets it")
	}
	s := awslive.New(awslive.Config{
		AccessKey: "testing", SecretKey: "testing", Region: motoRegion, Clock: clock(clockNow()), Timeout: time.Minute,
		Endpoints: awslive.Endpoints{EC2: url, CloudWatch: url, Pricing: url, STS: url},
	})
	c := aws.Config{Region: motoRegion, BaseEndpoint: aws.String(url), Credentials: credentials.NewStaticCredentialsProvider("testing", "testing", "")}
	return s, c
}

func TestMotoInstanceTypes(t *testing.T) {
	s, _ := moto(t)
	types, err := s.DescribeInstanceTypes(t.Context(), "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	// moto answers with all of them at once, whatever page size is asked for: pages
	// are for the fake server.
	if len(types) < 1300 {
		t.Errorf("%d types", len(types))
	}
	// The embedded table was made of what moto keeps of the same call, so nearly all
	// types must agree in everything.
	same, differ := 0, 0
	for _, got := range types {
		want, ok := catalog.Embedded().Instance(got.Type)
		if !ok {
			continue
		}
		got.Source = want.Source
		if fmt.Sprintf("%+v", got) == fmt.Sprintf("%+v", want) {
			same++
		} else {
			differ++
		}
	}
	if same < 1300 || differ > same/20 {
		t.Errorf("%d types are the same, %d are not", same, differ)
	}
}

func TestMotoHosts(t *testing.T) {
	s, c := moto(t)
	client := ec2.NewFromConfig(c)
	out, err := client.AllocateHosts(t.Context(), &ec2.AllocateHostsInput{
		AvailabilityZone: aws.String(motoRegion + "a"), InstanceType: aws.String("mac2-m2pro.metal"), Quantity: aws.Int32(2),
		TagSpecifications: []ec2types.TagSpecification{{ResourceType: ec2types.ResourceTypeDedicatedHost, Tags: []ec2types.Tag{{Key: aws.String("team"), Value: aws.String("ios")}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	find := func(f awslive.HostFilter) []string {
		t.Helper()
		hosts, err := awslive.MacHosts(t.Context(), s, catalog.Embedded(), motoRegion, f)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, h := range hosts {
			if h.Type != "mac2-m2pro.metal" {
				t.Errorf("%+v", h)
			}
			if h.Allocated.IsZero() || clockNow().Sub(h.Allocated).Abs() > time.Hour {
				t.Errorf("allocated at %s", h.Allocated)
			}
			ids = append(ids, h.ID)
		}
		return ids
	}
	want := slices.Sorted(slices.Values(out.HostIds))
	allocated := awslive.HostFilter{States: []string{"available", "pending"}, Tags: map[string]string{"team": "ios"}}
	if got := find(allocated); !slices.Equal(got, want) {
		t.Errorf("found %v, allocated %v", got, want)
	}
	if got := find(awslive.HostFilter{IDs: want[:1]}); !slices.Equal(got, want[:1]) {
		t.Errorf("by id: %v", got)
	}
	if _, err := client.ReleaseHosts(t.Context(), &ec2.ReleaseHostsInput{HostIds: want[:1]}); err != nil {
		t.Fatal(err)
	}
	if got := find(allocated); !slices.Equal(got, want[1:]) {
		t.Errorf("after one was released: %v", got)
	}
	_, _ = client.ReleaseHosts(t.Context(), &ec2.ReleaseHostsInput{HostIds: want[1:]})
}

func TestMotoVolumes(t *testing.T) {
	s, c := moto(t)
	client := ec2.NewFromConfig(c)
	images, err := client.DescribeImages(t.Context(), &ec2.DescribeImagesInput{MaxResults: aws.Int32(5)})
	if err != nil || len(images.Images) == 0 {
		t.Fatalf("no images: %v", err)
	}
	run, err := client.RunInstances(t.Context(), &ec2.RunInstancesInput{
		ImageId: images.Images[0].ImageId, InstanceType: "m8a.xlarge", MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
	})
	if err != nil {
		t.Fatal(err)
	}
	instance := aws.ToString(run.Instances[0].InstanceId)
	volume, err := client.CreateVolume(t.Context(), &ec2.CreateVolumeInput{
		AvailabilityZone: run.Instances[0].Placement.AvailabilityZone, Size: aws.Int32(500), VolumeType: ec2types.VolumeTypeGp3, Iops: aws.Int32(16000), Throughput: aws.Int32(1000),
		TagSpecifications: []ec2types.TagSpecification{{ResourceType: ec2types.ResourceTypeVolume, Tags: []ec2types.Tag{{Key: aws.String("team"), Value: aws.String("moto")}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := aws.ToString(volume.VolumeId)
	if _, err := client.AttachVolume(t.Context(), &ec2.AttachVolumeInput{VolumeId: volume.VolumeId, InstanceId: &instance, Device: aws.String("/dev/sdf")}); err != nil {
		t.Fatal(err)
	}
	found, judged, err := awslive.AttachedVolumes(t.Context(), s, motoRegion, awslive.VolumeFilter{Tags: map[string]string{"team": "moto"}})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	v := found[0]
	if v.ID != id || v.Type != "gp3" || v.SizeGiB != 500 || v.IOPS != 16000 || v.ThroughputMiBPerS != 1000 || v.InstanceID != instance || v.Device != "/dev/sdf" || v.Tags["team"] != "moto" || v.Created.IsZero() {
		t.Errorf("%+v", v)
	}
	if judged[0].InstanceType != "m8a.xlarge" {
		t.Errorf("%+v", judged[0])
	}
	all, err := s.DescribeVolumes(t.Context(), motoRegion, awslive.VolumeFilter{InstanceIDs: []string{instance}})
	if err != nil || len(all) != 2 { // its root and this one
		t.Errorf("%d volumes of the instance, %v", len(all), err)
	}
	if _, err := s.DescribeVolumes(t.Context(), motoRegion, awslive.VolumeFilter{IDs: []string{"vol-0123456789abcdef0"}}); err == nil || !strings.Contains(err.Error(), "InvalidVolume.NotFound") {
		t.Errorf("a volume that is not there: %v", err)
	}
}

// Metrics that are put come back in their minutes, and the percentiles are those
// of values that are sorted here, by another way.
func TestMotoMetrics(t *testing.T) {
	s, c := moto(t)
	client := cloudwatch.NewFromConfig(c, func(o *cloudwatch.Options) {
		o.Protocol = awsjson.New11(schemas.GraniteServiceVersion20100801)
	})
	id := fmt.Sprintf("vol-%08x", rand.Uint32())
	const minutes = 6 * 60
	start := s.Now().UTC().Truncate(time.Minute).Add(-minutes * time.Minute)
	values := map[string][]float64{}
	for _, name := range []string{"VolumeReadOps", "VolumeWriteOps", "VolumeReadBytes", "VolumeWriteBytes"} {
		var data []cwtypes.MetricDatum
		for m := range minutes {
			v := float64(rand.IntN(200_000))
			if m%5 == 4 {
				v = 0 // a minute without a figure
			} else {
				data = append(data, cwtypes.MetricDatum{
					MetricName: aws.String(name), Value: aws.Float64(v), Timestamp: aws.Time(start.Add(time.Duration(m) * time.Minute)),
					Dimensions: []cwtypes.Dimension{{Name: aws.String("VolumeId"), Value: aws.String(id)}},
				})
			}
			values[name] = append(values[name], v)
		}
		for part := range slices.Chunk(data, 150) {
			if _, err := client.PutMetricData(t.Context(), &cloudwatch.PutMetricDataInput{Namespace: aws.String("AWS/EBS"), MetricData: part}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var series usage.Series
	if err := s.VolumeMetrics(t.Context(), motoRegion, []string{id}, start, minutes, func(_ string, got usage.Series) { series = got }); err != nil {
		t.Fatal(err)
	}
	for m := range minutes {
		if m%5 == 4 {
			if !math.IsNaN(series.ReadOps[m]) {
				t.Fatalf("minute %d is %v", m, series.ReadOps[m])
			}
		} else if series.ReadOps[m] != values["VolumeReadOps"][m] || series.WriteBytes[m] != values["VolumeWriteBytes"][m] {
			t.Fatalf("minute %d: %v reads, %v were put", m, series.ReadOps[m], values["VolumeReadOps"][m])
		}
	}
	r := usage.Analyze(catalog.Embedded(), usage.Volume{Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 125}, series, usage.Options{Percentile: 90})
	iops, _ := r.IOPS.Get()
	sum := make([]float64, minutes)
	for m := range minutes {
		sum[m] = (values["VolumeReadOps"][m] + values["VolumeWriteOps"][m]) / 60
	}
	slices.SortFunc(sum, func(a, b float64) int { return cmp.Compare(b, a) }) // largest first
	for _, p := range []struct {
		percent int
		got     float64
	}{{50, iops.Total.P50}, {90, iops.Total.Chosen}, {95, iops.Total.P95}, {99, iops.Total.P99}} {
		// So many minutes may be larger.
		if want := sum[minutes*(100-p.percent)/100]; math.Abs(want-p.got) > 1e-9 {
			t.Errorf("p%d is %v, by counting from above %v", p.percent, p.got, want)
		}
	}
	if r.MinutesWithData != minutes/5*4 || math.Abs(iops.Total.Max-sum[0]) > 1e-9 {
		t.Errorf("%d minutes, at most %v", r.MinutesWithData, iops.Total.Max)
	}
}
