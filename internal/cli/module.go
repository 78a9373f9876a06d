package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
)

func (a *app) moduleCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "module KIND -o DIR",
		Short: "Write a Terraform module for a runner fleet",
		Long: `Writes a Terraform module into a new folder: plain HCL to review and to own, in
which the numbers come from this provider's guards, so that a plan refuses what
would not work and the module stays right when an input changes.

Each kind has flags of its own; runnerfit module KIND --help lists them. Their
values become the defaults of the module's variables.`,
		// The flags are a kind's, and it is the kind that is wrong here.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Args:               cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			var kinds []string
			for _, k := range c.Commands() {
				kinds = append(kinds, k.Name())
			}
			if len(args) == 0 {
				return fmt.Errorf("which kind of module? There are %s; runnerfit module KIND --help says more", strings.Join(kinds, ", "))
			}
			return fmt.Errorf("no such kind of module; there are %s", strings.Join(kinds, ", "))
		},
	}
	c.AddCommand(a.moduleMacFleetCommand(), a.moduleLinuxRunnersCommand(), a.moduleActionsCacheCommand(), a.moduleDockerMacCommand())
	return c
}

// moduleKind is the command of one kind of module: its flags change the kind's
// settings.
type moduleKind struct {
	kind module.Kind
	// questions are the flags that --interactive asks for, in order.
	questions []string

	dir                        string
	dryRun, force, interactive bool
}

// moduleKindCommand completes the command of a kind.
func (a *app) moduleKindCommand(m moduleKind, c *cobra.Command) *cobra.Command {
	c.Use = m.kind.Kind() + " -o DIR"
	c.Args = takesNone("; -o names the folder")
	c.RunE = func(c *cobra.Command, _ []string) error { return a.runModule(c.Context(), &m, c.Flags()) }
	c.Flags().StringVarP(&m.dir, "output", "o", "", "folder to write, which must not exist yet (required)")
	c.Flags().BoolVar(&m.dryRun, "dry-run", false, "print what would be written, and write nothing")
	c.Flags().BoolVar(&m.force, "force", false, "write into a folder that exists, after printing the difference")
	c.Flags().BoolVar(&m.interactive, "interactive", false, "ask for the most important settings")
	c.Flags().SortFlags = false
	return c
}

func (a *app) runModule(ctx context.Context, m *moduleKind, flags *pflag.FlagSet) error {
	if m.interactive {
		if err := a.ask(ctx, m.questions, flags); err != nil {
			return err
		}
	}
	if m.dir == "" {
		return errors.New("-o: the folder to write is required")
	}
	files, err := module.Generate(m.kind)
	if err != nil {
		return err
	}
	change, err := module.Compare(m.dir, files)
	if err != nil {
		return err
	}
	if change.Exists() && !m.force {
		return fmt.Errorf("%s: the folder exists; choose another, or look at the difference with --force --dry-run and write it with --force", m.dir)
	}
	// A difference is shown before it is written; what is new, when it is there.
	if change.Exists() {
		if _, err := io.WriteString(a.stdout, change.Diff()); err != nil {
			return err
		}
	}
	if !m.dryRun {
		if err := change.Write(); err != nil {
			return err
		}
	}
	if !change.Exists() {
		if _, err := io.WriteString(a.stdout, module.Tree(m.dir, files)); err != nil {
			return err
		}
	}
	if m.dryRun {
		return nil
	}
	_, err = fmt.Fprintf(a.stderr, "%s: %s written; README.md says what to do with them\n", m.dir, count(len(files), "file", "files"))
	return err
}

// ask asks for flags that were not given, on a terminal. An empty answer keeps
// the default.
func (a *app) ask(ctx context.Context, questions []string, flags *pflag.FlagSet) error {
	if f, ok := a.stdin.(*os.File); !ok || !isatty.IsTerminal(f.Fd()) {
		return errors.New("--interactive: standard input is no terminal; give the settings as flags")
	}
	return a.askOn(bufio.NewReader(interruptible(ctx, a.stdin)), questions, flags)
}

func (a *app) askOn(in *bufio.Reader, questions []string, flags *pflag.FlagSet) error {
	for _, name := range append([]string{"output"}, questions...) {
		flag := flags.Lookup(name)
		if flag.Changed {
			continue
		}
		for {
			question := strings.ToUpper(flag.Usage[:1]) + flag.Usage[1:]
			if flag.DefValue != "" {
				question += " [" + flag.DefValue + "]"
			}
			if _, err := fmt.Fprintf(a.stderr, "%s: ", question); err != nil {
				return err
			}
			line, err := in.ReadString('\n')
			if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
				if errors.Is(err, io.EOF) {
					return errors.New("--interactive: the answers ended; nothing was written")
				}
				return err
			}
			answer := strings.TrimSpace(line)
			if answer == "" && flag.DefValue == "" {
				continue
			}
			if answer == "" {
				break
			}
			if err := flags.Set(name, answer); err == nil {
				break
			}
			if _, err := fmt.Fprintf(a.stderr, "Not a value for --%s.\n", name); err != nil {
				return err
			}
		}
	}
	return nil
}
