package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// refreshTimeout is longer than what a plan waits: all types and all prices of a
// Region are some fifty pages.
const refreshTimeout = 5 * time.Minute

func (a *app) catalogRefreshCommand() *cobra.Command {
	var (
		f        awsFlags
		out      string
		noPrices bool
	)
	c := &cobra.Command{
		Use:   "refresh --out FILE",
		Short: "Write today's instance types and prices of a Region into a file",
		Long: `Asks AWS for the instance types and the list prices of a Region and writes them
into a catalogue file with their source and date. The provider reads it with
catalog = "file:PATH", without credentials.

The file is written beside its place and put there in one step, and only when it
is complete and plausible: far fewer types or prices than in the file that it would
replace, figures or prices that no longer resemble the known ones, and a file of
another Region are refused and the old file stays. It needs the permissions ec2:DescribeInstanceTypes and pricing:GetProducts.`,
		Example: "  runnerfit catalog refresh --region eu-west-1 --out catalog.json",
		Args:    takesNone("; --out names the file"),
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				return errors.New("--out: the file to write is required")
			}
			// What stands in the way of writing is found out before AWS is asked.
			previous, err := previousCatalog(out)
			if err != nil {
				return fmt.Errorf("--out: %w", err)
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
			if previous != nil && previous.Region() != region {
				return fmt.Errorf("--out: the file is a catalogue of %s, and this one would be of %s; name another file, or remove that one if it may go", previous.Region(), region)
			}
			file, err := fetchCatalog(ctx, session, region, !noPrices)
			if err != nil {
				return err
			}
			if err := file.PlausibleAfter(previous, catalog.Embedded()); err != nil {
				return fmt.Errorf("what AWS answered is not plausible, and nothing was written: %w", err)
			}
			prices := "with prices"
			if noPrices {
				prices = "without prices: the embedded ones are used"
				if previous != nil && len(previous.PricedRegions()) > 0 {
					file = file.WithPricesOf(previous)
					prices = "with the prices of " + previous.PriceSource().AsOf + " kept"
				}
			}
			var content bytes.Buffer
			if err := file.Encode(&content); err != nil {
				return err
			}
			if err := writeFile(out, content.Bytes()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "%s: %d instance types of %s as of %s, %s\n", out, len(file.Instances()), region, file.InstanceSource().AsOf, prices)
			return err
		},
	}
	f.add(c, refreshTimeout)
	c.Flags().StringVar(&out, "out", "", "file to write (required)")
	c.Flags().BoolVar(&noPrices, "no-prices", false, "do not ask for prices: those of the file are kept, and without a file the embedded ones are used")
	return c
}

// previousCatalog is the catalogue that a file would replace, nil if there is
// none. Something else under that name is not replaced.
func previousCatalog(path string) (*catalog.File, error) {
	if err := leadsSomewhere(path); err != nil {
		return nil, err
	}
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return nil, errors.New("there is no such folder")
		}
		return nil, nil //nolint:nilnil // no file, and nothing wrong with that
	case err != nil:
		return nil, err
	}
	previous, err := catalog.LoadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the file exists and is not a catalogue of this runnerfit (%w); remove it if it may go", err)
	}
	return previous, nil
}

// fetchCatalog asks for everything; a part that fails is an error.
func fetchCatalog(ctx context.Context, s *awslive.Session, region string, withPrices bool) (*catalog.File, error) {
	types, err := s.DescribeInstanceTypes(ctx, region)
	if err != nil {
		return nil, err
	}
	date := s.Now().UTC().Format("2006-01-02")
	source := types[0].Source
	var prices map[string]catalog.Prices
	if withPrices {
		volumes, err := s.VolumePrices(ctx, region)
		if err != nil {
			return nil, fmt.Errorf("%w Use --no-prices to leave prices out", err)
		}
		hosts, err := s.MacHostPrices(ctx, region, catalog.Embedded().Macs())
		if err != nil {
			return nil, err
		}
		instances, err := s.InstancePrices(ctx, region)
		if err != nil {
			return nil, err
		}
		prices = map[string]catalog.Prices{region: {Volumes: optional.Known(volumes), MacHostHour: hosts, InstanceHour: instances}}
	}
	priceSource := catalog.Source{Name: "AWS Price List of " + region, AsOf: date, Confidence: "high: list price, from AWS itself"}
	return catalog.NewFile(region, source, types, priceSource, prices)
}

// leadsSomewhere refuses a link whose target is not there: it would be replaced by
// a file, and whoever made it meant the other place.
func leadsSomewhere(path string) error {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil //nolint:nilerr // what is not there is no link
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return errors.New("the file is a link that leads nowhere; remove it, or name the file itself")
	}
	return nil
}

// writeFile puts a file in its place in one step: whoever reads it finds the old
// one or the new one, never half of it, and a failure leaves the old one. A link
// stays a link, to the new content.
func writeFile(path string, content []byte) error {
	if err := leadsSomewhere(path); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temporary, err := beside(path, content, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		_ = os.Remove(temporary)
		return err
	}
	return nil
}
