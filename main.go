// Command terraform-provider-runnerfit is the runnerfit provider when
// Terraform or OpenTofu starts it, and the runnerfit command line when a
// person does.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/gc"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
)

// version is set when a release is built.
var version = "dev"

// The cookie with which Terraform and OpenTofu start a plugin. Without it,
// somebody started the binary by hand. Nothing may be printed to stdout before
// this is decided: it would break the plugin's handshake.
const (
	cookieName  = "TF_PLUGIN_MAGIC_COOKIE"
	cookieValue = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
)

func main() {
	if debug := isDebug(os.Args[1:]); debug || os.Getenv(cookieName) == cookieValue {
		if err := serve(debug); err != nil {
			fmt.Fprintln(os.Stderr, "runnerfit:", err)
			os.Exit(1)
		}
		return
	}
	gc.Usual()
	// aws-sdk-go-base writes to the standard logger, and the error says it again.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, version, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// isDebug says whether the provider is to be served to a debugger:
// "terraform-provider-runnerfit -debug", as for every provider.
func isDebug(args []string) bool {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(new(strings.Builder))
	debug := flags.Bool("debug", false, "")
	return len(args) == 1 && flags.Parse(args) == nil && *debug
}

func serve(debug bool) error {
	if !debug {
		quietLoggers(os.Environ(), os.Setenv)
	}
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	newServer := provider.NewServer(version)
	return tf6server.Serve(provider.Address, func() tfprotov6.ProviderServer {
		server, err := newServer()
		if err != nil {
			fmt.Fprintln(os.Stderr, "runnerfit:", err)
			os.Exit(1)
		}
		return server
	}, options...)
}

// quietLoggers switches the plugin libraries' loggers off unless somebody asked
// for a log. They write a trace line for every call to stderr, which Terraform
// parses and throws away when no log is wanted: half of the time of a large plan.
func quietLoggers(environ []string, set func(name, value string) error) {
	for _, e := range environ {
		if name, value, _ := strings.Cut(e, "="); value != "" && (name == "TF_LOG" || strings.HasPrefix(name, "TF_LOG_")) && name != "TF_LOG_PATH" {
			return
		}
	}
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"} {
		_ = set(name, "OFF") // only fails for a name with "=" or NUL in it
	}
}
