package cli

import (
	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
)

func (a *app) moduleMacFleetCommand() *cobra.Command {
	m := module.NewMacFleet()
	c := &cobra.Command{
		Short: "A fleet of EC2 Macs: hosts, launch template, group, alarms",
		Long: `Writes a module for a fleet of EC2 Macs that run VM images: a host resource group
that allocates the hosts, a launch template whose root and VMData volumes are set
by runnerfit_mac_host_storage, an Auto Scaling group behind runnerfit_mac_host_pool,
user data that formats VMData and pulls the images, and the alarms that exist on
bare metal.`,
		Example: "  runnerfit module mac-fleet -o modules/ios-runners --name ios --instance-type mac2-m2pro.metal --images 2 --image-size-gib 75 --hosts 4",
	}
	c.Flags().StringVar(&m.Name, "name", m.Name, "what the names of all resources begin with")
	c.Flags().StringVar(&m.InstanceType, "instance-type", m.InstanceType, "EC2 Mac type")
	c.Flags().IntVar(&m.Images, "images", m.Images, "VM images that a host pulls before it takes jobs")
	c.Flags().Float64Var(&m.ImageSizeGiB, "image-size-gib", m.ImageSizeGiB, "size of one image as it lies on VMData, in GiB")
	c.Flags().IntVar(&m.Hosts, "hosts", m.Hosts, "Macs that run when all is well")
	c.Flags().IntVar(&m.HostQuota, "host-quota", m.HostQuota, "hosts that may be allocated (default half as many again as --hosts)")
	c.Flags().IntVar(&m.VMsPerHost, "vms-per-host", m.VMsPerHost, "macOS guests that run on a host at a time")
	c.Flags().IntVar(&m.RootSizeGiB, "root-size-gib", m.RootSizeGiB, "size of the root volume, in GiB")
	c.Flags().IntVar(&m.VMDataSizeGiB, "vmdata-size-gib", m.VMDataSizeGiB, "size of VMData, in GiB (default the images and 300 for each VM)")
	c.Flags().BoolVar(&m.Licence, "license", m.Licence, "create a licence configuration for the hosts")
	return a.moduleKindCommand(moduleKind{kind: m, questions: []string{"name", "instance-type", "images", "image-size-gib", "hosts"}}, c)
}
