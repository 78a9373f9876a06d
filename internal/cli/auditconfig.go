package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

// configName is the configuration file that is looked for in the working folder
// and those above it, up to the root of the repository.
const configName = ".runnerfit.hcl"

// auditConfig is what a configuration file may say, in the words of the
// provider block.
type auditConfig struct {
	Region      string            `hcl:"region,optional"`
	FailOn      string            `hcl:"fail_on,optional"`
	IgnoreRules map[string]string `hcl:"ignore_rules,optional"`
	Prices      *configPrices     `hcl:"prices,block"`
}

type configPrices struct {
	GiBMonth      *float64           `hcl:"gp3_gib_month_usd,optional"`
	IOPSMonth     *float64           `hcl:"gp3_iops_month_usd,optional"`
	MiBPerSMonth  *float64           `hcl:"gp3_mib_per_s_month_usd,optional"`
	MacHostHour   map[string]float64 `hcl:"mac_host_hour_usd,optional"`
	InstancesHour map[string]float64 `hcl:"instance_hour_usd,optional"`
}

// readConfig reads the file that was named, or the one that is found.
func readConfig(named string) (auditConfig, error) {
	var c auditConfig
	name := named
	if name == "" {
		if name = findConfig(); name == "" {
			return c, nil
		}
	}
	source, err := os.ReadFile(name)
	if err != nil {
		return c, fmt.Errorf("%s: %s", name, strings.ToLower(fileMessage(err)))
	}
	file, diags := hclsyntax.ParseConfig(source, name, hcl.InitialPos)
	if !diags.HasErrors() {
		diags = gohcl.DecodeBody(file.Body, nil, &c)
	}
	if diags.HasErrors() {
		at := ""
		if s := diags[0].Subject; s != nil {
			at = fmt.Sprintf(" line %d", s.Start.Line)
		}
		return c, fmt.Errorf("%s%s: %s. Known are region, fail_on, ignore_rules and a prices block", name, at, strings.TrimSuffix(diags[0].Summary, "."))
	}
	return c, c.check(name)
}

func findConfig() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		name := filepath.Join(dir, configName)
		if _, err := os.Stat(name); err == nil {
			return name
		}
		_, err := os.Stat(filepath.Join(dir, ".git"))
		parent := filepath.Dir(dir)
		if err == nil || parent == dir {
			return ""
		}
		dir = parent
	}
}

func (c auditConfig) check(name string) error {
	if faults := finding.Ignores(c.IgnoreRules).Check(rulebook.Registry()); len(faults) > 0 {
		return fmt.Errorf("%s: ignore_rules: %s: %s", name, faults[0].ID, faults[0].Problem)
	}
	if c.Region != "" && !catalog.IsRegionName(c.Region) {
		return fmt.Errorf("%s: region: not the name of an AWS Region such as %s", name, catalog.DefaultRegion)
	}
	if _, ok := finding.ParseSeverity(c.FailOn); !ok && c.FailOn != "" && c.FailOn != never {
		return fmt.Errorf("%s: fail_on: must be error, warning, info or never", name)
	}
	if p := c.Prices; p != nil {
		for _, v := range []*float64{p.GiBMonth, p.IOPSMonth, p.MiBPerSMonth} {
			if v != nil && *v < 0 {
				return fmt.Errorf("%s: prices: %w", name, errNegativePrice)
			}
		}
		for _, m := range []map[string]float64{p.MacHostHour, p.InstancesHour} {
			for _, v := range m {
				if v < 0 {
					return fmt.Errorf("%s: prices: %w", name, errNegativePrice)
				}
			}
		}
	}
	return nil
}

var errNegativePrice = errors.New("a price must not be negative")

func (c auditConfig) prices() catalog.PriceOverrides {
	p := c.Prices
	if p == nil {
		return catalog.PriceOverrides{}
	}
	price := func(v *float64) optional.Value[decimal.Decimal] {
		return optional.Map(optional.FromPointer(v), decimal.NewFromFloat)
	}
	all := func(m map[string]float64) map[string]decimal.Decimal {
		out := make(map[string]decimal.Decimal, len(m))
		for k, v := range m {
			out[k] = decimal.NewFromFloat(v)
		}
		return out
	}
	return catalog.PriceOverrides{
		GP3GiBMonth: price(p.GiBMonth), GP3IOPSMonth: price(p.IOPSMonth), GP3MiBPerSMonth: price(p.MiBPerSMonth),
		MacHostHour: all(p.MacHostHour), InstanceHour: all(p.InstancesHour),
	}
}
