package awslive

import (
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// plainBodies hides from net/http that the body of a request can write itself.
// The SDK closes a body when the answer begins, and a closed one answers io.EOF
// to WriteTo, where that is no error to have. If net/http comes to the end of
// the request only then, it closes the connection that the answer is read from,
// and a good answer is lost (smithy-go 1.28.9, transport/http/internal/io/safe.go).
type plainBodies struct{ client aws.HTTPClient }

// Do sends a request.
func (c plainBodies) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.ContentLength > 0 {
		r = r.WithContext(r.Context()) // a copy
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return c.client.Do(r)
}
