// Package tfrun runs a real Terraform or OpenTofu on a folder of configuration,
// with the provider served by the test's own process: nothing is built,
// installed or initialised, so that a plan takes about a fifth of a second.
package tfrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/tool"
)

// Tool is a Terraform or an OpenTofu that knows the provider.
type Tool struct {
	path     string
	openTofu bool
	environ  []string
}

// Factory makes a new server of the provider.
type Factory func() (tfprotov6.ProviderServer, error)

// source is the provider's address as configurations write it. Each tool puts
// its own registry's host in front.
const source = "runnerfit/runnerfit"

// New serves the provider until the end of the test. Which tool is used says
// TF_ACC_TERRAFORM_PATH, as for all tests; without it, what is on PATH.
func New(t *testing.T, factory Factory) *Tool {
	t.Helper()
	run := &Tool{path: tool.Path(t)}
	for _, e := range os.Environ() {
		// A developer's own settings would reach what is tested.
		if !strings.HasPrefix(e, "TF_") {
			run.environ = append(run.environ, e)
		}
	}
	run.environ = append(run.environ, "CHECKPOINT_DISABLE=1", "TF_INPUT=0", "TF_CLI_CONFIG_FILE="+os.DevNull)
	version := run.Run(t, t.TempDir(), "version")
	run.openTofu = strings.Contains(version.Stdout, "OpenTofu v")
	run.environ = append(run.environ, "TF_REATTACH_PROVIDERS="+serve(t, factory))
	return run
}

// serve starts the provider in this process and returns how to reach it.
func serve(t *testing.T, factory Factory) string {
	t.Helper()
	if _, err := factory(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	reached, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	go func() {
		err := tf6server.Serve(source, func() tfprotov6.ProviderServer {
			server, err := factory()
			if err != nil {
				panic(err) // the same call has just worked
			}
			return server
		}, tf6server.WithDebug(ctx, reached, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithLoggingSink(t))
		if err != nil {
			t.Error("serving the provider:", err)
		}
	}()
	c := <-reached
	t.Cleanup(func() {
		cancel()
		<-closed
	})
	b, err := json.Marshal(map[string]any{source: map[string]any{
		"Protocol": c.Protocol, "ProtocolVersion": c.ProtocolVersion, "Pid": c.Pid, "Test": c.Test,
		"Addr": map[string]string{"Network": c.Addr.Network(), "String": c.Addr.String()},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// OpenTofu says whether the tool is OpenTofu.
func (tool *Tool) OpenTofu() bool { return tool.openTofu }

// Result is what a run printed, and its exit code.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Run runs the tool in a folder. An exit code is no failure of the test, not
// being able to run is.
func (tool *Tool) Run(t *testing.T, folder string, args ...string) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), tool.path, args...) //nolint:gosec // running the tool that the developer chose is what this is for
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, tool.environ, &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", cmd, err)
	}
	return Result{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
}
