package cli

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/snapshot"
)

// Scripts are written against these commands, flags, defaults, exit codes and
// JSON members.
func TestInterface(t *testing.T) {
	lines := []string{
		fmt.Sprintf("exit code %d: nothing at or above the level that was asked for", ExitOK),
		fmt.Sprintf("exit code %d: the command itself failed", ExitFailure),
		fmt.Sprintf("exit code %d: the command worked and found something", ExitFindings),
	}
	a := &app{version: "test", stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	lines = append(lines, commandLines(a.root())...)
	lines = append(lines, snapshot.JSON("json of diagnose iostat", reflect.TypeFor[iostatReport]())...)
	lines = append(lines, snapshot.JSON("json of diagnose cache-log", reflect.TypeFor[cacheLogReport]())...)
	lines = append(lines, snapshot.JSON("json of measure", reflect.TypeFor[measureReport]())...)
	lines = append(lines, snapshot.JSON("json of usage", reflect.TypeFor[usageReport]())...)
	snapshot.Check(t, "testdata/interface.txt", lines)
}

// commandLines are a command's and those below it. Hidden ones are promised to
// nobody.
func commandLines(c *cobra.Command) []string {
	var lines []string
	if c.Runnable() {
		lines = append(lines, "command "+c.UseLine())
	}
	c.InitDefaultVersionFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		short := ""
		if f.Shorthand != "" {
			short = ", -" + f.Shorthand
		}
		lines = append(lines, fmt.Sprintf("%s --%s%s: %s, default %q", c.CommandPath(), f.Name, short, f.Value.Type(), f.DefValue))
	})
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			lines = append(lines, commandLines(sub)...)
		}
	}
	return lines
}
