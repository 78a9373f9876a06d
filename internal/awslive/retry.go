package awslive

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// attempts are the failures of one question that were retried. When the time is
// up in the middle of a pause, the SDK says only that; what the last answer was
// is what a user wants to know.
type attempts struct {
	// began is when the time that all of it has began.
	began time.Time

	mu    sync.Mutex
	count int
	last  error
}

func newAttempts(ctx context.Context) *attempts {
	began, _ := ctx.Value(beganKey{}).(time.Time)
	return &attempts{began: began}
}

type attemptsKey struct{}

func (a *attempts) add(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	a.last = err
}

func (a *attempts) lastError() (count int, last error) {
	if a == nil {
		return 0, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count, a.last
}

// retryer remembers what it retries, and also retries an answer that breaks off
// in the middle: every call here only reads.
type retryer struct{ aws.RetryerV2 }

func withMemory(r aws.Retryer) aws.Retryer {
	v2, ok := r.(aws.RetryerV2)
	if !ok {
		return r
	}
	return retryer{v2}
}

// IsErrorRetryable says whether another attempt may help.
func (r retryer) IsErrorRetryable(err error) bool {
	if r.RetryerV2.IsErrorRetryable(err) {
		return true
	}
	var half *smithy.DeserializationError
	var refused *smithyhttp.ResponseError
	// A refusal that cannot be read, as that of a proxy, is one all the same.
	isRefused := errors.As(err, &refused) && refused.HTTPStatusCode() >= http.StatusBadRequest
	return errors.As(err, &half) && !isRefused
}

// GetRetryToken is called before another attempt.
func (r retryer) GetRetryToken(ctx context.Context, err error) (func(error) error, error) {
	if a, ok := ctx.Value(attemptsKey{}).(*attempts); ok {
		a.add(err)
	}
	return r.RetryerV2.GetRetryToken(ctx, err)
}
