package module

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
)

// nameInput is the variable "name". Its rule is the one of checkName, without
// what AWS alone refuses.
func nameInput(value, description string) variable {
	return variable{
		name: "name", typ: "string", value: strconv.Quote(value), description: description,
		validations: []validation{{
			fmt.Sprintf(`can(regex(%q, var.name)) && length(var.name) <= %d`, namePattern().String(), maxName),
			fmt.Sprintf("Write at most %d lower-case letters, digits and single hyphens, beginning with a letter.", maxName),
		}},
	}
}

// tagsInput is the variable "tags".
func tagsInput() variable {
	return variable{name: "tags", typ: "map(string)", value: "{}", description: "Tags of everything that is created."}
}

// ignoreInput is the variable "ignore_rules" of a module with a guard.
func ignoreInput() variable {
	return variable{name: "ignore_rules", typ: "map(string)", value: "{}", description: "Rules that the guard does not report, as rule id = reason."}
}

// architectureInput is the variable "architecture", for types that the
// provider does not know yet.
func architectureInput() variable {
	return variable{
		name: "architecture", typ: "string", value: "null", nullable: true,
		description: "Architecture of instance_type, x86_64 or arm64. Null: from the provider's table; write it for a type that is not in it.",
		validations: []validation{{
			`var.architecture == null ? true : contains(["x86_64", "arm64"], var.architecture)`, "Write x86_64 or arm64.",
		}},
	}
}

// lookUpArchitecture asks for the architecture of instance_type; isArm is the
// expression of the answer.
func lookUpArchitecture(d body, name string) {
	d.comment("For the image alone. Of a type that is not in the table, write the architecture.")
	b := d.block("data", "runnerfit_instance_ebs", name)
	b.set("count", "var.architecture == null ? 1 : 0")
	b.gap()
	b.set("instance_type", "var.instance_type")
}

// isArm is an expression: whether instance_type is Arm.
func isArm(name string) string {
	return `var.architecture != null ? var.architecture == "arm64" : contains(data.runnerfit_instance_ebs.` + name + `[0].architectures, "arm64")`
}

// idInput is a variable for the id of something in AWS that is there already.
func idInput(name, prefix, description string) variable {
	return variable{
		name: name, typ: "string", description: description,
		validations: []validation{{
			fmt.Sprintf(`can(regex("^%s-[0-9a-f]+$", var.%s))`, prefix, name),
			fmt.Sprintf("Write an id that begins with %s-, such as %s-0123456789abcdef0.", prefix, prefix),
		}},
	}
}

// wholeNumber is the rule of a variable for a whole number; null passes.
func wholeNumber(name string, least, most int) validation {
	within := fmt.Sprintf("var.%s >= %d && ", name, least)
	message := fmt.Sprintf("Write a whole number of %d or more.", least)
	if most > 0 {
		within += fmt.Sprintf("var.%s <= %d && ", name, most)
		message = fmt.Sprintf("Write a whole number from %d to %d.", least, most)
	}
	return validation{within + fmt.Sprintf("floor(var.%s) == var.%s", name, name), message}
}

// figure is a number as an expression.
func figure(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// script is an embedded script that runs on a host.
func script(kind, name string) File {
	return File{Name: "templates/" + name, Content: text(kind + "/" + name)}
}

// readme fills in a kind's README.md.tmpl.
func readme(kind string, data any) (File, error) {
	t, err := template.New(kind).Option("missingkey=error").Parse(string(text(kind + "/README.md.tmpl")))
	if err != nil {
		return File{}, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return File{}, fmt.Errorf("README.md of %s: %w", kind, err)
	}
	return File{Name: "README.md", Content: b.Bytes()}, nil
}

// monthly is what an instance costs in a month of 730 hours in us-east-1, as a
// README says it.
func monthly(typ string) string {
	p, ok := catalog.Embedded().InstancePrice(catalog.DefaultRegion, typ)
	if !ok {
		return "no price is known"
	}
	const hours = 730
	return fmt.Sprintf("$%s an hour, $%s a month without a pause (%s, on demand, as of %s)",
		p.USDPerHour, p.USDPerHour.Mul(decimal.NewFromInt(hours)).StringFixed(2), catalog.DefaultRegion, p.Source.AsOf)
}

// assumedBy is the policy by which an AWS service, as a template without quotes,
// takes on a role. It returns its statement, for conditions.
func assumedBy(d body, name, service string) body {
	s := d.block("data", "aws_iam_policy_document", name).block("statement")
	s.set("actions", `["sts:AssumeRole"]`)
	s.gap()
	principals := s.block("principals")
	principals.text("type", "Service")
	principals.set("identifiers", `["`+service+`"]`)
	return s
}

// allow adds what a policy document allows; actions and resources are
// expressions.
func allow(document body, sid, actions, resources string) body {
	s := document.block("statement")
	s.text("sid", sid)
	s.set("actions", actions)
	s.set("resources", resources)
	return s
}

// onlyIf adds a condition to a statement; values are an expression.
func onlyIf(statement body, test, variable, values string) {
	statement.gap()
	c := statement.block("condition")
	c.text("test", test)
	c.text("variable", variable)
	c.set("values", values)
}

// exampleHead begins an example: what it needs, and a Region.
func exampleHead(comment string, aws bool) *document {
	d := newDocument(comment)
	t := d.block("terraform")
	t.text("required_version", ">= 1.8")
	t.gap()
	requiredProviders(t, aws)
	if aws {
		d.gap()
		d.block("provider", "aws").text("region", catalog.DefaultRegion)
	}
	d.gap()
	return d
}

// mockAWS lets a module's own tests plan without an account. The answers of a
// mocked provider are random words; these are the ones that must have a shape.
func mockAWS(d body, answers ...mocked) {
	aws := d.block("mock_provider", "aws")
	aws.comment("Random words would be refused where JSON or the name of a Region is due.")
	for i, m := range append([]mocked{{"aws_iam_policy_document", `{ json = "{}" }`}, {"aws_region", `{ region = "us-east-1" }`}}, answers...) {
		if i > 0 {
			aws.gap()
		}
		aws.block("mock_data", m.typ).set("defaults", m.values)
	}
}

// mocked is a data source and what it answers, an object as an expression.
type mocked struct{ typ, values string }

// planned is a run of a module's own tests that plans with its variables and
// compares outputs with what is expected, both as expressions.
type planned struct {
	name      string
	variables [][2]string
	asserts   []assertion
	// refused are the variables whose rules refuse the plan.
	refused []string
}

type assertion struct{ condition, message string }

func (p planned) addTo(d body) {
	run := d.block("run", p.name)
	run.set("command", "plan")
	if len(p.variables) > 0 {
		run.gap()
		vs := run.block("variables")
		for _, v := range p.variables {
			vs.set(v[0], v[1])
		}
	}
	if len(p.refused) > 0 {
		run.gap()
		run.set("expect_failures", "["+strings.Join(p.refused, ", ")+"]")
	}
	for _, a := range p.asserts {
		run.gap()
		assert := run.block("assert")
		assert.set("condition", a.condition)
		assert.text("error_message", a.message)
	}
}
