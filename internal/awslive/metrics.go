package awslive

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"golang.org/x/sync/errgroup"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

const (
	// What one GetMetricData takes: queries, and figures of all of them together.
	mostQueries    = 500
	mostDatapoints = 100_800
	// callsAtOnce bounds memory as much as it saves time: an answer in flight is a few
	// megabytes.
	callsAtOnce = 4
	// innerRetries are for queries that AWS itself reports as failed within an answer
	// that is otherwise fine.
	innerRetries = 3
)

// volumeMetrics are the metrics of a volume, in the order of metricOf.
var volumeMetrics = [...]string{"VolumeReadOps", "VolumeWriteOps", "VolumeReadBytes", "VolumeWriteBytes"}

func metricOf(s *usage.Series, n int) []float64 {
	return [...][]float64{s.ReadOps, s.WriteOps, s.ReadBytes, s.WriteBytes}[n]
}

// query is one metric of one volume.
type query struct{ volume, metric int }

// VolumeMetrics reads the minutes of volumes, as few calls as the limits of
// GetMetricData allow: 20 volumes over 14 days take 16. each is called with a
// volume when all of its metrics are there, one call at a time, in no order, and
// the series is then its own: at any time only the volumes of a few calls are in
// memory. The error is an *Error; some volumes may have been handed over by then.
func (s *Session) VolumeMetrics(ctx context.Context, region string, ids []string, start time.Time, minutes int, each func(id string, series usage.Series)) error {
	if len(ids) == 0 || minutes < 1 {
		return nil
	}
	perCall := max(1, min(mostQueries, mostDatapoints/minutes))
	var calls [][]query
	var call []query
	for v := range ids {
		for m := range volumeMetrics {
			if call = append(call, query{v, m}); len(call) == perCall {
				calls, call = append(calls, call), nil
			}
		}
	}
	if len(call) > 0 {
		calls = append(calls, call)
	}

	var mu sync.Mutex
	partly := map[int]*usage.Series{} // volumes of which some metrics are there
	missing := map[int]int{}
	seriesOf := func(v int) *usage.Series {
		mu.Lock()
		defer mu.Unlock()
		if partly[v] == nil {
			series := usage.NewSeries(start, minutes)
			partly[v], missing[v] = &series, len(volumeMetrics)
		}
		return partly[v]
	}
	done := func(v int) {
		mu.Lock()
		defer mu.Unlock()
		if missing[v]--; missing[v] > 0 {
			return
		}
		series := *partly[v]
		delete(partly, v)
		delete(missing, v)
		each(ids[v], series)
	}
	return s.ask(ctx, callMetricData, region, func(ctx context.Context, c clients) error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(callsAtOnce)
		for _, call := range calls {
			group.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				into := make([][]float64, len(call))
				for n, q := range call {
					into[n] = metricOf(seriesOf(q.volume), q.metric)
				}
				if err := metricData(ctx, c, ids, call, start, minutes, into); err != nil {
					return err
				}
				for _, q := range call {
					done(q.volume)
				}
				return nil
			})
		}
		return group.Wait()
	})
}

// metricData makes one call with all its pages and fills the minutes in. A query
// that is not complete at the end makes the whole of it an error.
func metricData(ctx context.Context, c clients, ids []string, call []query, start time.Time, minutes int, into [][]float64) error {
	in := &cloudwatch.GetMetricDataInput{
		StartTime:     aws.Time(start),
		EndTime:       aws.Time(start.Add(time.Duration(minutes) * time.Minute)),
		ScanBy:        cwtypes.ScanByTimestampAscending,
		MaxDatapoints: aws.Int32(mostDatapoints),
	}
	for n, q := range call {
		in.MetricDataQueries = append(in.MetricDataQueries, cwtypes.MetricDataQuery{
			Id:         aws.String(fmt.Sprintf("q%d", n)),
			ReturnData: aws.Bool(true),
			MetricStat: &cwtypes.MetricStat{
				Period: aws.Int32(60),
				Stat:   aws.String("Sum"),
				Metric: &cwtypes.Metric{
					Namespace:  aws.String("AWS/EBS"),
					MetricName: aws.String(volumeMetrics[q.metric]),
					Dimensions: []cwtypes.Dimension{{Name: aws.String("VolumeId"), Value: aws.String(ids[q.volume])}},
				},
			},
		})
	}
	for attempt := 1; ; attempt++ {
		retry, err := metricPages(ctx, c, in, start, into)
		if err == nil || !retry || attempt == innerRetries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(attempt) * 100 * time.Millisecond):
		}
	}
}

// metricPages reads all pages of one call. retry says that AWS may do better at
// another attempt.
func metricPages(ctx context.Context, c clients, in *cloudwatch.GetMetricDataInput, start time.Time, into [][]float64) (retry bool, err error) {
	status := make([]cwtypes.StatusCode, len(into))
	err = pages(ctx, func(token *string) (*string, error) {
		in.NextToken = token
		page, err := c.cloudwatch.GetMetricData(ctx, in)
		if err != nil {
			return nil, err
		}
		// A message stands for figures that were left out.
		if len(page.Messages) > 0 {
			if code := aws.ToString(page.Messages[0].Code); isCode(code) {
				return nil, incomplete{"CloudWatch says " + code}
			}
			return nil, incomplete{"CloudWatch has left something out"}
		}
		for _, r := range page.MetricDataResults {
			n, ok := queryNumber(aws.ToString(r.Id), len(into))
			if !ok || len(r.Timestamps) != len(r.Values) {
				return nil, incomplete{"it does not fit the question"}
			}
			status[n] = r.StatusCode
			for i, t := range r.Timestamps {
				if math.IsNaN(r.Values[i]) || math.IsInf(r.Values[i], 0) || r.Values[i] < 0 {
					return nil, incomplete{"it has figures that cannot be"}
				}
				if at := int(t.Sub(start) / time.Minute); !t.Before(start) && at < len(into[n]) {
					into[n][at] = r.Values[i]
				}
			}
		}
		return page.NextToken, nil
	})
	if err != nil {
		return false, err
	}
	for _, code := range status {
		switch code {
		case cwtypes.StatusCodeComplete:
		case cwtypes.StatusCodeForbidden:
			return false, errForbidden
		case cwtypes.StatusCodeInternalError:
			return true, incomplete{"CloudWatch had a fault with one of the metrics"}
		default:
			return true, incomplete{"CloudWatch left one of the metrics unfinished"}
		}
	}
	return false, nil
}

// queryNumber reads a query's id back.
func queryNumber(id string, count int) (int, bool) {
	var n int
	if _, err := fmt.Sscanf(id, "q%d", &n); err != nil || n < 0 || n >= count {
		return 0, false
	}
	return n, true
}
