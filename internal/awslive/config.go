// Package awslive asks AWS for what the embedded catalogue cannot know: today's
// instance types and prices of a Region, an account's volumes and hosts, and
// what the volumes really did.
//
// Nothing here runs before it is asked for: a Session is a few settings until
// its first call, and only then looks for credentials. Every question ends
// within the session's timeout, which several can share (Session.Within), whole or with an *Error that says which call
// failed, which permission it needs, and what to do. Half an answer is an error.
//
// What AWS or a proxy says in an error may hold account numbers, names or
// credentials, so it is never repeated: only codes of a closed shape are. For the
// same reason the SDK's own debug log stays off.
package awslive

import (
	"net/http"
	"time"
)

// DefaultTimeout is how long a question, or all of Session.Within, may take with
// all pages and retries.
const DefaultTimeout = 30 * time.Second

// DefaultMaxRetries is what hashicorp/aws does; the timeout ends it earlier.
const DefaultMaxRetries = 25

// defaultMaxBackoff keeps the pauses between retries short beside the timeout:
// with the SDK's own 20 seconds, five throttled attempts alone may use it up.
const defaultMaxBackoff = 2 * time.Second

// Config are the settings of a session. They mean what they mean in
// hashicorp/aws, whose own library applies them; the zero value takes everything
// from the environment.
type Config struct {
	Profile, Region               string
	AccessKey, SecretKey, Token   string
	SharedConfigFiles             []string
	SharedCredentialsFiles        []string
	AssumeRole                    []AssumeRole
	AssumeRoleWithWebIdentity     *AssumeRoleWithWebIdentity
	Endpoints                     Endpoints
	STSRegion                     string
	MaxRetries                    int    // attempts in all; DefaultMaxRetries if 0
	RetryMode                     string // "standard" or "adaptive"
	HTTPProxy, HTTPSProxy         *string
	NoProxy                       string
	Insecure                      bool
	CustomCABundle                string
	EC2MetadataServiceEndpoint    string
	EC2MetadataServiceMode        string // "IPv4" or "IPv6"
	SkipMetadataAPICheck          bool
	UseFIPSEndpoint, UseDualStack bool
	// ValidateCredentials asks STS who the credentials belong to before the first
	// call, which hashicorp/aws does unless told not to. Here it is off by default:
	// the first call says as much, and needs no STS.
	ValidateCredentials bool
	// Timeout of a question; DefaultTimeout if 0.
	Timeout time.Duration
	// Version of runnerfit, for the user agent.
	Version string

	// HTTPClient takes the place of the one that the settings above make, and
	// MaxBackoff that of the pauses between retries; for tests.
	HTTPClient *http.Client
	MaxBackoff time.Duration
	// Clock is the system's if nil.
	Clock Clock
}

// Endpoints are URLs that take the place of AWS's own; empty ones do not.
type Endpoints struct {
	EC2, CloudWatch, Pricing, STS, SSO string
}

// AssumeRole is a role to assume with the credentials found so far.
type AssumeRole struct {
	RoleARN, ExternalID, Policy, SessionName, SourceIdentity string
	PolicyARNs                                               []string
	Duration                                                 time.Duration
	Tags                                                     map[string]string
	TransitiveTagKeys                                        []string
}

// AssumeRoleWithWebIdentity is a role to assume with a token of an identity
// provider, as CI systems have it.
type AssumeRoleWithWebIdentity struct {
	RoleARN, Policy, SessionName           string
	PolicyARNs                             []string
	Duration                               time.Duration
	WebIdentityToken, WebIdentityTokenFile string
}
