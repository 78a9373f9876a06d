package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
)

func (a *app) moduleLinuxRunnersCommand() *cobra.Command {
	m := module.NewLinuxRunners()
	c := &cobra.Command{
		Short: "A launch template for Linux runners: gp3 that fits, or the job's files in memory",
		Long: `Writes a module with a launch template for Linux runners, whoever manages them: a
root volume that is set by runnerfit_instance_storage, a role without permissions,
a security group, and outputs in the shape that github-aws-runners and GitLab's
fleeting plugin take. With --disk tmpfs, the directories that a job writes to are
moved into memory before the runner starts, with compressed swap for what is cold.`,
		Example: "  runnerfit module linux-runners -o modules/linux-runners --instance-type r8a.xlarge --disk tmpfs",
	}
	c.Flags().StringVar(&m.Name, "name", m.Name, "what the names of all resources begin with")
	c.Flags().StringVar(&m.InstanceType, "instance-type", m.InstanceType, "EC2 type")
	c.Flags().StringVar(&m.Disk, "disk", m.Disk, "what the job's files lie on: "+strings.Join(module.Disks, " or "))
	c.Flags().IntVar(&m.RootSizeGiB, "root-size-gib", m.RootSizeGiB, "size of the root volume in GiB")
	c.Flags().IntVar(&m.ThroughputMiBPerS, "throughput-mib-per-s", m.ThroughputMiBPerS, "throughput of the root volume in MiB/s; 0 for the free 125")
	return a.moduleKindCommand(moduleKind{kind: m, questions: []string{"name", "instance-type", "disk", "root-size-gib"}}, c)
}
