package awslive

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
)

// Error is a question to AWS that has no answer. Its text names the call, the
// permission and what to do, and repeats nothing of what was received but codes.
type Error struct {
	// Call that failed; zero if it came to none, for want of credentials.
	Call   Call
	Region string
	// Why it failed, a sentence without its full stop.
	Why string
	// Fix is what to do, in whole sentences.
	Fix string

	// canceled: somebody called it off. partial: the answer was not whole.
	canceled, partial bool
}

// Error is the whole text.
func (e *Error) Error() string {
	what := "AWS"
	if e.Call.Operation != "" {
		what = e.Call.Action()
		// The price list is the same wherever it is asked for.
		if e.Region != "" && e.Call.Service != callProducts.Service {
			what += " in " + e.Region
		}
	}
	s := fmt.Sprintf("%s: %s.", what, e.Why)
	if e.Fix != "" {
		s += " " + e.Fix
	}
	if e.Call.Operation != "" {
		s += fmt.Sprintf(" The call needs the permission %s.", e.Call.Action())
	}
	return s
}

// incomplete is an answer that AWS itself says is not whole, or that contradicts
// itself. Half an answer is worse than none: its numbers look like whole ones.
type incomplete struct{ why string }

func (e incomplete) Error() string { return e.why }

// errForbidden is access that is refused inside an answer.
var errForbidden = errors.New("forbidden")

// notFoundError is something that does not exist in the Region that was asked.
type notFoundError struct{ what string }

func (e notFoundError) Error() string { return e.what }

// Codes of AWS's errors, by what they mean.
var (
	codesDenied = []string{
		"UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "NotAuthorized", "Forbidden",
	}
	codesExpired = []string{
		"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired",
	}
	// Of IAM Identity Center, when its session is not valid any more.
	codesSignedOut = []string{
		"UnauthorizedException", "InvalidGrantException", "ExpiredTokenException", "UnauthorizedClientException",
	}
	codesInvalid = []string{
		"AuthFailure", "InvalidClientTokenId", "UnrecognizedClientException", "InvalidAccessKeyId", "MissingAuthenticationToken", "IncompleteSignature",
		"SignatureDoesNotMatch", "InvalidSignatureException",
	}
	codesClock = []string{
		"RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture",
	}
	codesThrottled = []string{
		"Throttling", "ThrottlingException", "ThrottledException", "RequestLimitExceeded", "TooManyRequestsException",
		"RequestThrottled", "RequestThrottledException", "SlowDown", "PriorRequestNotComplete", "BandwidthLimitExceeded", "LimitExceededException",
	}
	codesRegion = []string{
		"OptInRequired", "InvalidRegion", "UnknownEndpoint",
	}
	codesNotFound = []string{
		"InvalidVolume.NotFound", "InvalidVolumeID.Malformed", "InvalidParameterValue", "InvalidInstanceID.NotFound", "InvalidInstanceID.Malformed",
		"InvalidHostID.NotFound", "InvalidHostID.Malformed",
	}
)

// maxSkew is how far AWS lets a clock be off.
const maxSkew = 5 * time.Minute

// explain turns what went wrong into words. It is an *Error.
func (s *Session) explain(call Call, region string, err error, seen *attempts) error {
	if already, ok := errors.AsType[*Error](err); ok {
		return already
	}
	e := &Error{Call: call, Region: region}
	retried, last := seen.lastError()
	if credentials, ok := errors.AsType[credentialsError](err); ok {
		s.explainCredentials(e, credentials, seen)
		return e
	}
	if errors.Is(err, context.Canceled) {
		e.Why, e.canceled = "the request was called off", true
		return e
	}
	if isTimeout(err) {
		waited, all := s.waited(seen)
		e.Why = fmt.Sprintf("there was no answer within %s", waited)
		e.Fix = "Look whether the network and its proxy lead to AWS" + moreTime(all)
		if retried == 0 || last == nil || isTimeout(last) {
			return e
		}
		// The time was used up by retries: what they were told is the reason.
		err = last
	}
	s.explainAnswer(e, err)
	if retried > 0 {
		e.Why += fmt.Sprintf(" (after %s)", attemptCount(retried+1))
	}
	return e
}

// waited is how long it took until there was no more time, and whether that was
// all the time there is: a part of it may have a shorter time of its own.
func (s *Session) waited(seen *attempts) (d time.Duration, all bool) {
	d = s.config.Timeout
	if seen == nil || seen.began.IsZero() {
		return d, true
	}
	if took := (SystemClock{}).Now().Sub(seen.began); took < d {
		return took.Round(min(100*time.Millisecond, took)), false
	}
	return d, true
}

// moreTime ends advice on a time that was up.
func moreTime(all bool) string {
	if !all {
		return "."
	}
	return "; timeout_seconds, or --timeout on the command line, gives it more time."
}

func attemptCount(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

// explainCredentials: nothing was asked, because there was nobody to ask as.
func (s *Session) explainCredentials(e *Error, err credentialsError, seen *attempts) {
	e.Why = "no valid credentials were found"
	e.Fix = "Set a profile, keys or a role in the aws block, or in the environment, as for hashicorp/aws."
	var config interface{ ErrorCode() string }
	switch {
	case errors.Is(err, context.Canceled):
		e.Why, e.Fix, e.canceled = "the request was called off", "", true
	case isTimeout(err):
		waited, all := s.waited(seen)
		e.Why = fmt.Sprintf("no credentials were found within %s", waited)
		e.Fix = "Look whether the network leads to where they come from" + moreTime(all)
	case err.sso != "" && isSSOEnded(err):
		// A name that stands in the shared file, and so is one.
		e.Why = "the SSO session has run out, or there was none yet"
		e.Fix = fmt.Sprintf("Sign in with `aws sso login --profile %s`.", err.sso)
	case errors.As(err, &config) && isCode(config.ErrorCode()):
		e.Why = "the credentials were refused (" + config.ErrorCode() + ")"
		switch code := config.ErrorCode(); {
		case has(codesExpired, code):
			e.Fix = "They have expired: sign in again, for example with `aws sso login`."
		case has(codesDenied, code):
			e.Fix = "A role that is to be assumed must trust these credentials, and they need sts:AssumeRole for it."
		}
	case len(s.config.AssumeRole) > 0:
		e.Why = "no credentials were found, or the role could not be assumed with them"
	}
}

// isSSOEnded says whether credentials from IAM Identity Center could not be had
// because nobody is signed in: it says so, or nobody was asked because there is
// no token of a session, or one that has expired.
func isSSOEnded(err error) bool {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return has(codesSignedOut, api.ErrorCode())
	}
	// A file that is not there is no fault of the network.
	_, asked := errors.AsType[*url.Error](err)
	return !asked
}

// explainAnswer: something came back, or could not be sent.
func (s *Session) explainAnswer(e *Error, err error) {
	var (
		dns     *net.DNSError
		op      *net.OpError
		half    *smithy.DeserializationError
		api     smithy.APIError
		resp    *smithyhttp.ResponseError
		partial incomplete
		missing notFoundError
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	status := 0
	if errors.As(err, &resp) {
		status = resp.HTTPStatusCode()
	}
	switch {
	case errors.As(err, &partial):
		e.Why, e.partial = "the answer is not complete: "+partial.why, true
		e.Fix = "Nothing was taken from it. Try again later."
	case errors.As(err, &missing):
		e.Why = missing.what
	case errors.Is(err, errForbidden):
		s.denied(e, "Forbidden")
	case errors.Is(err, errForeign):
		e.Why = "the answer is not one of AWS's"
		e.Fix = "Nothing was taken from it. Look whether the endpoint is AWS's, and whether a proxy or a sign-in page of the network answers in its place."
	case errors.As(err, &dns):
		e.Why = "the name of the endpoint cannot be resolved"
		e.Fix = "Look whether the Region exists, whether its name is right, and whether there is a network."
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid):
		e.Why = "the certificate of the endpoint is not trusted"
		e.Fix = "Where a proxy opens TLS, set custom_ca_bundle in the aws block."
	case errors.As(err, &half) && status < 400:
		e.Why = "the answer breaks off or cannot be read"
		e.Fix = "Nothing was taken from it. Look whether a proxy changes what AWS answers."
	case errors.As(err, &api) && isCode(api.ErrorCode()):
		s.explainCode(e, api.ErrorCode(), status, resp)
	case status >= 300:
		e.Why = fmt.Sprintf("the answer was HTTP %d", status)
		e.Fix = "Try again later."
		if status < 500 {
			e.Fix = "Look whether the endpoint is AWS's, and not that of a proxy."
		}
	case errors.As(err, &op):
		e.Why = "there is no connection to the endpoint"
		e.Fix = "Look whether there is a network, and whether the endpoint and the proxy are right."
	default:
		e.Why = "the request failed"
		e.Fix = "Look whether the Region, the endpoint and the proxy are right."
	}
}

// explainCode: AWS said no.
func (s *Session) explainCode(e *Error, code string, status int, resp *smithyhttp.ResponseError) {
	skew, skewed := s.skew(resp)
	switch {
	case has(codesClock, code) || skewed && (has(codesInvalid, code) || has(codesExpired, code)):
		e.Why = fmt.Sprintf("the request was refused because of its time (%s)", code)
		e.Fix = "Set this machine's clock: AWS refuses requests that are more than 5 minutes off."
		if skewed {
			e.Fix = fmt.Sprintf("This machine's clock is %s off; AWS refuses more than 5 minutes. Set it.", skew.Round(time.Minute))
		}
	case has(codesDenied, code):
		s.denied(e, code)
	case has(codesExpired, code):
		e.Why = fmt.Sprintf("the credentials have expired (%s)", code)
		e.Fix = "Sign in again, for example with `aws sso login`, or renew the token."
	case has(codesInvalid, code):
		e.Why = fmt.Sprintf("the credentials are not valid here (%s)", code)
		e.Fix = "Look whether the keys are right, still exist, and belong to the partition of the Region; a Region that has to be enabled first answers the same."
	case has(codesThrottled, code):
		e.Why = fmt.Sprintf("AWS asks for fewer requests (%s)", code)
		e.Fix = "Try again later, or raise timeout_seconds so that it is tried for longer."
	case has(codesRegion, code):
		e.Why = fmt.Sprintf("the Region is not enabled in this account (%s)", code)
		e.Fix = "Enable it, or name another."
	case has(codesNotFound, code):
		e.Why = fmt.Sprintf("there is no such thing in the Region (%s)", code)
		e.Fix = "Look whether the id is right and whether it is of this Region and account."
	case status >= 500:
		e.Why = fmt.Sprintf("AWS had a fault (HTTP %d, %s)", status, code)
		e.Fix = "Try again later."
	default:
		e.Why = fmt.Sprintf("the request was refused (%s)", code)
	}
}

func (s *Session) denied(e *Error, code string) {
	e.Why = fmt.Sprintf("access was denied (%s)", code)
	e.Fix = "Allow the action in the policy of the credentials, and look whether an organization's policy or a permissions boundary forbids it."
}

// skew is how far the clock is from the one that answered, if that is more than
// AWS allows.
func (s *Session) skew(resp *smithyhttp.ResponseError) (time.Duration, bool) {
	if resp == nil || resp.Response == nil {
		return 0, false
	}
	theirs, err := time.Parse(time.RFC1123, resp.Response.Header.Get("Date"))
	if err != nil {
		return 0, false
	}
	d := s.clock.Now().Sub(theirs).Abs()
	return d, d > maxSkew
}

// isTimeout says whether the time was up, of the question or of an attempt.
func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// isCode says whether a text has the shape of an error code, and so nothing else
// in it.
func isCode(s string) bool { return codeShape().MatchString(s) }

// The shortest access key id has 16 characters, capitals and digits only; a code
// has small letters.
var codeShape = lazyregexp.New(`\A[A-Z][a-z][A-Za-z]{1,40}(\.[A-Z][A-Za-z]{1,30}){0,2}\z`)

func has(codes []string, code string) bool { return slices.Contains(codes, code) }

// StillWorks says what a failure of a feature leaves untouched.
func StillWorks(cat *catalog.Catalog) string {
	return fmt.Sprintf("Everything that does not ask AWS still works: functions, guards and the other data sources answer from the embedded table of %s with catalog = %q.",
		cat.InstanceSource().AsOf, "embedded")
}

// isPartial says whether an error is that of an answer that was not whole.
func isPartial(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.partial
}

// Canceled says whether an error is only that somebody called it off.
func Canceled(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.canceled
}
