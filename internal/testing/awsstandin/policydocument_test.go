package awsstandin

import "testing"

func TestPolicyDocument(t *testing.T) {
	s := newTestServer(t)
	for _, tt := range []struct {
		name   string
		config map[string]any
		want   string
	}{
		{"a role that EC2 assumes", map[string]any{"statement": []map[string]any{{
			"actions": []string{"sts:AssumeRole"}, "principals": []map[string]any{{"type": "Service", "identifiers": []string{"ec2.amazonaws.com"}}},
		}}}, `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole","Principal":{"Service":"ec2.amazonaws.com"}}]}`},
		{"lists, everybody and a condition", map[string]any{"statement": []map[string]any{{
			"sid": "own", "effect": "Deny", "actions": []string{"s3:Get", "s3:Put"}, "resources": []string{"arn:aws:s3:::b/&{aws:username}"},
			"principals": []map[string]any{{"type": "*", "identifiers": []string{"*"}}},
			"condition":  []map[string]any{{"test": "StringLike", "variable": "s3:prefix", "values": []string{"a", "<b>"}}},
		}}}, `{"Version":"2012-10-17","Statement":[{"Sid":"own","Effect":"Deny","Action":["s3:Put","s3:Get"],"Resource":"arn:aws:s3:::b/${aws:username}","Principal":"*","Condition":{"StringLike":{"s3:prefix":["a","<b>"]}}}]}`},
		{"sources and overrides", map[string]any{
			"source_policy_documents":   []string{`{"Statement":{"Sid":"a","Effect":"Allow","Action":"x:1"}}`, "no document"},
			"statement":                 []map[string]any{{"sid": "b", "actions": []string{"x:2"}}},
			"override_policy_documents": []string{`{"Statement":[{"Sid":"a","Effect":"Deny","Action":"x:3"}]}`},
		}, `{"Version":"2012-10-17","Statement":[{"Sid":"a","Effect":"Deny","Action":"x:3"},{"Sid":"b","Effect":"Allow","Action":"x:2"}]}`},
		{"nothing", map[string]any{"policy_id": "p"}, `{"Version":"2012-10-17","Id":"p"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text(answered(t, s, "aws_iam_policy_document", tt.config)["minified_json"]); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
