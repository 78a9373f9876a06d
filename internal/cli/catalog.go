package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

func (a *app) catalogCommand() *cobra.Command {
	var region string
	c := &cobra.Command{
		Use:   "catalog [TYPE...]",
		Short: "Print what is known of instance types, with source and date",
		Long: `Prints what is known of the given EC2 instance types, each figure with its unit,
its source and its date. Without a type it says what the catalogue holds.`,
		Example: "  runnerfit catalog mac2-m2pro.metal\n  runnerfit catalog m8a.xlarge r8a.xlarge --region eu-west-1",
		RunE: func(_ *cobra.Command, types []string) error {
			cat := catalog.Embedded()
			if !catalog.IsRegionName(region) {
				return fmt.Errorf("--region: not the name of an AWS Region such as %s", catalog.DefaultRegion)
			}
			if len(types) == 0 {
				return a.printContents(cat)
			}
			// All types are looked up before the first is printed, so that a slip in the
			// last does not leave half an answer.
			var found []catalog.Instance
			for _, t := range types {
				i, ok := cat.Instance(t)
				if !ok {
					return fmt.Errorf("no such instance type in the table of %s; the closest are %s",
						cat.InstanceSource().AsOf, strings.Join(cat.ClosestInstances(t, 3), ", "))
				}
				found = append(found, i)
			}
			for n, i := range found {
				if n > 0 {
					if _, err := fmt.Fprintln(a.stdout); err != nil {
						return err
					}
				}
				if err := printInstance(a.stdout, cat, region, i); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&region, "region", catalog.DefaultRegion, "AWS Region whose prices are shown")
	c.AddCommand(a.catalogRefreshCommand())
	return c
}

// printContents says what the catalogue holds, and from when.
func (a *app) printContents(cat *catalog.Catalog) error {
	prices, _ := cat.VolumePrices(catalog.DefaultRegion)
	t := newTable(a.stdout)
	t.row("instance types", units.Count(int64(cat.InstanceCount())), cat.InstanceSource())
	t.row("EC2 Mac types", strconv.Itoa(len(cat.Macs())), cat.MacHostRules().Source)
	t.row("gp3 limits", string(cat.GP3(catalog.CurrentLimits).Set)+" and "+string(cat.GP3(catalog.ClassicLimits).Set), cat.GP3(catalog.CurrentLimits).Source)
	t.row("volume prices", fmt.Sprintf("%d regions", len(cat.PricedRegions())), prices.Source)
	if p, ok := cat.MacHostPrice(catalog.DefaultRegion, "mac2-m2pro.metal"); ok {
		t.row("Mac host prices", catalog.DefaultRegion+" and what is known elsewhere", p.Source)
	}
	if p, ok := cat.InstancePrice(catalog.DefaultRegion, "m8a.xlarge"); ok {
		t.row("instance prices", "Linux, on demand", p.Source)
	}
	return t.flush()
}

// printInstance prints everything that is known of a type.
func printInstance(w io.Writer, cat *catalog.Catalog, region string, i catalog.Instance) error {
	t := newTable(w)
	t.head(i.Type)
	t.row("vCPUs", strconv.Itoa(i.VCPUs), i.Source)
	t.row("memory", units.Number(i.MemoryGiB())+" GiB", i.Source)
	t.row("architecture", strings.Join(i.Architectures, ", "), i.Source)
	t.row("network", i.Network, i.Source)
	if c, ok := i.EBS.Get(); ok {
		label := "EBS"
		if c.CanBurst() {
			label = "EBS sustained"
		}
		t.rate(label, c.Sustained, i.Source)
		if c.CanBurst() {
			t.rate("EBS burst (30 min in 24 h)", c.Maximum, i.Source)
		} else {
			t.row("EBS burst", "none", i.Source)
		}
		for n, card := range i.Cards {
			t.rate(fmt.Sprintf("EBS card %d", n), card.Maximum, i.Source)
		}
	} else {
		t.row("EBS", "no limits published", i.Source)
	}
	t.row("EBS volumes at most", strconv.Itoa(i.MaxVolumes), i.Source)
	if m, ok := cat.Mac(i.Type); ok {
		t.row("host family", m.HostFamily, m.Source)
		t.row("chip", m.Chip, m.Source)
		if n, ok := m.CPUCores.Get(); ok {
			t.row("CPU cores", strconv.Itoa(n), m.Source)
		}
		t.row("scrub at most", fmt.Sprintf("%d min", m.ScrubMinutesMax), m.Source)
	}
	t.price(cat, region, i)
	return t.flush()
}

// table prints aligned rows of name and value, each with the number of its
// source, and the sources below.
type table struct {
	out     io.Writer
	w       *tabwriter.Writer
	sources []string
	err     error
}

func newTable(w io.Writer) *table {
	return &table{out: w, w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
}

func (t *table) print(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

func (t *table) head(s string) { t.print("%s\n", s) }

func (t *table) row(name, value string, s catalog.Source) {
	origin := s.Name
	if s.AsOf != "" {
		origin = s.AsOf + ", " + s.Name
	}
	n := slices.Index(t.sources, origin)
	if n < 0 {
		n = len(t.sources)
		t.sources = append(t.sources, origin)
	}
	t.print("  %s\t%s\t[%d]\n", name, value, n+1)
}

func (t *table) rate(name string, r catalog.EBSRate, s catalog.Source) {
	t.row(name, fmt.Sprintf("%s = %s = %s, %s IOPS", r.Bandwidth, r.Bandwidth.MB(), r.Throughput(), units.Count(r.IOPS)), s)
}

func (t *table) price(cat *catalog.Catalog, region string, i catalog.Instance) {
	name, look := "price in "+region, cat.InstancePrice
	if i.IsMac() {
		name, look = "host price in "+region, cat.MacHostPrice
	}
	p, ok := look(region, i.Type)
	if !ok {
		t.print("  %s\tnot known\t\n", name)
		return
	}
	value := "$" + p.USDPerHour.String() + " an hour"
	if i.IsMac() {
		hours := cat.MacHostRules().MinimumAllocationHours
		value += fmt.Sprintf(", %s for the %d hours it is billed at least", units.USD(p.USDPerHour.Mul(decimal.NewFromInt(int64(hours)))), hours)
	}
	t.row(name, value, p.Source)
}

func (t *table) flush() error {
	if t.err != nil {
		return t.err
	}
	if err := t.w.Flush(); err != nil {
		return err
	}
	for n, s := range t.sources {
		if _, err := fmt.Fprintf(t.out, "  [%d] %s\n", n+1, s); err != nil {
			return err
		}
	}
	return nil
}
