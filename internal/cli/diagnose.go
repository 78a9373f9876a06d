package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

func (a *app) diagnoseCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "diagnose",
		Short: "Say what holds a runner's Docker, disk or cache back",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.diagnoseDockerCommand(), a.diagnoseIostatCommand(), a.diagnoseCacheLogCommand())
	return c
}

const (
	formatText = "text"
	formatJSON = "json"
)

// formatFlag adds --format, and checkFormat checks it.
func formatFlag(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", formatText, "text or json")
}

func checkFormat(format string) error {
	if format != formatText && format != formatJSON {
		return errors.New("--format: must be text or json")
	}
	return nil
}

// printJSON writes a value as people can read it, too.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// input is the file that a command was given, or standard input for none or
// "-". It is closed by the function that comes with it.
func (a *app) input(ctx context.Context, args []string) (r io.Reader, name string, closeInput func(), err error) {
	if len(args) == 0 || args[0] == "-" {
		return interruptible(ctx, a.stdin), "standard input", func() {}, nil
	}
	name = args[0]
	f, err := openRegular(name)
	switch {
	case errors.Is(err, errDirectory):
		return nil, "", nil, fmt.Errorf("%s: is a directory", name)
	case errors.Is(err, errNotRegular):
		return nil, "", nil, fmt.Errorf("%s: %w", name, err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil, fmt.Errorf("%s: there is no such file", name)
	case errors.Is(err, fs.ErrPermission):
		return nil, "", nil, fmt.Errorf("%s: no permission to read it", name)
	case err != nil:
		return nil, "", nil, err
	}
	return f, name, func() { _ = f.Close() }, nil
}

// instanceCeiling is the EBS ceiling of --instance-type; null if it was not
// given.
func instanceCeiling(typ string) (optional.Value[catalog.EBSCeiling], error) {
	if typ == "" {
		return optional.Null[catalog.EBSCeiling](), nil
	}
	cat := catalog.Embedded()
	i, ok := cat.Instance(typ)
	if !ok {
		return optional.Null[catalog.EBSCeiling](), fmt.Errorf("--instance-type: not in the table of %s; the closest are %s",
			cat.InstanceSource().AsOf, strings.Join(cat.ClosestInstances(typ, 3), ", "))
	}
	if i.EBS.IsNull() {
		return optional.Null[catalog.EBSCeiling](), fmt.Errorf("--instance-type: AWS publishes no EBS limits for %s", typ)
	}
	return i.EBS, nil
}

// notNegative checks a flag that is 0 when it was not given.
func notNegative(flag string, v float64) error {
	if !(v >= 0 && v <= 1e9) { // so that NaN is refused, too
		return fmt.Errorf("%s: must be a positive number", flag)
	}
	return nil
}

// given is null for a flag that is 0.
func given(v float64) optional.Value[units.MiBPerS] {
	if v == 0 {
		return optional.Null[units.MiBPerS]()
	}
	return optional.Known(units.MiBPerS(v))
}

// maybe is a value as JSON shows it: null unless it is known.
func maybe[T any](v optional.Value[T]) *T {
	t, ok := v.Get()
	if !ok {
		return nil
	}
	return &t
}
