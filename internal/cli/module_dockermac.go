package cli

import (
	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
)

func (a *app) moduleDockerMacCommand() *cobra.Command {
	m := module.NewDockerMac()
	c := &cobra.Command{
		Short: "Runners in containers on a Mac on a desk",
		Long: `Writes a module for runners in containers on one Mac, which needs no AWS: a Compose
file with every limit from runnerfit_docker_runners, its .env file, a launchd unit that
starts what is not running, and a script that compares Docker with what was planned.`,
		Example: "  runnerfit module docker-mac -o modules/mac-mini --memory-gib 20 --cpus 16 --organizations 2",
	}
	c.Flags().StringVar(&m.Name, "name", m.Name, "name of the launchd unit and of the Compose project")
	c.Flags().Float64Var(&m.MemoryGiB, "memory-gib", m.MemoryGiB, "memory of Docker's VM in GiB")
	c.Flags().IntVar(&m.CPUs, "cpus", m.CPUs, "CPUs of Docker's VM; 0 if they are not to be judged")
	c.Flags().Float64Var(&m.MemoryLimitGiB, "memory-limit-gib", m.MemoryLimitGiB, "memory limit of one runner in GiB")
	c.Flags().IntVar(&m.Organizations, "organizations", m.Organizations, "organisations that get runners of their own")
	c.Flags().StringVar(&m.Directory, "directory", m.Directory, "folder on the Mac for the Compose file and the scripts")
	return a.moduleKindCommand(moduleKind{kind: m, questions: []string{"name", "memory-gib", "cpus", "memory-limit-gib", "organizations"}}, c)
}
