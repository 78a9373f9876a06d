package awslive_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/fakeaws"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

// reads are what volumes did, each asked for by itself and all at once.
func reads(t *testing.T, session *awslive.Session, days int, ids ...string) (reports []usage.Report, errs []error) {
	t.Helper()
	reports, errs = make([]usage.Report, len(ids)), make([]error, len(ids))
	var wg sync.WaitGroup
	for n, id := range ids {
		wg.Go(func() {
			reports[n], _, errs[n] = awslive.VolumeUsage(t.Context(), session, catalog.Embedded(), "us-east-1", id, days, usage.Options{Percentile: 99})
		})
	}
	wg.Wait()
	return reports, errs
}

func twenty() (ids []string) {
	for n := range 20 {
		ids = append(ids, fmt.Sprintf("vol-%08x", n))
	}
	return ids
}

// Twenty data sources that are read at once share their requests: one list of
// volumes, one of instances, and as few calls for metrics as the limits allow.
func TestReadsShareRequests(t *testing.T) {
	for days, calls := range map[int]int{14: 16, 1: 2} {
		t.Run(fmt.Sprintf("%d days", days), func(t *testing.T) {
			s := server(t)
			for n := range s.Volumes[:20] {
				s.Volumes[n].InstanceID, s.Volumes[n].Created = "i-00000001", now.AddDate(-1, 0, 0)
			}
			s.Metric = func(volume, name string, _ time.Time) (float64, bool) {
				return 60 * float64(volume[len(volume)-1]), strings.HasPrefix(name, "VolumeRead")
			}
			c := s.Config()
			c.Clock, c.Timeout = clock(now), 2*time.Minute
			reports, errs := reads(t, awslive.New(c), days, twenty()...)
			for n, id := range twenty() {
				rates, _ := reports[n].IOPS.Get()
				if errs[n] != nil || rates.Read.P50 != float64(id[len(id)-1]) || reports[n].Volume.InstanceType != "mac2.metal" {
					t.Errorf("%s: %v, %+v", id, errs[n], rates.Read)
				}
			}
			// A machine under load may begin a read after the others: a few more, not one each.
			for operation, most := range map[string]int{"DescribeVolumes": 3, "DescribeInstances": 3, "GetMetricData": calls + 2} {
				if n := s.Calls(operation); n > most || operation == "GetMetricData" && n < calls {
					t.Errorf("%d calls of %s, want %d at most", n, operation, most)
				}
			}
		})
	}
}

// One volume that is not there, one whose figures cannot be, and one reader who
// gives up, do not spoil the others.
func TestReadsDoNotSpoilOthers(t *testing.T) {
	s := server(t)
	s.Metric = func(volume, _ string, _ time.Time) (float64, bool) {
		if volume == "vol-00000003" {
			return -1, true
		}
		return 60, true
	}
	c := s.Config()
	c.Clock = clock(now.Add(24 * time.Hour))
	_, errs := reads(t, awslive.New(c), 1, append(twenty(), "vol-99999999")...)
	for n, err := range errs {
		want := map[int]string{3: "it has figures that cannot be", 20: "there is no such volume in the Region (InvalidVolume.NotFound)"}[n]
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("read %d: %v", n, err)
		}
	}
}

func TestReaderGivesUp(t *testing.T) {
	s := server(t)
	release := make(chan struct{})
	s.Fault = func(_ string, _ int, _ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return false
	}
	c := s.Config()
	c.Clock = clock(now.Add(24 * time.Hour))
	session := awslive.New(c)
	read := func(ctx context.Context, id string) error {
		_, _, err := awslive.VolumeUsage(ctx, session, catalog.Embedded(), "us-east-1", id, 1, usage.Options{Percentile: 99})
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var stays, leaves error
	wg.Go(func() { stays = read(t.Context(), "vol-00000000") })
	wg.Go(func() { leaves = read(ctx, "vol-00000001") })
	for s.Calls("DescribeVolumes") == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	time.Sleep(50 * time.Millisecond)
	close(release)
	wg.Wait()
	if stays != nil || !awslive.Canceled(leaves) {
		t.Errorf("the one who stays: %v; the one who leaves: %v", stays, leaves)
	}
	// When all leave, the request ends.
	s.Fault = slow(time.Minute)
	ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begin := clockNow()
	if err := read(ctx, "vol-00000002"); err == nil || clockNow().Sub(begin) > 5*time.Second {
		t.Errorf("after %s: %v", clockNow().Sub(begin), err)
	}
}

// What all of them meet is said to all, also when their time is up.
func TestReadsThrottled(t *testing.T) {
	s := server(t)
	s.Fault = func(_ string, _ int, w http.ResponseWriter, _ *http.Request) bool {
		fakeaws.EC2Error(w, 503, "RequestLimitExceeded", marker)
		return true
	}
	c := s.Config()
	c.Timeout, c.MaxBackoff, c.MaxRetries = time.Second, 100*time.Millisecond, 100
	_, errs := reads(t, awslive.New(c), 1, twenty()[:5]...)
	for _, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "AWS asks for fewer requests (RequestLimitExceeded) (after") || strings.Contains(err.Error(), "MARKER") {
			t.Errorf("%v", err)
		}
	}
}

// However many volumes there are, only those of a few calls are in memory.
func TestMetricsMemory(t *testing.T) {
	s := server(t)
	start, minutes := usage.Window(now, 14)
	s.Metric = func(_, _ string, at time.Time) (float64, bool) { return float64(at.Minute()), at.Minute()%4 == 0 }
	c := s.Config()
	c.Timeout = 2 * time.Minute
	session := awslive.New(c)
	peak := func(volumes int) (most uint64) {
		var ids []string
		for n := range volumes {
			ids = append(ids, fmt.Sprintf("vol-%08x", n))
		}
		handed := 0
		err := session.VolumeMetrics(t.Context(), "us-east-1", ids, start, minutes, func(string, usage.Series) {
			handed++
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		})
		if err != nil || handed != volumes {
			t.Fatalf("%d of %d volumes, %v", handed, volumes, err)
		}
		return most
	}
	// Twenty volumes' minutes alone are 13 MB, and sixty's 39 MB.
	few, many := peak(20), peak(60)
	t.Logf("at most %d MB for 20 volumes, %d MB for 60", few>>20, many>>20)
	const room = 16 << 20
	if few > 64<<20 || many > few+room {
		t.Errorf("%d MB for 20 volumes, %d MB for 60", few>>20, many>>20)
	}
}
