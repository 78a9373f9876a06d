package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
)

func (a *app) moduleActionsCacheCommand() *cobra.Command {
	m := module.NewActionsCache()
	c := &cobra.Command{
		Short: "A cache server for GitHub Actions, with S3 behind it",
		Long: `Writes a module for a GitHub Actions cache server in the runners' VPC: its container
on ECS, entries in a bucket that is reached by a gateway endpoint, a name in a
private DNS zone, sized by runnerfit_actions_cache. On one instance (the default) its
index is in SQLite on a volume that outlives the instance; on Fargate there may be
several replicas, and the index is in a PostgreSQL database of yours.`,
		Example: "  runnerfit module actions-cache -o modules/actions-cache --entry-gib 2 --daily-upload-gib 20 --retention-days 30",
	}
	c.Flags().StringVar(&m.Name, "name", m.Name, "what the names of all resources begin with")
	c.Flags().StringVar(&m.Compute, "compute", m.Compute, "what the server runs on: "+strings.Join(module.Computes, " or "))
	c.Flags().StringVar(&m.InstanceType, "instance-type", m.InstanceType, "EC2 type, for --compute instance")
	c.Flags().IntVar(&m.Replicas, "replicas", m.Replicas, "replicas of the server; more than one for --compute fargate only")
	c.Flags().Float64Var(&m.EntryGiB, "entry-gib", m.EntryGiB, "size of a typical entry in GiB, as it is downloaded")
	c.Flags().Float64Var(&m.DailyUploadGiB, "daily-upload-gib", m.DailyUploadGiB, "GiB of new entries a day")
	c.Flags().IntVar(&m.RetentionDays, "retention-days", m.RetentionDays, "days that an entry is kept after its last use")
	return a.moduleKindCommand(moduleKind{kind: m, questions: []string{"name", "compute", "entry-gib", "daily-upload-gib", "retention-days"}}, c)
}
