package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

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
		Args:    cobra.ExactArgs(1),
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

func usageJSON(id string, r usage.Report) any {
	percentiles := func(p usage.Percentiles) any {
		return map[string]float64{"p50": p.P50, "p95": p.P95, "p99": p.P99, "max": p.Max, "chosen": p.Chosen}
	}
	rates := func(v optional.Value[usage.Rates]) any {
		r, ok := v.Get()
		if !ok {
			return nil
		}
		return map[string]any{"read": percentiles(r.Read), "write": percentiles(r.Write), "total": percentiles(r.Total)}
	}
	out := map[string]any{
		"schema_version":       1,
		"volume_id":            id,
		"volume_type":          r.Volume.Type,
		"size_gib":             r.Volume.SizeGiB,
		"instance_type":        r.Volume.InstanceType,
		"start":                r.Start,
		"minutes":              r.Minutes,
		"minutes_with_data":    r.MinutesWithData,
		"percentile":           r.Options.Percentile,
		"headroom_percent":     r.Options.HeadroomPercent,
		"iops":                 rates(r.IOPS),
		"throughput_mib_per_s": rates(r.MiBPerS),
		"throttled_minutes":    orNil(r.ThrottledMinutes),
		"throttled_by":         orNil(r.ThrottledBy),
		"provisioned":          map[string]any{"iops": orNil(r.LimitIOPS), "throughput_mib_per_s": orNil(r.LimitMiBPerS)},
		"recommended":          nil,
		"demand_is_at_least":   r.AtLeast,
		"monthly_saving_usd":   nil,
		"notes":                r.Notes,
	}
	if s, ok := r.Recommended.Get(); ok {
		out["recommended"] = map[string]int64{"iops": s.IOPS, "throughput_mib_per_s": s.ThroughputMiBPerS}
	}
	if usd, ok := r.SavingUSD.Get(); ok {
		out["monthly_saving_usd"] = math.Round(usd.InexactFloat64()*100) / 100
	}
	if r.Notes == nil {
		out["notes"] = []string{}
	}
	return out
}

func orNil[T any](v optional.Value[T]) any {
	if t, ok := v.Get(); ok {
		return t
	}
	return nil
}
