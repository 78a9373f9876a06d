package awslive

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// listOf is, by operation, the member of an answer that holds what was asked
// for. AWS writes it even when there is nothing in it. The SDK passes over what it
// does not know, so that without this a page of somebody else's, such as that of a
// captive portal, would be read as an account without volumes.
var listOf = map[string]string{
	callInstanceTypes.Operation: "instanceTypeSet",
	callVolumes.Operation:       "volumeSet",
	callInstances.Operation:     "reservationSet",
	callHosts.Operation:         "hostSet",
	callMetricData.Operation:    "MetricDataResults",
	callProducts.Operation:      "PriceList",
}

// mostAnswerBytes bounds one answer. The largest, a page of GetMetricData, is a
// few megabytes.
const mostAnswerBytes = 64 << 20

// errForeign is an answer that is whole but not one of AWS's to this question.
var errForeign = errors.New("the answer is not one of AWS's")

// wholeAnswers puts a check of every answer in front of its reading: it must be
// there to its end, and have the list that was asked for.
func wholeAnswers(stack *middleware.Stack) error {
	return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("runnerfitWholeAnswer", func(
		ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
	) (middleware.DeserializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleDeserialize(ctx, in)
		operation := awsmiddleware.GetOperationName(ctx)
		list, known := listOf[operation]
		resp, ok := out.RawResponse.(*smithyhttp.Response)
		if err != nil || !known || !ok || resp.StatusCode >= http.StatusMultipleChoices {
			return out, metadata, err
		}
		body, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswerBytes+1))
		_ = resp.Body.Close()
		switch {
		case err != nil:
			return out, metadata, &smithy.DeserializationError{Err: err}
		case len(body) > mostAnswerBytes:
			return out, metadata, incomplete{fmt.Sprintf("it is larger than %d MiB", mostAnswerBytes>>20)}
		}
		resp.Body = io.NopCloser(bytes.NewReader(body))
		if list[0] >= 'A' && list[0] <= 'Z' { // the services that speak JSON write names so
			return out, metadata, checkJSON(body, list)
		}
		return out, metadata, checkXML(body, operation+"Response", list)
	}), middleware.After)
}

// checkXML reads a document to its end and looks for a list in its root.
func checkXML(body []byte, root, list string) error {
	d := xml.NewDecoder(bytes.NewReader(body))
	depth, found := 0, false
	for {
		t, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF) && depth == 0 && found:
			return nil
		case err != nil:
			// An end before the end: RawToken does not mind elements that stay open.
			return &smithy.DeserializationError{Err: err}
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch name := t.Name.Local; {
			case depth == 0 && name != root:
				return errForeign
			case depth == 1 && name == list:
				found = true
			}
			depth++
		case xml.EndElement:
			if depth--; depth == 0 && !found {
				return errForeign
			}
		}
	}
}

// checkJSON looks for a list among the members of an object.
func checkJSON(body []byte, list string) error {
	var members map[string]isArray
	if err := json.Unmarshal(body, &members); err != nil {
		if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] != '{' {
			return errForeign
		}
		return &smithy.DeserializationError{Err: err}
	}
	if !members[list] {
		return errForeign
	}
	return nil
}

// isArray notes that a value is an array and keeps nothing of it.
type isArray bool

// UnmarshalJSON looks at the first character.
func (a *isArray) UnmarshalJSON(value []byte) error {
	*a = len(value) > 0 && value[0] == '['
	return nil
}
