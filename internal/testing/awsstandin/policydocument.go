package awsstandin

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// policyDocument is an IAM policy. The order of the members is the order in
// which the real provider writes them.
type policyDocument struct {
	Version   string            `json:",omitempty"`
	ID        string            `json:"Id,omitempty"`
	Statement []policyStatement `json:",omitempty"`
}

// policyStatement is one statement of a policy. Lists of one are written as
// that one, so that the members are strings or lists of strings.
type policyStatement struct {
	Sid          string                    `json:",omitempty"`
	Effect       string                    `json:",omitempty"`
	Action       any                       `json:",omitempty"`
	NotAction    any                       `json:",omitempty"`
	Resource     any                       `json:",omitempty"`
	NotResource  any                       `json:",omitempty"`
	Principal    any                       `json:",omitempty"`
	NotPrincipal any                       `json:",omitempty"`
	Condition    map[string]map[string]any `json:",omitempty"`
}

// answerPolicyDocument renders the statement blocks, after the source documents
// and before the overriding ones.
func answerPolicyDocument(q query) map[string]any {
	doc := policyDocument{Version: q.text("version", "2012-10-17"), ID: q.text("policy_id", "")}
	for _, source := range texts(q.obj["source_policy_documents"]) {
		doc.put(parseStatements(source))
	}
	var own []policyStatement
	for _, e := range elements(q.obj["statement"]) {
		own = append(own, newStatement(fields(e)))
	}
	doc.put(own)
	for _, source := range texts(q.obj["override_policy_documents"]) {
		doc.put(parseStatements(source))
	}
	full := doc.render("  ")
	return map[string]any{"id": digest(full)[:10], "json": full, "minified_json": doc.render("")}
}

// newStatement reads a statement block.
func newStatement(block object) policyStatement {
	s := policyStatement{
		Sid: text(block["sid"]), Effect: first([]string{text(block["effect"])}, "Allow"),
		Action: oneOrMany(block["actions"]), NotAction: oneOrMany(block["not_actions"]),
		Resource: oneOrMany(block["resources"]), NotResource: oneOrMany(block["not_resources"]),
		Principal: newPrincipals(block["principals"]), NotPrincipal: newPrincipals(block["not_principals"]),
	}
	for _, e := range elements(block["condition"]) {
		condition := fields(e)
		test := text(condition["test"])
		if s.Condition == nil {
			s.Condition = map[string]map[string]any{}
		}
		if s.Condition[test] == nil {
			s.Condition[test] = map[string]any{}
		}
		// The order of a condition's values is the configuration's.
		s.Condition[test][text(condition["variable"])] = unlist(policyVariables(texts(condition["values"])))
	}
	return s
}

// newPrincipals reads principals blocks: identifiers by type, and just "*" for
// everybody.
func newPrincipals(blocks tftypes.Value) any {
	byType := map[string][]string{}
	for _, e := range elements(blocks) {
		block := fields(e)
		typ := text(block["type"])
		byType[typ] = append(byType[typ], texts(block["identifiers"])...)
	}
	if len(byType) == 0 {
		return nil
	}
	if everybody := byType["*"]; len(byType) == 1 && len(everybody) == 1 && everybody[0] == "*" {
		return "*"
	}
	out := map[string]any{}
	for typ, identifiers := range byType {
		out[typ] = unlist(descending(identifiers))
	}
	return out
}

func oneOrMany(v tftypes.Value) any { return unlist(descending(policyVariables(texts(v)))) }

// policyVariables replaces &{…}, which is how a policy variable is written
// where ${…} means something else.
func policyVariables(list []string) []string {
	for i, s := range list {
		list[i] = strings.ReplaceAll(s, "&{", "${")
	}
	return list
}

// descending is the order in which the real provider writes lists.
func descending(list []string) []string {
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(b, a) })
	return list
}

func unlist(list []string) any {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return list
}

// parseStatements reads the statements of a document: a list, or just one. The
// real provider refuses what is not a document; here it has no statements.
func parseStatements(source string) []policyStatement {
	var doc struct{ Statement json.RawMessage }
	if json.Unmarshal([]byte(source), &doc) != nil {
		return nil
	}
	var many []policyStatement
	if json.Unmarshal(doc.Statement, &many) == nil {
		return many
	}
	var one policyStatement
	if json.Unmarshal(doc.Statement, &one) == nil {
		return []policyStatement{one}
	}
	return nil
}

// put appends statements; one with the Sid of an earlier one takes its place.
func (d *policyDocument) put(statements []policyStatement) {
	for _, s := range statements {
		same := slices.IndexFunc(d.Statement, func(have policyStatement) bool { return s.Sid != "" && have.Sid == s.Sid })
		if same >= 0 {
			d.Statement[same] = s
		} else {
			d.Statement = append(d.Statement, s)
		}
	}
}

// render writes the document. The encoder's escapes for HTML would be noise in
// a policy: "<" and "&" are common in conditions.
func (d *policyDocument) render(indent string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(d); err != nil {
		panic("awsstandin: " + err.Error()) // Strings, lists and maps always encode.
	}
	return strings.TrimRight(b.String(), "\n")
}
