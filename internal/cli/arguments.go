package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// takes refuses fewer or more arguments than a command takes, and says what they
// are: "measure takes one device, or a large file".
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("%s takes %s", c.Name(), what)
		}
		return nil
	}
}

// takesNone refuses arguments, and says what to write instead, if anything.
func takesNone(instead string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("%s takes no argument, but there is %q%s", c.Name(), args[0], instead)
		}
		return nil
	}
}
