// Command docpictures draws the pictures of the guides, with the code that draws
// those of the report. tools/generate.sh runs it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/chart"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/report"
)

func main() {
	folder := flag.String("folder", filepath.Join("docs", "images"), "where to write the pictures")
	flag.Parse()
	if err := write(*folder); err != nil {
		fmt.Fprintln(os.Stderr, "docpictures:", err)
		os.Exit(1)
	}
}

// width of the pictures, which is that of a page's text.
const width = 720

type picture interface {
	Draw(id string, width float64) chart.Drawing
}

// write draws all pictures, "NAME.svg".
func write(folder string) error {
	cat := catalog.Embedded()
	startup, err := startup(cat)
	if err != nil {
		return err
	}
	frontier, err := frontier(cat)
	if err != nil {
		return err
	}
	pool, err := pool(cat)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, p := range map[string]picture{"start-up": startup, "frontier": frontier, "pool": pool} {
		if err := os.WriteFile(filepath.Join(folder, name+".svg"), []byte(p.Draw(name, width).Standalone()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func number(n int64) optional.Value[decimal.Decimal] {
	return optional.Known(decimal.NewFromInt(n))
}

// startup is a host with three roots: AWS's default, what AWS recommends, and
// what the free IOPS carry.
func startup(cat *catalog.Catalog) (picture, error) {
	var starts []report.Start
	const grace = 600
	for _, rate := range []int64{125, 400, 750} {
		s, why := report.StartOf(cat, mac.Storage{
			InstanceType: optional.Known(mac.MeasuredType), Region: catalog.DefaultRegion,
			Root:   optional.Known(mac.StorageVolume{SizeGiB: number(100), ThroughputMiBPerS: number(rate)}),
			VMData: optional.Known(mac.StorageVolume{SizeGiB: number(750), ThroughputMiBPerS: number(700)}),
			Images: optional.Known(mac.StorageImages{Count: number(2), SizeGiB: number(75)}),
		}, true)
		if why != "" {
			return nil, errors.New(why)
		}
		s.Name = fmt.Sprintf("root at %d MiB/s", rate)
		starts = append(starts, s)
	}
	return report.StartupPicture("Start-up of an EC2 Mac host with two images of 75 GiB", starts, optional.Known(float64(grace))), nil
}

// frontier is a data volume that is faster than its Mac, and where it should be.
func frontier(cat *catalog.Catalog) (picture, error) {
	i, known := cat.Instance(mac.MeasuredType)
	prices, priced := cat.VolumePrices(catalog.DefaultRegion)
	if !known || !priced {
		return nil, errors.New("the catalogue does not know the type or the prices")
	}
	return report.FrontierPicture("The least that a throughput of a 750 GiB gp3 volume costs", report.Frontier{
		SizeGiB: 750, Limits: cat.GP3(catalog.CurrentLimits), Prices: prices.GP3, Ceiling: i.EBS, Type: i.Type,
		Now: ebs.GP3{ThroughputMiBPerS: 1000, IOPS: 4000}, After: ebs.GP3{ThroughputMiBPerS: 700, IOPS: 3000},
	}), nil
}

// pool is four hosts with two failed launches a day, with and without auto
// release.
func pool(cat *catalog.Catalog) (picture, error) {
	p := hostpool.Pool{
		InstanceType: optional.Known(mac.MeasuredType), DesiredHosts: number(4), MaxHosts: number(10),
		AutoReleaseHosts: optional.Known(false), FailedLaunchesPerDay: number(2), FailedHostsReturn: optional.Known(false),
	}
	hours, ok := hostpool.Timeline(cat, p).Get()
	if !ok {
		return nil, errors.New("the pool is not known")
	}
	return report.PoolPicture("Four Mac hosts, two failed launches a day whose hosts do not come back", p, hours, optional.Null[[]hostpool.Hour](), true), nil
}
