package provider_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// compose is a nested heredoc of a Compose file.
func compose(lines ...string) string {
	return "existing_compose_yaml = <<-YAML\n  services:\n    " + strings.Join(lines, "\n    ") + "\nYAML\n"
}

func TestDockerRunners(t *testing.T) {
	p := prototest.New(t, factory())
	for name, tc := range map[string]struct {
		config string
		want   map[string]any
		said   []string
	}{
		"8 GiB": {
			config: "memory_gib = 8\n organizations = 2",
			want:   map[string]any{"runners_without_overcommit": 1.0, "replicas_per_organization": 1.0, "total_runners": 2.0, "overcommit_ratio": 1.2, "findings[1].severity": "info", "findings[1].rule": "docker-memory-small"},
			said:   []string{"warning organizations docker-memory-overcommit"},
		},
		"12 GiB": {
			config: "memory_gib = 12\n organizations = 2",
			want:   map[string]any{"runners_without_overcommit": 3.0, "replicas_per_organization": 3.0, "total_runners": 6.0, "worst_case_memory_gib": 18.0},
			said:   []string{"warning organizations docker-memory-overcommit"},
		},
		"16 GiB": {
			config: "memory_gib = 16\n organizations = 2",
			want:   map[string]any{"runners_without_overcommit": 4.0, "replicas_per_organization": 4.0, "total_runners": 8.0},
			said:   []string{"warning organizations docker-memory-overcommit"},
		},
		"20 GiB": {
			config: "memory_gib = 20\n cpus = 16\n organizations = 2",
			want: map[string]any{
				"runners_without_overcommit": 5.0, "replicas_per_organization": 5.0, "total_runners": 10.0, "worst_case_memory_gib": 30.0,
				"available_memory_gib": 17.0, "overcommit_ratio": 1.7647, "cpu_ratio": 1.0, "node_heap_mib": 2048.0, "vitest_threads": 2.0,
				"dotenv": "REPLICAS=5\nRUNNER_IMAGE=ghcr.io/actions/actions-runner:latest\n", "findings[0].rule": "docker-memory-overcommit",
			},
			said: []string{"warning organizations docker-memory-overcommit"},
		},
		"the recommended configuration plans without a word": {
			config: "memory_gib = 20\n cpus = 16",
			want:   map[string]any{"total_runners": 5.0, "overcommit_ratio": 0.8824, "findings": []any{}},
		},
		"nothing fits": {
			config: "memory_gib = 4",
			want:   map[string]any{"runners_without_overcommit": 0.0, "total_runners": 0.0, "overcommit_ratio": 0.0, "compose_yaml": nil, "dotenv": nil, "node_heap_mib": 2048.0},
			said:   []string{"warning memory_gib docker-memory-small"},
		},
		"nothing is left": {
			config: "memory_gib = 3\n replicas = 1",
			want:   map[string]any{"runners_without_overcommit": 0.0, "total_runners": 1.0, "overcommit_ratio": nil, "available_memory_gib": 0.0},
			said:   []string{"warning memory_gib docker-memory-small", "warning replicas docker-memory-overcommit"},
		},
		"a heap of one's own": {
			config: "memory_gib = 12\n node_heap_mib = 1500",
			want:   map[string]any{"node_heap_mib": 1500.0, "findings": []any{}},
		},
		"gRPC FUSE": {
			config: "memory_gib = 12\n file_sharing = \"grpcfuse\"",
			said:   []string{"warning file_sharing docker-file-sharing"},
		},
		"a Compose file that is right": {
			config: "memory_gib = 12\n" + compose("runner:", "  image: x", "  mem_limit: 3g", "  environment: {TOKEN: hunter2}"),
			want:   map[string]any{"findings": []any{}},
		},
		"a Compose file that includes others": {
			config: "memory_gib = 12\n existing_compose_yaml = <<-YAML\n  include: [hunter2.yaml]\n  services: {runner: {image: x, mem_limit: 3g}}\nYAML\n",
			want:   map[string]any{"findings": []any{}},
			said:   []string{"warning existing_compose_yaml "},
		},
		"a Compose file without a limit": {
			config: "memory_gib = 12\n" + compose("runner: {image: x}"),
			said:   []string{"warning existing_compose_yaml docker-memory-unlimited"},
		},
		"advice is not on the screen": {
			config: "memory_gib = 33\n cpus = 8",
			want:   map[string]any{"cpu_ratio": 2.0, "findings[0].rule": "docker-cpu", "findings[0].severity": "info"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := p.For(t).DataSource("runnerfit_docker_runners").Read(tc.config)
			if diff := cmp.Diff(tc.said, said(r.Diagnostics)); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%s", diff, r.Diagnostics)
			}
			expect(t, r.Attr, tc.want)
		})
	}
}

func TestDockerRunnersOvercommit(t *testing.T) {
	d := one(t, prototest.New(t, factory()).DataSource("runnerfit_docker_runners").Read("memory_gib = 20\n organizations = 2").Diagnostics)
	if d.Severity != prototest.SeverityWarning || d.Summary != "Containers may use more memory than their VM has" || d.Line != "organizations = 2" {
		t.Errorf("%s", d)
	}
	contains(t, d.Detail, "10 runners of 3 GiB may use 30 GiB", "When 6 or more are at their peak at once", "\nRule: docker-memory-overcommit")
}

func TestDockerRunnersErrors(t *testing.T) {
	p := prototest.New(t, factory())
	for name, tc := range map[string]struct {
		config, path string
		detail       []string
	}{
		"a heap of 2,500":    {"memory_gib = 12\n node_heap_mib = 2500", "node_heap_mib", []string{"2,500 MiB", "leave 2,048", "Rule: docker-heap"}},
		"a heap in a file":   {"memory_gib = 12\n" + compose("runner:", "  image: x", "  mem_limit: 3g", "  environment: [NODE_OPTIONS=--max-old-space-size=3000, TOKEN=hunter2]"), "existing_compose_yaml", []string{"runner: Node may grow its heap to 3,000 MiB", "Rule: docker-heap"}},
		"no memory":          {"memory_gib = 0", "memory_gib", []string{"memory_gib is 0"}},
		"a fraction":         {"memory_gib = 12\n replicas = 1.5", "replicas", []string{"whole number, not 1.5"}},
		"a bad word":         {"memory_gib = 12\n file_sharing = \"hunter2\"", "file_sharing", []string{`"virtiofs", "grpcfuse" or "osxfs"`}},
		"a bad Compose file": {"memory_gib = 12\n existing_compose_yaml = \"password: hunter2\"", "existing_compose_yaml", []string{"existing_compose_yaml is not a valid Compose file"}},
		"an empty one":       {"memory_gib = 12\n existing_compose_yaml = \"\"", "existing_compose_yaml", []string{"existing_compose_yaml is empty"}},
		"one that goes on":   {"memory_gib = 12\n" + compose("runner:", "  image: x", "  extends: {file: hunter2.yaml, service: x}"), "existing_compose_yaml", []string{"takes services from another file"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := one(t, p.For(t).DataSource("runnerfit_docker_runners").Read(tc.config).Diagnostics)
			if d.Severity != prototest.SeverityError || d.Path != tc.path {
				t.Errorf("%s, want an error at %s", d, tc.path)
			}
			contains(t, d.Detail, tc.detail...)
			if strings.Contains(d.Detail, "hunter2") {
				t.Errorf("text is repeated: %s", d.Detail)
			}
		})
	}
}

// What is not known yet is waited for, and a rule that is ignored is silent,
// but not while it is unknown which ones are.
func TestDockerRunnersWaits(t *testing.T) {
	p := prototest.New(t, factory())
	for _, config := range []string{"memory_gib = unknown", "memory_gib = 12\n replicas = unknown", "memory_gib = 12\n existing_compose_yaml = unknown", "memory_gib = 12\n file_sharing = unknown"} {
		r := p.DataSource("runnerfit_docker_runners").Read(config)
		if len(r.Diagnostics) > 0 || !r.Deferred {
			t.Errorf("%s: %s", config, r.Diagnostics)
		}
	}
	const broken = "memory_gib = 12\n node_heap_mib = 2500"
	ignoring := prototest.New(t, factory(), prototest.Config(`ignore_rules = { "docker-heap" = "measured" }`))
	r := ignoring.DataSource("runnerfit_docker_runners").Read(broken)
	if len(r.Diagnostics) > 0 {
		t.Errorf("ignored: %s", r.Diagnostics)
	}
	expect(t, r.Attr, map[string]any{"findings": []any{}, "node_heap_mib": 2500.0})
	waiting := prototest.New(t, factory(), prototest.Config("ignore_rules = unknown"))
	r = waiting.DataSource("runnerfit_docker_runners").Read(broken)
	if len(r.Diagnostics) > 0 {
		t.Errorf("not known which are ignored: %s", r.Diagnostics)
	}
	expect(t, r.Attr, map[string]any{"findings[0].rule": "docker-heap"})
}

func TestDockerRunnersFunction(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for expression, want := range map[string]string{
			"docker_runners(20, 3, 3)":               "5",
			"docker_runners(8, 3, 3)":                "1",
			"docker_runners(4, 3, 3)":                "0",
			"docker_runners(3, 3, 3)":                "0",
			"docker_runners(1, 3, 3)":                "0",
			"docker_runners(0.3, 0.1, 0)":            "3",
			"docker_runners(1000000000000, 1e-6, 0)": "1000000000000000000",
		} {
			got, err := p.Eval("provider::runnerfit::" + expression)
			if err != nil {
				t.Errorf("%s: %v", expression, err)
			} else if !got.RawEquals(cty.MustParseNumberVal(want)) {
				t.Errorf("%s = %#v, want %s", expression, got, want)
			}
		}
		if got, err := p.Eval("provider::runnerfit::docker_runners(unknown, 3, 3)"); err != nil || got.IsKnown() {
			t.Errorf("unknown memory gives %#v, %v", got, err)
		}
		functionErrors(t, p, map[string]functionError{
			"docker_runners(0, 3, 3)":    {0, "more than 0"},
			"docker_runners(20, 0, 3)":   {1, "more than 0"},
			"docker_runners(20, 3, -1)":  {2, "must not be negative"},
			"docker_runners(1e13, 3, 3)": {0, "too large"},
		})
	})
}

// functionError is the argument at fault and a part of what is said of it; -1 for
// the call as a whole.
type functionError struct {
	argument int
	text     string
}

func functionErrors(t *testing.T, p *prototest.Provider, cases map[string]functionError) {
	t.Helper()
	for expression, want := range cases {
		_, err := p.Eval("provider::runnerfit::" + expression)
		var fault *prototest.FunctionError
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		argument := -1
		if fault.Argument != nil {
			argument = *fault.Argument
		}
		if argument != want.argument || !strings.Contains(fault.Text, want.text) || strings.HasSuffix(fault.Text, ".") {
			t.Errorf("%s: %v, want %q at %d", expression, fault, want.text, want.argument)
		}
	}
}
