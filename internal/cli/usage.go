package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

func (a *app) usageCommand() *cobra.Command {
	var (
		f          awsFlags
		o          usage.Options
		days       int
		svg        string
		format     string
		fromPrices bool
	)
	c := &cobra.Command{
		Use:   "usage VOLUME",
		Short: "Say what an EBS volume really did, and draw it",
		Long: `Reads what an EBS volume did from CloudWatch, minute by minute, and says which
rates it reached, how long it was at its limit, and the cheapest gp3 setting that
would do for the same work. With --svg it also draws that over time.

It needs AWS credentials, from the environment or --profile, with the permissions
ec2:DescribeVolumes, ec2:DescribeInstances and cloudwatch:GetMetricData.`,
		Example: "  runnerfit usage vol-0123456789abcdef0\n  runnerfit usage vol-0123456789abcdef0 --days 1 --percentile 99.9 --svg usage.svg",
		Args:    takes(1, 1, "one volume: vol-0123456789abcdef0"),
		RunE: func(c *cobra.Command, args []string) error {
			id := args[0]
			switch {
			case !awslive.IsID("vol", id):
				return errors.New("the volume must be an id such as vol-0123456789abcdef0")
			case days < 1 || days > usage.MaxDays:
				return fmt.Errorf("--days: must be 1 to %d: CloudWatch keeps minutes for no longer", usage.MaxDays)
			case !(o.Percentile >= usage.MinPercentile && o.Percentile <= 100):
				return fmt.Errorf("--percentile: must be %d to 100", usage.MinPercentile)
			case !(o.HeadroomPercent >= 0 && o.HeadroomPercent <= usage.MaxHeadroomPercent):
				return fmt.Errorf("--headroom: must be 0 to %d percent", usage.MaxHeadroomPercent)
			}
			if err := checkFormat(format); err != nil {
				return err
			}
			if err := checkPicture(svg); err != nil {
				return fmt.Errorf("--svg: %w", err)
			}
			ctx, cancel, session, err := f.session(c, a.version)
			if err != nil {
				return err
			}
			defer cancel()
			region, err := session.Region(ctx)
			if err != nil {
				return err
			}
			cat := catalog.Embedded()
			var live *awslive.Catalog
			if fromPrices {
				live = awslive.NewCatalog(session, cat)
				defer live.Cancel()
				defer live.Begin(ctx)()
				cat = cat.WithOverlay(live)
			}
			r, series, err := awslive.VolumeUsage(ctx, session, cat, region, id, days, o)
			if err != nil {
				return err
			}
			if live != nil {
				for _, p := range live.Problems() {
					_, _ = fmt.Fprintln(a.stderr, "runnerfit: the embedded table is used:", p.Err)
				}
			}
			if svg != "" {
				var picture bytes.Buffer
				if err := errors.Join(usage.SVG(&picture, id, r, series), writeFile(svg, picture.Bytes())); err != nil {
					return err
				}
			}
			if format == formatJSON {
				return printJSON(a.stdout, usageJSON(id, r))
			}
			return r.Text(a.stdout, id)
		},
	}
	f.add(c, awslive.DefaultTimeout)
	c.Flags().IntVar(&days, "days", usage.DefaultDays, "how many days to look back")
	c.Flags().Float64Var(&o.Percentile, "percentile", usage.DefaultPercentile, "percentile of the minutes that the recommendation is for")
	c.Flags().Float64Var(&o.HeadroomPercent, "headroom", usage.DefaultHeadroomPercent, "percent that are added to the percentile")
	c.Flags().StringVar(&svg, "svg", "", "file to draw the volume's minutes into")
	c.Flags().BoolVar(&fromPrices, "live-prices", false, "use today's prices and types of AWS in place of the embedded ones; needs pricing:GetProducts and ec2:DescribeInstanceTypes, too")
	formatFlag(c, &format)
	return c
}

// checkPicture refuses to replace what is no picture, before AWS is asked.
func checkPicture(path string) error {
	if path == "" {
		return nil
	}
	if err := leadsSomewhere(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it exists and is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len("<svg"))
	// An empty file is nothing that could be lost.
	if n, _ := io.ReadFull(f, head); n > 0 && string(head) != "<svg" {
		return errors.New("the file exists and is not a picture of this runnerfit; remove it if it may go")
	}
	return nil
}

// The report as JSON; a null is what is not known.
type (
	usageReport struct {
		SchemaVersion    int              `json:"schema_version"`
		VolumeID         string           `json:"volume_id"`
		VolumeType       string           `json:"volume_type"`
		SizeGiB          int64            `json:"size_gib"`
		InstanceType     string           `json:"instance_type"`
		Start            time.Time        `json:"start"`
		Minutes          int              `json:"minutes"`
		MinutesWithData  int              `json:"minutes_with_data"`
		Percentile       float64          `json:"percentile"`
		HeadroomPercent  float64          `json:"headroom_percent"`
		IOPS             *usageRates      `json:"iops"`
		MiBPerS          *usageRates      `json:"throughput_mib_per_s"`
		ThrottledMinutes *int64           `json:"throttled_minutes"`
		ThrottledBy      *string          `json:"throttled_by"`
		Provisioned      usageProvisioned `json:"provisioned"`
		Recommended      *usageSettings   `json:"recommended"`
		DemandIsAtLeast  bool             `json:"demand_is_at_least"`
		MonthlySavingUSD *float64         `json:"monthly_saving_usd"`
		Notes            []string         `json:"notes"`
	}
	usageRates struct {
		Read  usagePercentiles `json:"read"`
		Write usagePercentiles `json:"write"`
		Total usagePercentiles `json:"total"`
	}
	usagePercentiles struct {
		P50    float64 `json:"p50"`
		P95    float64 `json:"p95"`
		P99    float64 `json:"p99"`
		Max    float64 `json:"max"`
		Chosen float64 `json:"chosen"`
	}
	usageProvisioned struct {
		IOPS    *float64 `json:"iops"`
		MiBPerS *float64 `json:"throughput_mib_per_s"`
	}
	usageSettings struct {
		IOPS    int64 `json:"iops"`
		MiBPerS int64 `json:"throughput_mib_per_s"`
	}
)

func usageJSON(id string, r usage.Report) usageReport {
	rates := func(v optional.Value[usage.Rates]) *usageRates {
		r, ok := v.Get()
		if !ok {
			return nil
		}
		return &usageRates{Read: usagePercentiles(r.Read), Write: usagePercentiles(r.Write), Total: usagePercentiles(r.Total)}
	}
	out := usageReport{
		SchemaVersion: 1, VolumeID: id, VolumeType: r.Volume.Type, SizeGiB: r.Volume.SizeGiB, InstanceType: r.Volume.InstanceType,
		Start: r.Start, Minutes: r.Minutes, MinutesWithData: r.MinutesWithData,
		Percentile: r.Options.Percentile, HeadroomPercent: r.Options.HeadroomPercent,
		IOPS: rates(r.IOPS), MiBPerS: rates(r.MiBPerS), ThrottledMinutes: maybe(r.ThrottledMinutes), ThrottledBy: maybe(r.ThrottledBy),
		Provisioned:     usageProvisioned{IOPS: maybe(r.LimitIOPS), MiBPerS: maybe(r.LimitMiBPerS)},
		DemandIsAtLeast: r.AtLeast, Notes: append([]string{}, r.Notes...),
	}
	if s, ok := r.Recommended.Get(); ok {
		out.Recommended = &usageSettings{IOPS: s.IOPS, MiBPerS: s.ThroughputMiBPerS}
	}
	if usd, ok := r.SavingUSD.Get(); ok {
		rounded := math.Round(usd.InexactFloat64()*100) / 100
		out.MonthlySavingUSD = &rounded
	}
	return out
}
