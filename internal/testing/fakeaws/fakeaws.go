// Package fakeaws is a small part of AWS in this process, for tests: the calls
// that awslive makes, with the wire protocols of EC2 (query and XML), CloudWatch
// and the price list (JSON), and a place to put faults in. It holds the calls to
// the limits of the real ones where exceeding them would go unnoticed.
package fakeaws

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
)

// The limits of GetMetricData.
const (
	mostQueries    = 500
	mostDatapoints = 100_800
)

// Server is the part of AWS. Its members are set before the first request.
type Server struct {
	URL string

	Types     []catalog.Instance
	Volumes   []awslive.Volume
	Instances []awslive.Instance
	Hosts     []awslive.Host
	// Metric is the figure of a minute; false if there is none. Names are CloudWatch's.
	Metric func(volume, name string, minute time.Time) (float64, bool)
	// Products are the JSON texts of the price list by product family.
	Products map[string][]string
	// PageSize of lists; 100 if 0.
	PageSize int
	// Fault answers in the place of AWS if it returns true. call is the operation, n
	// the number of this call of it, from 1.
	Fault func(call string, n int, w http.ResponseWriter, r *http.Request) bool

	mu     sync.Mutex
	counts map[string]int
}

// New starts a server, which ends with the test. It knows the embedded types.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{counts: map[string]int{}, Products: map[string][]string{}}
	for i := range catalog.Embedded().Instances() {
		s.Types = append(s.Types, i)
	}
	h := httptest.NewServer(s)
	tb.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	s.URL = h.URL
	return s
}

// Config are settings that lead to the server, with the shortest pauses.
func (s *Server) Config() awslive.Config {
	return awslive.Config{ //nolint:gosec // keys that open nothing
		AccessKey: "AKIAFAKEFAKEFAKEFAKE", SecretKey: "fake-secret-key", Region: "us-east-1",
		Endpoints:  awslive.Endpoints{EC2: s.URL, CloudWatch: s.URL, Pricing: s.URL, STS: s.URL, SSO: s.URL},
		MaxBackoff: time.Millisecond,
	}
}

// Block is the body of a provider block that leads to the server.
func (s *Server) Block(more string) string {
	return fmt.Sprintf(`
aws {
  region                  = "us-east-1"
  access_key              = "AKIAFAKEFAKEFAKEFAKE"
  secret_key              = "fake-secret-key"
  skip_metadata_api_check = true
  endpoints {
    ec2        = %[1]q
    cloudwatch = %[1]q
    pricing    = %[1]q
    sts        = %[1]q
  }
}
%[2]s
`, s.URL, more)
}

// Calls is how many requests of an operation came.
func (s *Server) Calls(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[operation]
}

// Counts are all operations that were called.
func (s *Server) Counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.counts)
}

// ServeHTTP answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	form, _ := url.ParseQuery(string(body))
	call := form.Get("Action")
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		call = target[strings.LastIndexByte(target, '.')+1:]
	}
	s.mu.Lock()
	s.counts[call]++
	n := s.counts[call]
	s.mu.Unlock()
	if s.Fault != nil && s.Fault(call, n, w, r) {
		return
	}
	switch call {
	case "DescribeInstanceTypes":
		s.list(w, call, "instanceTypeSet", form, render(s.Types, typeXML))
	case "DescribeVolumes":
		s.volumes(w, form)
	case "DescribeInstances":
		f := filtersOf(form)
		s.list(w, call, "reservationSet", form, render(s.Instances, func(i awslive.Instance) string {
			if !f.allow("instance-id", i.ID) || !f.allow("host-id", i.HostID) {
				return ""
			}
			return instanceXML(i)
		}))
	case "DescribeHosts":
		s.hosts(w, form)
	case "GetMetricData":
		s.metricData(w, body)
	case "GetProducts":
		s.products(w, body)
	default:
		EC2Error(w, http.StatusBadRequest, "InvalidAction", "")
	}
}

// EC2Error answers as EC2 refuses.
func EC2Error(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors><RequestID>0b41a0e5</RequestID></Response>`, text(code), text(message))
}

// JSONError answers as CloudWatch and the price list refuse.
func JSONError(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": code, "message": message})
}

// list answers with a page of items, each an XML text without its <item>.
func (s *Server) list(w http.ResponseWriter, call, set string, form url.Values, items []string) {
	from, _ := strconv.Atoi(form.Get("NextToken"))
	size := s.PageSize
	if size == 0 {
		size = 100
	}
	to := min(from+size, len(items))
	w.Header().Set("Content-Type", "text/xml")
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?><%sResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId><%s>`, call, set)
	for _, i := range items[from:to] {
		b.WriteString("<item>" + i + "</item>")
	}
	fmt.Fprintf(&b, "</%s>", set)
	if to < len(items) {
		fmt.Fprintf(&b, "<nextToken>%d</nextToken>", to)
	}
	fmt.Fprintf(&b, "</%sResponse>", call)
	_, _ = io.WriteString(w, b.String())
}

func render[T any](vs []T, f func(T) string) (out []string) {
	for _, v := range vs {
		if s := f(v); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

func typeXML(i catalog.Instance) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<instanceType>%s</instanceType><currentGeneration>%v</currentGeneration><bareMetal>%v</bareMetal>`, i.Type, i.CurrentGen, i.BareMetal)
	fmt.Fprintf(&b, `<vCpuInfo><defaultVCpus>%d</defaultVCpus><defaultCores>%d</defaultCores></vCpuInfo>`, i.VCPUs, i.Cores)
	fmt.Fprintf(&b, `<memoryInfo><sizeInMiB>%d</sizeInMiB></memoryInfo><processorInfo><supportedArchitectures>`, i.MemoryMiB)
	for _, a := range i.Architectures {
		fmt.Fprintf(&b, `<item>%s</item>`, a)
	}
	fmt.Fprintf(&b, `</supportedArchitectures></processorInfo><networkInfo><networkPerformance>%s</networkPerformance></networkInfo>`, text(i.Network))
	if i.InstanceStoreGB > 0 {
		fmt.Fprintf(&b, `<instanceStorageInfo><totalSizeInGB>%d</totalSizeInGB></instanceStorageInfo>`, i.InstanceStoreGB)
	}
	b.WriteString(`<ebsInfo>`)
	fmt.Fprintf(&b, `<maximumEbsAttachments>%d</maximumEbsAttachments>`, i.MaxVolumes)
	rate := func(c catalog.EBSCeiling) string {
		return fmt.Sprintf(`<baselineBandwidthInMbps>%d</baselineBandwidthInMbps><baselineIops>%d</baselineIops><maximumBandwidthInMbps>%d</maximumBandwidthInMbps><maximumIops>%d</maximumIops>`,
			int64(c.Sustained.Bandwidth), c.Sustained.IOPS, int64(c.Maximum.Bandwidth), c.Maximum.IOPS)
	}
	if c, ok := i.EBS.Get(); ok {
		b.WriteString(`<ebsOptimizedInfo>` + rate(c) + `</ebsOptimizedInfo>`)
	}
	if len(i.Cards) > 0 {
		b.WriteString(`<ebsCardSet>`)
		for n, c := range i.Cards {
			fmt.Fprintf(&b, `<item><ebsCardIndex>%d</ebsCardIndex>%s</item>`, n, rate(c))
		}
		b.WriteString(`</ebsCardSet>`)
	}
	b.WriteString(`</ebsInfo>`)
	return b.String()
}

// ec2Filters are Filter.1.Name and its values.
type ec2Filters map[string][]string

func filtersOf(form url.Values) ec2Filters {
	f := ec2Filters{}
	for n := 1; form.Get(fmt.Sprintf("Filter.%d.Name", n)) != ""; n++ {
		name := form.Get(fmt.Sprintf("Filter.%d.Name", n))
		for v := 1; form.Has(fmt.Sprintf("Filter.%d.Value.%d", n, v)); v++ {
			f[name] = append(f[name], form.Get(fmt.Sprintf("Filter.%d.Value.%d", n, v)))
		}
	}
	return f
}

func (f ec2Filters) allow(name, value string) bool {
	values, there := f[name]
	return !there || slices.Contains(values, value)
}

func (f ec2Filters) allowTags(tags map[string]string) bool {
	for name, values := range f {
		if key, ok := strings.CutPrefix(name, "tag:"); ok && !slices.Contains(values, tags[key]) {
			return false
		}
	}
	return true
}

func ids(form url.Values, name string) (out []string) {
	for n := 1; form.Has(fmt.Sprintf("%s.%d", name, n)); n++ {
		out = append(out, form.Get(fmt.Sprintf("%s.%d", name, n)))
	}
	return out
}

func tagsXML(tags map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		fmt.Fprintf(&b, `<item><key>%s</key><value>%s</value></item>`, text(k), text(tags[k]))
	}
	return `<tagSet>` + b.String() + `</tagSet>`
}

func (s *Server) volumes(w http.ResponseWriter, form url.Values) {
	f, want := filtersOf(form), ids(form, "VolumeId")
	if len(want) > 0 && form.Has("MaxResults") {
		EC2Error(w, http.StatusBadRequest, "InvalidParameterCombination", "")
		return
	}
	for _, id := range want {
		if !slices.ContainsFunc(s.Volumes, func(v awslive.Volume) bool { return v.ID == id }) {
			EC2Error(w, http.StatusBadRequest, "InvalidVolume.NotFound", "The volume '"+id+"' does not exist.")
			return
		}
	}
	s.list(w, "DescribeVolumes", "volumeSet", form, render(s.Volumes, func(v awslive.Volume) string {
		if len(want) > 0 && !slices.Contains(want, v.ID) || !f.allow("volume-id", v.ID) || !f.allow("attachment.instance-id", v.InstanceID) || !f.allowTags(v.Tags) {
			return ""
		}
		var b strings.Builder
		fmt.Fprintf(&b, `<volumeId>%s</volumeId><size>%d</size><volumeType>%s</volumeType><status>in-use</status><createTime>%s</createTime><availabilityZone>us-east-1a</availabilityZone>`,
			v.ID, v.SizeGiB, v.Type, v.Created.Format(time.RFC3339))
		if v.IOPS > 0 {
			fmt.Fprintf(&b, `<iops>%d</iops>`, v.IOPS)
		}
		if v.ThroughputMiBPerS > 0 {
			fmt.Fprintf(&b, `<throughput>%d</throughput>`, v.ThroughputMiBPerS)
		}
		if v.InstanceID != "" {
			fmt.Fprintf(&b, `<attachmentSet><item><instanceId>%s</instanceId><device>%s</device><status>attached</status></item></attachmentSet>`, v.InstanceID, v.Device)
		}
		return b.String() + tagsXML(v.Tags)
	}))
}

func instanceXML(i awslive.Instance) string {
	reason := ""
	if !i.Stopped.IsZero() {
		reason = "<reason>User initiated (" + i.Stopped.UTC().Format("2006-01-02 15:04:05") + " GMT)</reason>"
	}
	return fmt.Sprintf(`<reservationId>r-1</reservationId><instancesSet><item><instanceId>%s</instanceId><instanceType>%s</instanceType><instanceState><name>%s</name></instanceState>%s<placement><hostId>%s</hostId></placement></item></instancesSet>`,
		i.ID, i.Type, i.State, reason, i.HostID)
}

func (s *Server) hosts(w http.ResponseWriter, form url.Values) {
	f, want := filtersOf(form), ids(form, "HostId")
	s.list(w, "DescribeHosts", "hostSet", form, render(s.Hosts, func(h awslive.Host) string {
		if len(want) > 0 && !slices.Contains(want, h.ID) || !f.allow("state", h.State) || !f.allow("instance-type", h.Type) {
			return ""
		}
		var b strings.Builder
		fmt.Fprintf(&b, `<hostId>%s</hostId><state>%s</state><availabilityZone>us-east-1a</availabilityZone><hostProperties><instanceType>%s</instanceType></hostProperties>`, h.ID, h.State, h.Type)
		if !h.Allocated.IsZero() {
			fmt.Fprintf(&b, `<allocationTime>%s</allocationTime>`, h.Allocated.UTC().Format(time.RFC3339))
		}
		if !h.Released.IsZero() {
			fmt.Fprintf(&b, `<releaseTime>%s</releaseTime>`, h.Released.UTC().Format(time.RFC3339))
		}
		b.WriteString(`<instances>`)
		for _, id := range h.InstanceIDs {
			fmt.Fprintf(&b, `<item><instanceId>%s</instanceId></item>`, id)
		}
		return b.String() + `</instances>` + tagsXML(h.Tags)
	}))
}

// metricData answers with all figures, and refuses what CloudWatch refuses.
func (s *Server) metricData(w http.ResponseWriter, body []byte) {
	var in struct {
		StartTime, EndTime float64
		MetricDataQueries  []struct {
			ID         string `json:"Id"`
			MetricStat struct {
				Period int
				Stat   string
				Metric struct {
					MetricName string
					Dimensions []struct{ Name, Value string }
				}
			}
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		JSONError(w, http.StatusBadRequest, "SerializationException", "")
		return
	}
	start, end := time.Unix(int64(in.StartTime), 0).UTC(), time.Unix(int64(in.EndTime), 0).UTC()
	minutes := int(end.Sub(start) / time.Minute)
	if len(in.MetricDataQueries) > mostQueries || len(in.MetricDataQueries)*minutes > mostDatapoints {
		JSONError(w, http.StatusBadRequest, "ValidationError", "too much")
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	var b strings.Builder
	b.WriteString(`{"MetricDataResults":[`)
	for n, q := range in.MetricDataQueries {
		if n > 0 {
			b.WriteByte(',')
		}
		volume := ""
		for _, d := range q.MetricStat.Metric.Dimensions {
			volume = d.Value
		}
		var times, values strings.Builder
		for t := start; t.Before(end) && s.Metric != nil; t = t.Add(time.Minute) {
			v, ok := s.Metric(volume, q.MetricStat.Metric.MetricName, t)
			if !ok {
				continue
			}
			if times.Len() > 0 {
				times.WriteByte(',')
				values.WriteByte(',')
			}
			times.WriteString(strconv.FormatInt(t.Unix(), 10))
			values.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		}
		fmt.Fprintf(&b, `{"Id":%q,"Label":"x","StatusCode":"Complete","Timestamps":[%s],"Values":[%s]}`, q.ID, &times, &values)
	}
	b.WriteString(`],"Messages":[]}`)
	_, _ = io.WriteString(w, b.String())
}

func (s *Server) products(w http.ResponseWriter, body []byte) {
	var in struct {
		Filters   []struct{ Field, Value string }
		NextToken string
	}
	_ = json.Unmarshal(body, &in)
	family := "Compute Instance"
	for _, f := range in.Filters {
		if f.Field == "productFamily" {
			family = f.Value
		}
	}
	list := s.Products[family]
	from, _ := strconv.Atoi(in.NextToken)
	to := min(from+100, len(list))
	out := map[string]any{"FormatVersion": "aws_v1", "PriceList": append([]string{}, list[from:to]...)}
	if to < len(list) {
		out["NextToken"] = strconv.Itoa(to)
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	_ = json.NewEncoder(w).Encode(out)
}

// Product is a text of the price list.
func Product(usageType, instanceType, unit, usd string) string {
	b, _ := json.Marshal(map[string]any{
		"product": map[string]any{"productFamily": "x", "attributes": map[string]string{"usagetype": usageType, "instanceType": instanceType, "regionCode": "us-east-1"}},
		"terms": map[string]any{
			"OnDemand": map[string]any{"A.B": map[string]any{"priceDimensions": map[string]any{"A.B.C": map[string]any{"unit": unit, "pricePerUnit": map[string]string{"USD": usd}}}}},
			"Reserved": map[string]any{"A.R": map[string]any{"priceDimensions": map[string]any{"A.R.C": map[string]any{"unit": "Quantity", "pricePerUnit": map[string]string{"USD": "1000"}}}}},
		},
	})
	return string(b)
}

// Prices are a price list whose prices differ from the embedded ones.
func Prices() map[string][]string {
	return map[string][]string{
		"Storage": {
			Product("EBS:VolumeUsage.gp3", "", "GB-Mo", "0.0900000000"), Product("EBS:VolumeUsage.gp2", "", "GB-Mo", "0.11"), Product("EBS:VolumeUsage", "", "GB-Mo", "0.05"),
			Product("EBS:VolumeUsage.piops", "", "GB-Mo", "0.13"), Product("EBS:VolumeUsage.io2", "", "GB-Mo", "0.13"), Product("EBS:SnapshotUsage", "", "GB-Mo", "0.05"),
		},
		"System Operation": {
			Product("EBS:VolumeP-IOPS.gp3", "", "IOPS-Mo", "0.0060"), Product("EBS:VolumeP-IOPS.piops", "", "IOPS-Mo", "0.066"), Product("EBS:VolumeIOUsage", "", "IOs", "0.00000005"),
			Product("EBS:VolumeP-IOPS.io2", "", "IOPS-Mo", "0.066"), Product("EBS:VolumeP-IOPS.io2.tier2", "", "IOPS-Mo", "0.047"), Product("EBS:VolumeP-IOPS.io2.tier3", "", "IOPS-Mo", "0.033"),
		},
		"Provisioned Throughput": {Product("EBS:VolumeP-Throughput.gp3", "", "GiBps-mo", "46.08")}, // 0.045 for a MiB/s
		"Dedicated Host": {
			Product("HostUsage:mac2", "mac2", "Hrs", "0.70"), Product("HostUsage:mac2-m2pro", "mac2-m2pro", "Hrs", "1.60"),
			Product("ReservedHostUsage:mac2", "mac2", "Hrs", "0.01"), Product("HostUsage:m5", "m5", "Hrs", "5"),
		},
		"Compute Instance": {
			Product("BoxUsage:m8a.xlarge", "m8a.xlarge", "Hrs", "0.25"), Product("UnusedBox:m8a.xlarge", "m8a.xlarge", "Hrs", "9"), Product("BoxUsage:m8a.large", "m8a.large", "Hrs", "0"),
		},
	}
}

// AllPrices are Prices with those of all types of the embedded table, each a
// twentieth higher than there.
func AllPrices() map[string][]string {
	out, cat := Prices(), catalog.Embedded()
	hosts, instances := []string{}, []string{}
	higher := func(p catalog.Price) string { return p.USDPerHour.Mul(decimal.New(105, -2)).String() }
	for _, m := range cat.Macs() {
		if p, ok := cat.MacHostPrice(catalog.DefaultRegion, m.Type); ok {
			hosts = append(hosts, Product("HostUsage:"+m.HostFamily, m.HostFamily, "Hrs", higher(p)))
		}
	}
	for i := range cat.Instances() {
		if p, ok := cat.InstancePrice(catalog.DefaultRegion, i.Type); ok {
			instances = append(instances, Product("BoxUsage:"+i.Type, i.Type, "Hrs", higher(p)))
		}
	}
	out["Dedicated Host"], out["Compute Instance"] = hosts, instances
	return out
}
