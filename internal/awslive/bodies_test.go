package awslive

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// slow is a client that comes to the end of a request when the SDK has
// closed it.
type slow struct{ err error }

func (c *slow) Do(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(io.LimitReader(r.Body, r.ContentLength))
	if err != nil || string(sent) != "Action=DescribeVolumes" {
		return nil, errors.Join(err, errors.New("sent was "+string(sent)))
	}
	_ = r.Body.Close()
	_, c.err = io.Copy(io.Discard, r.Body)
	return &http.Response{}, nil
}

func TestPlainBodies(t *testing.T) {
	t.Parallel()
	send := func(do func(*http.Request) (*http.Response, error)) {
		t.Helper()
		r, err := smithyhttp.NewStackRequest().(*smithyhttp.Request).SetStream(strings.NewReader("Action=DescribeVolumes"))
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = int64(len("Action=DescribeVolumes"))
		if _, err := do(r.Build(t.Context())); err != nil { //nolint:bodyclose // There is none.
			t.Fatal(err)
		}
	}
	c := &slow{}
	if send(plainBodies{c}.Do); c.err != nil {
		t.Errorf("the end of a request is an error: %v", c.err)
	}
	if send(c.Do); !errors.Is(c.err, io.EOF) {
		t.Errorf("the SDK's bodies are as they should be (%v): plainBodies can go", c.err)
	}
}
