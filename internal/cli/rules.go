package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

func (a *app) rulesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rules [ID]",
		Short:   "List the rules, or explain one",
		Example: "  runnerfit rules\n  runnerfit rules mac-root-throughput",
		Args:    takes(0, 1, "one rule, or lists them all"),
		RunE: func(_ *cobra.Command, args []string) error {
			registry := rulebook.Registry()
			if len(args) == 1 {
				rule, ok := registry.Get(args[0])
				if !ok {
					return fmt.Errorf("there is no such rule; the closest is %s", registry.Closest(args[0]))
				}
				page, err := rule.Page()
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(a.stdout, page)
				return err
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, r := range registry.All() {
				var severities []string
				for _, s := range r.Severities {
					severities = append(severities, s.String())
				}
				if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", r.ID, strings.Join(severities, "/"), r.Summary); err != nil {
					return err
				}
			}
			return w.Flush()
		},
	}
}
