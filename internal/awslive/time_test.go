package awslive_test

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

// slow lets every call take its time, or until the caller has given up.
func slow(d time.Duration) func(string, int, http.ResponseWriter, *http.Request) bool {
	return func(_ string, _ int, _ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-r.Context().Done():
		case <-time.After(d):
		}
		return false
	}
}

// Several questions of one read have the timeout together, and so have the
// look-ups of the catalogue that come in between.
func TestTimeoutOfAll(t *testing.T) {
	s := server(t)
	s.Volumes[0].InstanceID = "i-00000001"
	s.Fault = slow(600 * time.Millisecond)
	c := s.Config()
	c.Timeout, c.MaxRetries = 1500*time.Millisecond, 2
	for name, read := range map[string]func(*testing.T, *awslive.Session) error{
		"three questions": func(t *testing.T, session *awslive.Session) error {
			t.Helper()
			ctx, cancel := session.Within(t.Context())
			defer cancel()
			_, _, err := awslive.VolumeUsage(ctx, session, catalog.Embedded(), "us-east-1", "vol-00000000", 1, usage.Options{Percentile: 99})
			return err
		},
		"a question and look-ups": func(t *testing.T, session *awslive.Session) error {
			t.Helper()
			ctx, cancel := session.Within(t.Context())
			defer cancel()
			live := awslive.NewCatalog(session, catalog.Embedded())
			defer live.Begin(ctx)()
			if _, err := session.DescribeVolumes(ctx, "us-east-1", awslive.VolumeFilter{IDs: []string{"vol-00000000"}}); err != nil {
				t.Error(err)
			}
			catalog.Embedded().WithOverlay(live).Instance("mac2.metal")
			ps := live.Problems()
			if len(ps) != 1 {
				t.Fatalf("problems: %v", ps)
			}
			return ps[0].Err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := clockNow()
			err := read(t, awslive.New(c))
			if d := clockNow().Sub(begin); d > c.Timeout+500*time.Millisecond {
				t.Errorf("it took %s", d)
			}
			if err == nil || !strings.Contains(err.Error(), "there was no answer within 1.5s. Look whether") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A part that has less time than the whole says how long it really waited.
func TestTimeoutOfAPart(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // it accepts nobody
	t.Setenv("AWS_EC2_METADATA_DISABLED", "false")
	s := server(t)
	c := s.Config()
	c.EC2MetadataServiceEndpoint = "http://" + listener.Addr().String()
	c.AccessKey, c.SecretKey, c.Timeout, c.MaxRetries = "", "", time.Minute, 1
	begin := clockNow()
	err = calls["ec2:DescribeHosts"].ask(t.Context(), awslive.New(c))
	took := clockNow().Sub(begin)
	if err == nil || took >= c.Timeout/2 || strings.Contains(err.Error(), "1m0s") || strings.Contains(err.Error(), "timeout_seconds") {
		t.Fatalf("after %s: %v", took, err)
	}
	if _, after, ok := strings.Cut(err.Error(), "no credentials were found within "); !ok {
		t.Errorf("the error is %v", err)
	} else {
		text, _, _ := strings.Cut(after, ". ")
		if said, err := time.ParseDuration(text); err != nil || (said-took).Abs() > time.Second {
			t.Errorf("it says %q, and it took %s", text, took)
		}
	}
}

// Credentials from IAM Identity Center that nobody has signed in for say so, and
// with which profile to sign in; whatever else goes wrong there is not called that.
func TestSSO(t *testing.T) {
	s := server(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	config := filepath.Join(home, "config")
	content := `
[profile old]
sso_start_url = https://example.awsapps.com/start
sso_region = us-east-1
sso_account_id = 123456789012
sso_role_name = reader

[profile new]
sso_session = work
sso_account_id = 123456789012
sso_role_name = reader

[sso-session work]
sso_start_url = https://example.awsapps.com/work
sso_region = us-east-1

[profile through]
source_profile = old
role_arn = arn:aws:iam::123456789012:role/r

[profile none]
region = us-east-1
`
	token := func(key string, expires time.Time) {
		t.Helper()
		sum := sha1.Sum([]byte(key))
		dir := filepath.Join(home, ".aws", "sso", "cache")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(`{"accessToken": %q, "expiresAt": %q, "startUrl": "https://example.awsapps.com/start", "region": "us-east-1"}`, marker, expires.UTC().Format(time.RFC3339))
		if err := os.WriteFile(filepath.Join(dir, hex.EncodeToString(sum[:])+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	const over = "the SSO session has run out, or there was none yet. Sign in with `aws sso login --profile "
	ask := func(profile string, change func(*awslive.Config)) string {
		c := s.Config()
		c.AccessKey, c.SecretKey = "", ""
		c.Profile, c.SharedConfigFiles, c.MaxRetries = profile, []string{"~/config"}, 1
		if change != nil {
			change(&c)
		}
		err := calls["ec2:DescribeHosts"].ask(t.Context(), awslive.New(c))
		if err == nil || strings.Contains(err.Error(), "MARKER") {
			t.Fatalf("%s: %v", profile, err)
		}
		return err.Error()
	}
	expect := func(name, text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("%s: %s", name, text)
		}
	}
	expect("no token", ask("old", nil), over+"old`.")
	expect("no token of a session", ask("new", nil), over+"new`.")
	expect("a role on top", ask("through", nil), over+"old`.")
	expect("no SSO", ask("none", nil), "no valid credentials were found")
	t.Setenv("AWS_CONFIG_FILE", config)
	t.Setenv("AWS_PROFILE", "old")
	expect("by the environment", ask("", func(c *awslive.Config) { c.SharedConfigFiles = nil }), over+"old`.")

	token("https://example.awsapps.com/start", clockNow().Add(-time.Hour))
	token("work", clockNow().Add(-time.Hour))
	expect("expired", ask("old", nil), over+"old`.")
	expect("expired session", ask("new", nil), over+"new`.")

	// A token that looks good and that the service does not take.
	token("https://example.awsapps.com/start", clockNow().Add(time.Hour))
	refuse := func(status int, code string) func(string, int, http.ResponseWriter, *http.Request) bool {
		return func(_ string, _ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("X-Amzn-Errortype", code)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"message":"` + marker + `"}`))
			return true
		}
	}
	s.Fault = refuse(401, "UnauthorizedException")
	expect("signed out elsewhere", ask("old", nil), over+"old`.")
	s.Fault = refuse(403, "ForbiddenException")
	expect("not this role", ask("old", nil), "the credentials were refused (ForbiddenException)")
	nowhere := ask("old", func(c *awslive.Config) { c.Endpoints.SSO = "http://127.0.0.1:1" })
	if strings.Contains(nowhere, "SSO session") {
		t.Errorf("nobody listens: %s", nowhere)
	}
}
