package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the date of the embedded facts",
		Args:  takesNone(""),
		RunE: func(*cobra.Command, []string) error {
			cat := catalog.Embedded()
			prices, _ := cat.VolumePrices(catalog.DefaultRegion)
			_, err := fmt.Fprintf(a.stdout, "runnerfit %s (%s/%s)\n%s instance types as of %s, volume prices as of %s\n",
				a.version, runtime.GOOS, runtime.GOARCH, units.Count(int64(cat.InstanceCount())), cat.InstanceSource().AsOf, prices.Source.AsOf)
			return err
		},
	}
}
