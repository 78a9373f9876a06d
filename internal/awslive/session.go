package awslive

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/schemas"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/pricing"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/transport/http/protocol/awsjson"
	awsbase "github.com/hashicorp/aws-sdk-go-base/v2"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
)

// clients are those of one Region. They are not put behind interfaces: the linker
// leaves out every operation that is not called, of several hundred, but only of a
// type that is never converted to an interface. That is two thirds of the binary.
// A test holds the operations that are called against the table of permissions.
type clients struct {
	ec2        *ec2.Client
	cloudwatch *cloudwatch.Client
	pricing    *pricing.Client
}

// Session is a way to AWS with one set of settings. It does nothing until it is
// asked something, finds its credentials once, and is safe for concurrent use.
type Session struct {
	config Config
	clock  Clock

	mu         sync.Mutex
	connection *connection
	gathers    gathers
}

// connection is an attempt to find credentials that all who need them share.
type connection struct {
	done chan struct{}
	aws  aws.Config
	err  error
}

// New is a session with these settings. It asks nobody anything.
func New(c Config) *Session {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.MaxRetries = cmp.Or(c.MaxRetries, DefaultMaxRetries)
	c.MaxBackoff = cmp.Or(c.MaxBackoff, defaultMaxBackoff)
	s := &Session{config: c, clock: c.Clock}
	if s.clock == nil {
		s.clock = SystemClock{}
	}
	return s
}

// Now is the session's time.
func (s *Session) Now() time.Time { return s.clock.Now() }

// Region is where a question goes that names none: the setting, else what the
// environment or the profile says, else the default.
func (s *Session) Region(ctx context.Context) (string, error) {
	if s.config.Region != "" {
		return s.config.Region, nil
	}
	ctx, cancel := s.Within(ctx)
	defer cancel()
	c, err := s.connect(ctx)
	if err != nil {
		return "", s.explain(Call{}, "", err, newAttempts(ctx))
	}
	return cmp.Or(c.Region, catalog.DefaultRegion), nil
}

type beganKey struct{}

// Within gives everything that is asked with the result the session's timeout
// together, from now on. A question that is asked without it has the timeout for
// itself. Within it, it changes nothing.
func (s *Session) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, already := ctx.Value(beganKey{}).(time.Time); already {
		return context.WithCancel(ctx)
	}
	ctx = context.WithValue(ctx, beganKey{}, SystemClock{}.Now())
	return context.WithTimeout(ctx, s.config.Timeout)
}

// ask makes one question of one or more calls within the timeout, and explains
// what went wrong.
func (s *Session) ask(ctx context.Context, call Call, region string, question func(context.Context, clients) error) error {
	ctx, cancel := s.Within(ctx)
	defer cancel()
	seen := newAttempts(ctx)
	ctx = context.WithValue(ctx, attemptsKey{}, seen)
	c, err := s.connect(ctx)
	if err != nil {
		return s.explain(call, region, err, seen)
	}
	if err := question(ctx, s.clients(c, region)); err != nil {
		if errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			err = context.DeadlineExceeded // it ended because nobody had more time
		}
		return s.explain(call, region, err, seen)
	}
	return nil
}

// connect finds the credentials, once. Whoever comes while somebody else is
// looking waits for the result. What was found or not found stays, except when
// the one who looked was called off.
func (s *Session) connect(ctx context.Context) (aws.Config, error) {
	for {
		s.mu.Lock()
		c := s.connection
		if c == nil {
			c = &connection{done: make(chan struct{})}
			s.connection = c
			s.mu.Unlock()
			c.aws, c.err = s.load(ctx)
			if errors.Is(context.Cause(ctx), context.Canceled) {
				s.mu.Lock()
				s.connection = nil
				s.mu.Unlock()
			}
			close(c.done)
			return c.aws, c.err
		}
		s.mu.Unlock()
		select {
		case <-c.done:
			if c.err == nil || !errors.Is(c.err, context.Canceled) {
				return c.aws, c.err
			}
		case <-ctx.Done():
			return aws.Config{}, credentialsError{err: ctx.Err()}
		}
	}
}

// credentialsError is a failure to find credentials.
type credentialsError struct {
	err error
	// sso is the profile whose credentials come from IAM Identity Center, if that is
	// where they were looked for.
	sso string
}

func (e credentialsError) Error() string { return "finding credentials: " + e.err.Error() }
func (e credentialsError) Unwrap() error { return e.err }

// load applies the settings as hashicorp/aws does, by its own library.
func (s *Session) load(ctx context.Context) (aws.Config, error) {
	c := s.config
	base := &awsbase.Config{
		AccessKey: c.AccessKey, SecretKey: c.SecretKey, Token: c.Token,
		CallerName:                     "runnerfit",
		CallerDocumentationURL:         "https://registry.terraform.io/providers/runnerfit/runnerfit/latest/docs",
		CustomCABundle:                 c.CustomCABundle,
		EC2MetadataServiceEndpoint:     c.EC2MetadataServiceEndpoint,
		EC2MetadataServiceEndpointMode: c.EC2MetadataServiceMode,
		HTTPClient:                     c.HTTPClient,
		HTTPProxy:                      c.HTTPProxy,
		HTTPSProxy:                     c.HTTPSProxy,
		HTTPProxyMode:                  awsbase.HTTPProxyModeLegacy,
		Insecure:                       c.Insecure,
		MaxBackoff:                     c.MaxBackoff,
		MaxRetries:                     c.MaxRetries,
		NoProxy:                        c.NoProxy,
		Profile:                        c.Profile,
		Region:                         c.Region,
		RetryMode:                      aws.RetryMode(c.RetryMode),
		SharedConfigFiles:              c.SharedConfigFiles,
		SharedCredentialsFiles:         c.SharedCredentialsFiles,
		SkipCredsValidation:            !c.ValidateCredentials,
		SkipRequestingAccountId:        true,
		SsoEndpoint:                    c.Endpoints.SSO,
		StsEndpoint:                    c.Endpoints.STS,
		StsRegion:                      c.STSRegion,
		SuppressDebugLog:               true, // it would log bodies of requests and answers
		UseDualStackEndpoint:           c.UseDualStack,
		UseFIPSEndpoint:                c.UseFIPSEndpoint,
		UserAgent:                      awsbase.UserAgentProducts{{Name: "terraform-provider-runnerfit", Version: c.Version}},
	}
	if c.SkipMetadataAPICheck {
		base.EC2MetadataServiceEnableState = imds.ClientDisabled
	}
	for _, r := range c.AssumeRole {
		base.AssumeRole = append(base.AssumeRole, awsbase.AssumeRole{
			RoleARN: r.RoleARN, Duration: r.Duration, ExternalID: r.ExternalID, Policy: r.Policy, PolicyARNs: r.PolicyARNs,
			SessionName: r.SessionName, SourceIdentity: r.SourceIdentity, Tags: r.Tags, TransitiveTagKeys: r.TransitiveTagKeys,
		})
	}
	if w := c.AssumeRoleWithWebIdentity; w != nil {
		base.AssumeRoleWithWebIdentity = &awsbase.AssumeRoleWithWebIdentity{
			RoleARN: w.RoleARN, Duration: w.Duration, Policy: w.Policy, PolicyARNs: w.PolicyARNs, SessionName: w.SessionName,
			WebIdentityToken: w.WebIdentityToken, WebIdentityTokenFile: w.WebIdentityTokenFile,
		}
	}
	_, config, diags := awsbase.GetAwsConfig(ctx, base)
	if diags.HasError() {
		err := errNoCredentials
		if d, ok := diags.Errors()[0].(interface{ Err() error }); ok && d.Err() != nil {
			err = d.Err()
		}
		return aws.Config{}, credentialsError{err: errors.Join(ctx.Err(), err), sso: s.ssoProfile(ctx)}
	}
	// A request that hangs is given up early enough for another one.
	if b, ok := config.HTTPClient.(*awshttp.BuildableClient); ok {
		config.HTTPClient = b.WithTimeout(s.attemptTimeout())
	} else if b, ok := config.HTTPClient.(*http.Client); ok && b.Timeout == 0 {
		with := *b
		with.Timeout = s.attemptTimeout()
		config.HTTPClient = &with
	}
	config.HTTPClient = plainBodies{config.HTTPClient}
	config.Logger = logging.Nop{}
	config.APIOptions = append(config.APIOptions, wholeAnswers)
	retryer := config.Retryer
	config.Retryer = func() aws.Retryer { return withMemory(retryer()) }
	return config, nil
}

var errNoCredentials = errors.New("no valid credentials")

// ssoProfile is the profile that is used, or the one that it takes its
// credentials from, if these come from IAM Identity Center; else empty. The
// SDK's errors do not tell: most of them are text only.
func (s *Session) ssoProfile(ctx context.Context) string {
	env, err := awsconfig.NewEnvConfig()
	if err != nil {
		return ""
	}
	profile, files := cmp.Or(s.config.Profile, env.SharedConfigProfile, awsconfig.DefaultSharedConfigProfile), s.config.SharedConfigFiles
	if len(files) == 0 {
		files = []string{cmp.Or(env.SharedConfigFile, awsconfig.DefaultSharedConfigFilename())}
	}
	if s.config.Profile == "" && env.Credentials.HasKeys() {
		return ""
	}
	home, _ := os.UserHomeDir()
	for i, f := range files {
		if rest, ok := strings.CutPrefix(f, "~/"); ok {
			files = slices.Clone(files)
			files[i] = filepath.Join(home, rest)
		}
	}
	shared, err := awsconfig.LoadSharedConfigProfile(ctx, profile, func(o *awsconfig.LoadSharedConfigOptions) {
		o.ConfigFiles, o.CredentialsFiles = files, []string{}
	})
	if err != nil {
		return ""
	}
	for p := &shared; p != nil; p = p.Source {
		if p.SSOSession != nil || p.SSOStartURL != "" {
			return p.Profile
		}
	}
	return ""
}

func (s *Session) attemptTimeout() time.Duration { return s.config.Timeout / 2 }

// clients are made for every question; that costs nothing beside a request.
func (s *Session) clients(c aws.Config, region string) clients {
	endpoint := func(url string) *string {
		if url == "" {
			return nil
		}
		return &url
	}
	e := s.config.Endpoints
	return clients{
		ec2: ec2.NewFromConfig(c, func(o *ec2.Options) {
			o.Region = region
			o.BaseEndpoint = cmp.Or(endpoint(e.EC2), o.BaseEndpoint)
		}),
		cloudwatch: cloudwatch.NewFromConfig(c, func(o *cloudwatch.Options) {
			o.Region = region
			o.BaseEndpoint = cmp.Or(endpoint(e.CloudWatch), o.BaseEndpoint)
			// CloudWatch speaks several protocols. The SDK's first choice, CBOR, is known to
			// AWS only; JSON is also known to emulators and to what stands in between.
			o.Protocol = awsjson.New11(schemas.GraniteServiceVersion20100801)
		}),
		pricing: pricing.NewFromConfig(c, func(o *pricing.Options) {
			o.Region = priceListRegion(region)
			o.BaseEndpoint = cmp.Or(endpoint(e.Pricing), o.BaseEndpoint)
		}),
	}
}

// priceListRegion is the Region to ask for prices: the price list of all Regions
// is served in a few of them only.
func priceListRegion(region string) string {
	switch {
	case len(region) < 2:
		return catalog.DefaultRegion
	case region[:2] == "eu":
		return "eu-central-1"
	case region[:2] == "ap":
		return "ap-south-1"
	case region[:2] == "cn":
		return "cn-northwest-1"
	}
	return catalog.DefaultRegion
}
