package awslive_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/fakeaws"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

// Nothing of the environment of whoever runs the tests may reach AWS.
func TestMain(m *testing.M) {
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "AWS_") {
			_ = os.Unsetenv(name)
		}
	}
	os.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	os.Setenv("AWS_CONFIG_FILE", os.DevNull)
	os.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	os.Exit(m.Run())
}

// call is one of the calls, as a question.
type call struct {
	operation string
	ask       func(context.Context, *awslive.Session) error
	refuse    func(http.ResponseWriter, int, string, string)
}

// json says whether the service of a call speaks JSON, and not XML.
func (c call) json() bool { return c.operation == "GetProducts" || c.operation == "GetMetricData" }

var calls = map[string]call{
	"ec2:DescribeInstanceTypes": {"DescribeInstanceTypes", func(ctx context.Context, s *awslive.Session) error {
		types, err := s.DescribeInstanceTypes(ctx, "us-east-1")
		return whole(len(types), 1373, err)
	}, fakeaws.EC2Error},
	"ec2:DescribeVolumes": {"DescribeVolumes", func(ctx context.Context, s *awslive.Session) error {
		vs, err := s.DescribeVolumes(ctx, "us-east-1", awslive.VolumeFilter{})
		return whole(len(vs), 250, err)
	}, fakeaws.EC2Error},
	"ec2:DescribeInstances": {"DescribeInstances", func(ctx context.Context, s *awslive.Session) error {
		is, err := s.DescribeInstances(ctx, "us-east-1", []string{"i-00000001"})
		return whole(len(is), 1, err)
	}, fakeaws.EC2Error},
	"ec2:DescribeHosts": {"DescribeHosts", func(ctx context.Context, s *awslive.Session) error {
		hs, err := s.DescribeHosts(ctx, "us-east-1", awslive.HostFilter{})
		return whole(len(hs), 1, err)
	}, fakeaws.EC2Error},
	"cloudwatch:GetMetricData": {"GetMetricData", func(ctx context.Context, s *awslive.Session) error {
		n := 0
		err := s.VolumeMetrics(ctx, "us-east-1", []string{"vol-00000001"}, now.Truncate(time.Minute), 10, func(string, usage.Series) { n++ })
		return whole(n, 1, err)
	}, fakeaws.JSONError},
	"pricing:GetProducts": {"GetProducts", func(ctx context.Context, s *awslive.Session) error {
		_, err := s.VolumePrices(ctx, "us-east-1")
		return err
	}, fakeaws.JSONError},
}

// whole is an error for an answer that is not whole and says nothing of it.
func whole(got, want int, err error) error {
	if err == nil && got != want {
		return fmt.Errorf("an answer of %d instead of %d was passed off as whole", got, want)
	}
	if err != nil && got != 0 {
		return fmt.Errorf("an error came with %d of an answer: %w", got, err)
	}
	return err
}

func server(tb testing.TB) *fakeaws.Server {
	tb.Helper()
	s := fakeaws.New(tb)
	for n := range 250 {
		s.Volumes = append(s.Volumes, awslive.Volume{ID: fmt.Sprintf("vol-%08x", n), Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 125, Created: now})
	}
	s.Instances = []awslive.Instance{{ID: "i-00000001", Type: "mac2.metal", State: "running"}}
	s.Hosts = []awslive.Host{{ID: "h-00000001", Type: "mac2.metal", State: "available", Allocated: now}}
	s.Products = fakeaws.Prices()
	s.Metric = func(string, string, time.Time) (float64, bool) { return 60, true }
	return s
}

// marker stands for what must never be repeated: credentials and whatever else
// is in an error's body.
const marker = "MARKER-wJalrXUtnFEMI"

func TestFaults(t *testing.T) {
	always := func(c call, f func(n int, w http.ResponseWriter, r *http.Request) bool) func(string, int, http.ResponseWriter, *http.Request) bool {
		return func(operation string, n int, w http.ResponseWriter, r *http.Request) bool {
			return operation == c.operation && f(n, w, r)
		}
	}
	refuse := func(status int, code string, times int) func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
		return func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
			return always(c, func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if n > times {
					return false
				}
				c.refuse(w, status, code, marker+" arn:aws:iam::123456789012:user/somebody")
				return true
			})
		}
	}
	say := func(body string) func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
		return func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
			return always(c, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				_, _ = w.Write([]byte(body))
				return true
			})
		}
	}
	const forever = math.MaxInt
	for name, tc := range map[string]struct {
		fault  func(call) func(string, int, http.ResponseWriter, *http.Request) bool
		change func(*awslive.Config)
		// want is in the error; empty if there must be none.
		want string
		// calls at least, for what must be retried, and at most, for what must not.
		atLeast, atMost int
	}{
		"throttled 5 times":  {fault: refuse(503, "RequestLimitExceeded", 5), atLeast: 6},
		"throttling in JSON": {fault: refuse(400, "ThrottlingException", 5), atLeast: 6},
		"throttled for ever": {fault: refuse(503, "RequestLimitExceeded", forever), want: "AWS asks for fewer requests (RequestLimitExceeded) (after 4 attempts)", change: func(c *awslive.Config) { c.MaxRetries = 4 }, atLeast: 4},
		"throttled until the time is up": {
			fault: refuse(503, "RequestLimitExceeded", forever), want: "AWS asks for fewer requests (RequestLimitExceeded) (after",
			change: func(c *awslive.Config) {
				c.Timeout, c.MaxBackoff, c.MaxRetries = time.Second, 200*time.Millisecond, 100
			}, atLeast: 3,
		},
		"two faults":           {fault: refuse(500, "InternalError", 2), atLeast: 3},
		"faults for ever":      {fault: refuse(500, "InternalError", forever), want: "AWS had a fault (HTTP 500, InternalError)", change: func(c *awslive.Config) { c.MaxRetries = 3 }, atLeast: 3},
		"access denied":        {fault: refuse(403, "UnauthorizedOperation", forever), want: "access was denied (UnauthorizedOperation). Allow the action", atMost: 1},
		"denied in JSON":       {fault: refuse(400, "AccessDeniedException", forever), want: "access was denied (AccessDeniedException)", atMost: 1},
		"expired token":        {fault: refuse(400, "ExpiredTokenException", forever), want: "the credentials have expired (ExpiredTokenException). Sign in again", atMost: 1},
		"wrong keys":           {fault: refuse(401, "AuthFailure", forever), want: "the credentials are not valid here (AuthFailure)"},
		"a Region not enabled": {fault: refuse(403, "OptInRequired", forever), want: "the Region is not enabled in this account (OptInRequired)", atMost: 1},
		"clock skew": {
			fault: func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
				return always(c, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					w.Header().Set("Date", clockNow().Add(-3*time.Hour).UTC().Format(http.TimeFormat))
					c.refuse(w, 403, "SignatureDoesNotMatch", marker)
					return true
				})
			},
			want: "clock is 3h0m0s off; AWS refuses more than 5 minutes",
		},
		"a request from the past": {fault: refuse(400, "RequestExpired", forever), want: "because of its time (RequestExpired)"},
		"a code that is none":     {fault: refuse(400, "AKIA"+strings.ToUpper(strings.ReplaceAll(marker, "-", "")), forever), want: ""},
		"a hang": {
			fault: func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
				return always(c, func(_ int, _ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
			},
			change: func(c *awslive.Config) { c.Timeout = 400 * time.Millisecond }, want: "there was no answer within 400ms",
		},
		"a hang, then fine": {
			fault: func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
				return always(c, func(n int, _ http.ResponseWriter, r *http.Request) bool {
					if n == 1 {
						<-r.Context().Done()
					}
					return n == 1
				})
			},
			change: func(c *awslive.Config) { c.Timeout = 5 * time.Second }, atLeast: 2,
		},
		"half an answer": {
			fault: func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
				return always(c, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					if c.json() {
						_, _ = w.Write([]byte(`{"MetricDataResults":[{"Id":"q0","Timestamps":[1,`))
					} else {
						_, _ = w.Write([]byte(`<?xml version="1.0"?><` + c.operation + `Response><instanceTypeSet><item><instanceType>m8a.large</inst`))
					}
					return true
				})
			},
			change: func(c *awslive.Config) { c.MaxRetries = 3 }, want: "breaks off or cannot be read (after 3 attempts). Nothing was taken from it", atLeast: 3,
		},
		"a page of somebody else's": {fault: say(`<!DOCTYPE html><html><body><br>Please sign in ` + marker + `</body></html>`), want: "the answer is not one of AWS's. Nothing was taken from it", atMost: 1},
		"XML of something else":     {fault: say(`<?xml version="1.0"?><html><body>Please sign in</body></html>`), want: "the answer is not one of AWS's", atMost: 1},
		"an empty answer":           {fault: say(``), change: func(c *awslive.Config) { c.MaxRetries = 2 }, want: "breaks off or cannot be read (after 2 attempts)", atLeast: 2},
		"an answer without its list": {
			fault: func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
				return always(c, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					if c.json() {
						_, _ = w.Write([]byte(`{"Messages":[]}`))
					} else {
						_, _ = fmt.Fprintf(w, `<%[1]sResponse><requestId>r</requestId></%[1]sResponse>`, c.operation)
					}
					return true
				})
			},
			want: "the answer is not one of AWS's", atMost: 1,
		},
		// The list is there to its end, and what would say that there are more pages is
		// not.
		"half an answer with its list": {
			fault: func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
				return always(c, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					list := map[string]string{"DescribeInstanceTypes": "instanceTypeSet", "DescribeVolumes": "volumeSet", "DescribeInstances": "reservationSet", "DescribeHosts": "hostSet", "GetMetricData": "MetricDataResults", "GetProducts": "PriceList"}[c.operation]
					if c.json() {
						_, _ = fmt.Fprintf(w, `{%q:[]`, list)
					} else {
						_, _ = fmt.Fprintf(w, `<%sResponse><%[2]s></%[2]s>`, c.operation, list)
					}
					return true
				})
			},
			change: func(c *awslive.Config) { c.MaxRetries = 3 }, want: "breaks off or cannot be read (after 3 attempts)", atLeast: 3,
		},
		"cut off": {
			fault: func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
				return always(c, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					w.Header().Set("Content-Length", "100000")
					_, _ = w.Write([]byte(`{"PriceList":["`))
					panic(http.ErrAbortHandler)
				})
			},
			change: func(c *awslive.Config) { c.MaxRetries = 3 }, want: "(after 3 attempts)", atLeast: 3,
		},
		"a proxy's page": {
			fault: func(c call) func(string, int, http.ResponseWriter, *http.Request) bool {
				return always(c, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					w.WriteHeader(http.StatusForbidden)
					_, _ = w.Write([]byte("<html>" + marker))
					return true
				})
			},
			want: "the answer was HTTP 403", atMost: 1,
		},
		"no such name": {
			fault: func(call) func(string, int, http.ResponseWriter, *http.Request) bool { return nil },
			change: func(c *awslive.Config) {
				c.MaxRetries = 2
				const nowhere = "http://ec2.nowhere.invalid"
				c.Endpoints = awslive.Endpoints{EC2: nowhere, CloudWatch: nowhere, Pricing: nowhere}
			},
			want: "the name of the endpoint cannot be resolved. Look whether the Region exists",
		},
		"nobody listens": {
			fault: func(call) func(string, int, http.ResponseWriter, *http.Request) bool { return nil },
			change: func(c *awslive.Config) {
				c.MaxRetries = 2
				const nobody = "http://127.0.0.1:1"
				c.Endpoints = awslive.Endpoints{EC2: nobody, CloudWatch: nobody, Pricing: nobody}
			},
			want: "there is no connection to the endpoint (after 2 attempts)",
		},
	} {
		for action, c := range calls {
			t.Run(name+"/"+action, func(t *testing.T) {
				t.Parallel()
				s := server(t)
				s.Fault = tc.fault(c)
				config := s.Config()
				config.SecretKey, config.Timeout = marker, 10*time.Second
				if tc.change != nil {
					tc.change(&config)
				}
				begin := clockNow()
				err := c.ask(t.Context(), awslive.New(config))
				if d := clockNow().Sub(begin); d > config.Timeout+time.Second {
					t.Errorf("it took %s", d)
				}
				if n := s.Calls(c.operation); n < tc.atLeast || tc.atMost > 0 && n > tc.atMost {
					t.Errorf("%d requests came", n)
				}
				if tc.atLeast > 0 && tc.want == "" {
					if err != nil {
						t.Errorf("it was not retried: %v", err)
					}
					return
				}
				if _, ok := errors.AsType[*awslive.Error](err); !ok {
					t.Fatalf("the error is %v", err)
				}
				text := err.Error()
				for _, want := range []string{tc.want, action, "needs the permission " + action + "."} {
					if !strings.Contains(text, want) {
						t.Errorf("%q is missing in %q", want, text)
					}
				}
				for _, secret := range []string{"MARKER", "AKIA", "somebody", "123456789012", "nowhere.invalid", "127.0.0.1"} {
					if strings.Contains(text, secret) {
						t.Errorf("%q is repeated in %q", secret, text)
					}
				}
			})
		}
	}
}

// An answer that contradicts itself, or says that it is not whole, is not used.
func TestIncomplete(t *testing.T) {
	metric := func(body string) func(string, int, http.ResponseWriter, *http.Request) bool {
		return func(_ string, _ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/x-amz-json-1.1")
			_, _ = w.Write([]byte(body))
			return true
		}
	}
	results := func(last string) string {
		return `{"MetricDataResults":[{"Id":"q0","StatusCode":"Complete","Timestamps":[],"Values":[]},{"Id":"q1","StatusCode":"Complete","Timestamps":[],"Values":[]},{"Id":"q2","StatusCode":"Complete","Timestamps":[],"Values":[]}` + last + `],"Messages":[]}`
	}
	typesXML := func(token, items string) string {
		return `<DescribeInstanceTypesResponse><instanceTypeSet>` + items + `</instanceTypeSet>` + token + `</DescribeInstanceTypesResponse>`
	}
	for name, tc := range map[string]struct {
		action string
		fault  func(string, int, http.ResponseWriter, *http.Request) bool
		want   string
	}{
		"a metric is missing":       {"cloudwatch:GetMetricData", metric(results("")), "left one of the metrics unfinished"},
		"a metric is partial":       {"cloudwatch:GetMetricData", metric(results(`,{"Id":"q3","StatusCode":"PartialData","Timestamps":[],"Values":[]}`)), "left one of the metrics unfinished"},
		"a metric failed":           {"cloudwatch:GetMetricData", metric(results(`,{"Id":"q3","StatusCode":"InternalError","Timestamps":[],"Values":[]}`)), "a fault with one of the metrics"},
		"a metric is forbidden":     {"cloudwatch:GetMetricData", metric(results(`,{"Id":"q3","StatusCode":"Forbidden","Timestamps":[],"Values":[]}`)), "access was denied"},
		"a value has no time":       {"cloudwatch:GetMetricData", metric(results(`,{"Id":"q3","StatusCode":"Complete","Timestamps":[],"Values":[1]}`)), "does not fit"},
		"a value is negative":       {"cloudwatch:GetMetricData", metric(results(`,{"Id":"q3","StatusCode":"Complete","Timestamps":[1],"Values":[-1]}`)), "cannot be"},
		"an answer to nobody":       {"cloudwatch:GetMetricData", metric(results(`,{"Id":"q9","StatusCode":"Complete","Timestamps":[],"Values":[]}`)), "does not fit"},
		"a message":                 {"cloudwatch:GetMetricData", metric(`{"MetricDataResults":[],"Messages":[{"Code":"MaxMetricsExceeded","Value":"x"}]}`), "CloudWatch says MaxMetricsExceeded"},
		"a price list of nothing":   {"pricing:GetProducts", metric(`{"PriceList":[]}`), "a gp3 price of $0"},
		"a product that is no JSON": {"pricing:GetProducts", metric(`{"PriceList":["{"]}`), "a product cannot be read"},
		"pages without end": {"ec2:DescribeInstanceTypes", func(_ string, _ int, w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte(typesXML(`<nextToken>again</nextToken>`, ``)))
			return true
		}, "its pages repeat themselves"},
		"no types at all": {"ec2:DescribeInstanceTypes", func(_ string, _ int, w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte(typesXML(``, ``)))
			return true
		}, "no instance type in it"},
		"a type of nothing": {"ec2:DescribeInstanceTypes", func(_ string, _ int, w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte(typesXML(``, `<item><instanceType>m8a.large</instanceType></item>`)))
			return true
		}, "m8a.large has no vCPUs"},
		"the second page fails": {"ec2:DescribeInstanceTypes", func(_ string, n int, w http.ResponseWriter, _ *http.Request) bool {
			if n > 1 {
				fakeaws.EC2Error(w, 400, "InvalidNextToken", "")
			}
			return n > 1
		}, "refused (InvalidNextToken)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t)
			s.Fault = tc.fault
			err := calls[tc.action].ask(t.Context(), awslive.New(s.Config()))
			if _, ok := errors.AsType[*awslive.Error](err); !ok || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), tc.action) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestCanceled(t *testing.T) {
	s := server(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.Fault = func(_ string, _ int, _ http.ResponseWriter, r *http.Request) bool {
		cancel()
		<-r.Context().Done()
		return true
	}
	begin := clockNow()
	err := calls["ec2:DescribeVolumes"].ask(ctx, awslive.New(s.Config()))
	if !awslive.Canceled(err) || clockNow().Sub(begin) > 5*time.Second {
		t.Errorf("after %s: %v", clockNow().Sub(begin), err)
	}
}

// Without credentials the error comes soon, names the call and the ways to give
// some, and the next question does not wait again. Nothing but that is lost.
func TestNoCredentials(t *testing.T) {
	s := server(t)
	config := s.Config()
	config.AccessKey, config.SecretKey = "", ""
	session := awslive.New(config)
	for range 2 {
		err := calls["ec2:DescribeHosts"].ask(t.Context(), session)
		if err == nil || !strings.Contains(err.Error(), "ec2:DescribeHosts in us-east-1: no valid credentials were found. Set a profile, keys or a role") {
			t.Errorf("the error is %v", err)
		}
	}
	if n := s.Calls("DescribeHosts"); n != 0 {
		t.Errorf("%d requests without credentials", n)
	}
}

// Settings work as in hashicorp/aws: shared files with profiles, and a role.
func TestProfileAndRole(t *testing.T) {
	s := server(t)
	var mu sync.Mutex
	var signed []string
	s.Fault = func(call string, _ int, w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		signed = append(signed, call+" "+regexp.MustCompile(`Credential=([A-Z0-9]+)/\d+/([a-z0-9-]+)/`).FindString(r.Header.Get("Authorization")))
		mu.Unlock()
		if call == "AssumeRole" {
			_, _ = fmt.Fprint(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ASIAROLEROLEROLEROLE</AccessKeyId><SecretAccessKey>x</SecretAccessKey><SessionToken>y</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials><AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/r/s</Arn><AssumedRoleId>a:s</AssumedRoleId></AssumedRoleUser></AssumeRoleResult></AssumeRoleResponse>`)
			return true
		}
		return false
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "credentials")
	if err := os.WriteFile(file, []byte("[ci]\naws_access_key_id = AKIAPROFILEPROFILE00\naws_secret_access_key = z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	configFile := filepath.Join(dir, "config")
	if err := os.WriteFile(configFile, []byte("[profile ci]\nregion = eu-west-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := s.Config()
	c.AccessKey, c.SecretKey, c.Region = "", "", ""
	c.Profile, c.SharedCredentialsFiles, c.SharedConfigFiles = "ci", []string{file}, []string{configFile}
	session := awslive.New(c)
	region, err := session.Region(t.Context())
	if err != nil || region != "eu-west-1" {
		t.Fatalf("the Region is %q, %v", region, err)
	}
	if _, err := session.DescribeHosts(t.Context(), region, awslive.HostFilter{}); err != nil {
		t.Fatal(err)
	}
	c.AssumeRole = []awslive.AssumeRole{{RoleARN: "arn:aws:iam::123456789012:role/r", SessionName: "s"}}
	session = awslive.New(c)
	for range 2 {
		if _, err := session.DescribeHosts(t.Context(), "us-east-2", awslive.HostFilter{}); err != nil {
			t.Fatal(err)
		}
	}
	joined := strings.Join(signed, "\n")
	for _, want := range []string{"DescribeHosts Credential=AKIAPROFILEPROFILE00/", "AssumeRole Credential=AKIAPROFILEPROFILE00/", "DescribeHosts Credential=ASIAROLEROLEROLEROLE/"} {
		if !strings.Contains(joined, want) {
			t.Errorf("%q is missing in\n%s", want, joined)
		}
	}
	// Once to see whether it works, once to use it, however many questions follow.
	if s.Calls("AssumeRole") > 2 {
		t.Errorf("the role was assumed %d times", s.Calls("AssumeRole"))
	}
	if !regexp.MustCompile(`DescribeHosts Credential=AKIAPROFILEPROFILE00/\d+/eu-west-1/`).MatchString(joined) || !strings.Contains(joined, "/us-east-2/") {
		t.Errorf("the Regions are not those that were asked for:\n%s", joined)
	}
}

// A session is settings until it is asked something: whatever dials fails the test.
func TestNothingAtStart(t *testing.T) {
	c := awslive.Config{HTTPClient: &http.Client{Transport: &http.Transport{DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("somebody dials %s", address)
		return nil, errors.New("no")
	}}}}
	session := awslive.New(c)
	cat := awslive.NewCatalog(session, catalog.Embedded())
	_ = catalog.Embedded().WithOverlay(cat)
	cat.Cancel()
}

// The types come back as they are in the table, which came from the same call.
func TestInstanceTypes(t *testing.T) {
	s := server(t)
	c := s.Config()
	c.Clock = clock(now)
	types, err := awslive.New(c).DescribeInstanceTypes(t.Context(), "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Calls("DescribeInstanceTypes"); n != 14 {
		t.Errorf("%d requests for 1,373 types", n)
	}
	n := 0
	for want := range catalog.Embedded().Instances() {
		got := types[n]
		n++
		if got.Source.AsOf != "2026-11-30" || got.Source.Name != "EC2 DescribeInstanceTypes in us-east-1" {
			t.Fatalf("the source is %+v", got.Source)
		}
		got.Source = want.Source
		if !cmp.Equal(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)) {
			t.Errorf("%+v became %+v", want, got)
		}
	}
}

// Fifty who look at the same time describe the types once, and everything that
// can be priced asks for its prices once.
func TestCatalogOnce(t *testing.T) {
	s := server(t)
	s.Types = s.Types[:200]
	s.Types[0].VCPUs = 99
	known := s.Types[0].Type
	live := awslive.NewCatalog(awslive.New(s.Config()), catalog.Embedded())
	cat := catalog.Embedded().WithOverlay(live)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if i, ok := cat.Instance(known); !ok || i.VCPUs != 99 || !strings.HasPrefix(i.Source.Name, "EC2 DescribeInstanceTypes in us-east-1") {
				t.Errorf("%+v", i)
			}
			if i, ok := cat.Instance("t2.micro"); !ok || !strings.Contains(i.Source.Name, "as kept by") || !strings.Contains(i.Source.Name, "(the type is not in EC2 DescribeInstanceTypes in us-east-1 of ") {
				t.Errorf("the type that is missing there: %+v", i.Source)
			}
			p, ok := cat.VolumePrices("us-east-1")
			if !ok || p.GP3.GiBMonth.String() != "0.09" || p.GP3.MiBPerSMonth.String() != "0.045" || p.Others["gp2"].GiBMonth.String() != "0.11" || len(p.Others["io2"].IOPSTiers) != 3 || p.Others["st1"].GiBMonth.IsZero() {
				t.Errorf("volume prices %+v", p)
			}
			if p, ok := cat.MacHostPrice("us-east-1", "mac2.metal"); !ok || p.USDPerHour.String() != "0.7" || !strings.HasPrefix(p.Source.Name, "AWS Price List") {
				t.Errorf("host price %+v", p)
			}
			if p, ok := cat.MacHostPrice("us-east-1", "mac2-m2.metal"); !ok || strings.HasPrefix(p.Source.Name, "AWS Price List") {
				t.Errorf("a price that is not in the list: %+v", p)
			}
			if p, ok := cat.InstancePrice("us-east-1", "m8a.xlarge"); !ok || p.USDPerHour.String() != "0.25" {
				t.Errorf("instance price %+v", p)
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(map[string]int{"DescribeInstanceTypes": 2, "GetProducts": 5}, s.Counts()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if ps := live.Problems(); len(ps) != 0 {
		t.Errorf("problems: %v", ps)
	}
}

// Prices that cannot be had are said once, and the table stands in.
func TestCatalogWithoutPrices(t *testing.T) {
	s := server(t)
	s.Fault = func(call string, _ int, w http.ResponseWriter, _ *http.Request) bool {
		if call == "GetProducts" {
			fakeaws.JSONError(w, 400, "AccessDeniedException", marker)
		}
		return call == "GetProducts"
	}
	live := awslive.NewCatalog(awslive.New(s.Config()), catalog.Embedded())
	cat := catalog.Embedded().WithOverlay(live)
	for _, region := range []string{"us-east-1", "eu-west-1", "usw2-lax1-az1"} {
		if p, ok := cat.VolumePrices(region); !ok || p.Source.AsOf != "2022-02-10" {
			t.Errorf("prices of %s: %+v", region, p)
		}
	}
	if p, ok := cat.MacHostPrice("us-east-1", "mac2.metal"); !ok || p.USDPerHour.String() != "0.65" {
		t.Errorf("host price %+v", p)
	}
	ps := live.Problems()
	if len(ps) != 1 || !ps[0].Prices || !strings.Contains(ps[0].Err.Error(), "pricing:GetProducts: access was denied") {
		t.Errorf("problems: %+v", ps)
	}
	if s.Calls("GetProducts") != 1 || len(live.Problems()) != 0 {
		t.Error("it was asked or told again")
	}
}

// All types fail: the table answers, and the problem is there to be told.
func TestCatalogWithoutTypes(t *testing.T) {
	s := server(t)
	s.Fault = func(_ string, _ int, w http.ResponseWriter, _ *http.Request) bool {
		fakeaws.EC2Error(w, 403, "UnauthorizedOperation", marker)
		return true
	}
	live := awslive.NewCatalog(awslive.New(s.Config()), catalog.Embedded())
	cat := catalog.Embedded().WithOverlay(live)
	if i, ok := cat.Instance("m8a.xlarge"); !ok || i.Source.AsOf != "2026-08-02" || strings.Contains(i.Source.Name, "the type is not in") {
		t.Errorf("%+v", i.Source)
	}
	if ps := live.Problems(); len(ps) != 1 || ps[0].Prices || !strings.Contains(ps[0].Err.Error(), "the permission ec2:DescribeInstanceTypes.") {
		t.Errorf("problems: %+v", ps)
	}
}

// The figures arrive in their minutes, from as few calls as the limits allow.
func TestVolumeMetrics(t *testing.T) {
	start, minutes := usage.Window(now, 14)
	value := func(volume, name string, at time.Time) float64 {
		return float64(len(name)*1_000_000) + float64(volume[len(volume)-1])*10_000 + at.Sub(start).Minutes()
	}
	s := server(t)
	s.Metric = func(volume, name string, at time.Time) (float64, bool) {
		return value(volume, name, at), at.Minute()%7 != 3
	}
	var ids []string
	for n := range 20 {
		ids = append(ids, fmt.Sprintf("vol-%08x", n))
	}
	c := s.Config()
	c.Timeout = 2 * time.Minute
	seen := map[string]bool{}
	err := awslive.New(c).VolumeMetrics(t.Context(), "us-east-1", ids, start, minutes, func(id string, series usage.Series) {
		if seen[id] || series.Minutes() != minutes {
			t.Errorf("%s came twice, or not whole", id)
		}
		seen[id] = true
		for m := range minutes {
			at := start.Add(time.Duration(m) * time.Minute)
			for name, got := range map[string]float64{"VolumeReadOps": series.ReadOps[m], "VolumeWriteOps": series.WriteOps[m], "VolumeReadBytes": series.ReadBytes[m], "VolumeWriteBytes": series.WriteBytes[m]} {
				if at.Minute()%7 == 3 {
					if !math.IsNaN(got) {
						t.Fatalf("%s %s at %s is %v and should not be there", id, name, at, got)
					}
				} else if got != value(id, name, at) {
					t.Fatalf("%s %s at %s is %v", id, name, at, got)
				}
			}
		}
	})
	if err != nil || len(seen) != 20 {
		t.Errorf("%d volumes, %v", len(seen), err)
	}
	if n := s.Calls("GetMetricData"); n != 16 {
		t.Errorf("%d calls for 20 volumes over 14 days", n)
	}
	err = awslive.New(c).VolumeMetrics(t.Context(), "us-east-1", ids, start, 60, func(string, usage.Series) {})
	if n := s.Calls("GetMetricData"); err != nil || n != 17 {
		t.Errorf("%d calls after one for an hour, %v", n, err)
	}
}

func BenchmarkVolumeMetrics(b *testing.B) {
	s := server(b)
	s.Metric = func(_, _ string, at time.Time) (float64, bool) { return float64(at.Minute() * 1000), true }
	start, minutes := usage.Window(now, 14)
	var ids []string
	for n := range 20 {
		ids = append(ids, fmt.Sprintf("vol-%08x", n))
	}
	c := s.Config()
	c.Timeout = 10 * time.Minute
	session := awslive.New(c)
	b.ReportAllocs()
	for b.Loop() {
		v := usage.Volume{Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 125, Region: "us-east-1"}
		err := session.VolumeMetrics(b.Context(), "us-east-1", ids, start, minutes, func(_ string, series usage.Series) {
			usage.Analyze(catalog.Embedded(), v, series, usage.Options{Percentile: 99, HeadroomPercent: 20})
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// The table of permissions holds exactly what the code calls, and the example's
// policy exactly what the table holds.
func TestPermissions(t *testing.T) {
	called := map[string]bool{}
	services := map[string]string{"ec2": "ec2", "cloudwatch": "cloudwatch", "pricing": "pricing"}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			// c.ec2.DescribeVolumes(...): a method of a client that is a member.
			method, ok := c.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			client, ok := method.X.(*ast.SelectorExpr)
			if ok && services[client.Sel.Name] != "" {
				called[services[client.Sel.Name]+":"+method.Sel.Name] = true
			}
			// A paginator or waiter would call behind the back of this test.
			if x, ok := method.X.(*ast.Ident); ok && services[x.Name] != "" && strings.HasPrefix(method.Sel.Name, "New") && method.Sel.Name != "NewFromConfig" {
				t.Errorf("%s calls %s.%s", name, x.Name, method.Sel.Name)
			}
			return true
		})
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(called)), awslive.Actions()); diff != "" {
		t.Errorf("called and in the table (-called +table):\n%s", diff)
	}
	content, err := os.ReadFile(filepath.Join("..", "..", "examples", "live-aws", "policy.json"))
	if err != nil {
		t.Fatal(err)
	}
	var policy struct {
		Version   string
		Statement []struct {
			Sid, Effect string
			Action      []string
			Resource    string
		}
	}
	if err := json.Unmarshal(content, &policy); err != nil {
		t.Fatal(err)
	}
	var allowed []string
	for _, s := range policy.Statement {
		if s.Effect != "Allow" || s.Resource != "*" || s.Sid == "" {
			t.Errorf("statement %+v", s)
		}
		allowed = append(allowed, s.Action...)
	}
	slices.Sort(allowed)
	allowed = slices.Compact(allowed)
	if diff := cmp.Diff(awslive.Actions(), allowed); diff != "" || policy.Version != "2012-10-17" {
		t.Errorf("policy.json (-table +policy):\n%s", diff)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "templates", "guides", "live-aws.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range awslive.Features() {
		// Whoever uses one feature takes whole statements, and allows nothing beside it.
		var calls, least []string
		for _, c := range f.Calls {
			calls = append(calls, c.Action())
		}
		for _, s := range policy.Statement {
			if !slices.ContainsFunc(s.Action, func(a string) bool { return !slices.Contains(calls, a) }) {
				least = append(least, s.Action...)
			}
		}
		slices.Sort(calls)
		slices.Sort(least)
		if diff := cmp.Diff(calls, slices.Compact(least)); diff != "" {
			t.Errorf("%s: no statements of policy.json are exactly its calls (-calls +statements):\n%s", f.Name, diff)
		}
		var actions []string
		for _, c := range f.Calls {
			actions = append(actions, "`"+c.Action()+"`")
		}
		if row := "| `" + f.Name + "` | " + strings.Join(actions, ", ") + " |"; !strings.Contains(string(page), row) {
			t.Errorf("the page has no row %s", row)
		}
	}
}

func TestIsID(t *testing.T) {
	for id, want := range map[string]bool{
		"vol-0123456789abcdef0": true, "vol-01234567": true, "vol-": false, "vol-xyz45678": false, "i-0123456789abcdef0": false,
		"vol-0123456789ABCDEF0": false, "": false, "vol-0123456789abcdef0\n": false, "vol-" + strings.Repeat("0", 33): false,
	} {
		if got := awslive.IsID("vol", id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}
