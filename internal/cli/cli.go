// Package cli is the command line: it reads arguments and files, asks the
// domain packages, and prints. Results go to stdout, everything else to
// stderr. The process itself is touched by main only, so that tests can run
// every command with their own streams.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes of every command.
const (
	// ExitOK: nothing at or above the level that was asked for.
	ExitOK = 0
	// ExitFailure: the command itself failed.
	ExitFailure = 1
	// ExitFindings: the command worked and found something.
	ExitFindings = 2
)

// ErrFindings makes Run return ExitFindings; a command returns it after it has
// printed what it found.
var ErrFindings = errors.New("findings")

// app is what commands share.
type app struct {
	version        string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// Run runs a command line, without the program's name, and returns the exit
// code. It stops early when ctx is cancelled.
func Run(ctx context.Context, version string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{version: version, stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrFindings):
		return ExitFindings
	default:
		// One line, though libraries break theirs. A failure to print it has no other place to go.
		_, _ = fmt.Fprintln(stderr, "runnerfit:", strings.Join(strings.Fields(err.Error()), " "))
		return ExitFailure
	}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "runnerfit",
		Short: "Fit CI runners to the machines they run on",
		Long: `runnerfit answers what a CI runner's machine can do for it, and what it costs:
EBS ceilings in every unit, the cheapest gp3 setting, the start-up of EC2 Macs.
The same binary is a Terraform provider; what is asked here by hand can be
checked there in every plan. It needs no account, no credentials and no network.`,
		Version:           a.version,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	// As the first line of the command version, without the platform.
	root.SetVersionTemplate("{{ .Name }} {{ .Version }}\n")
	root.AddCommand(a.versionCommand(), a.catalogCommand(), a.rulesCommand(), a.diagnoseCommand(), a.labelsCommand(), a.auditCommand(), a.measureCommand(), a.usageCommand(), a.reportCommand(), a.moduleCommand())
	return root
}
