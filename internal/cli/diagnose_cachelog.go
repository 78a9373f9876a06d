package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cachelog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

func (a *app) diagnoseCacheLogCommand() *cobra.Command {
	var format string
	var link, volume float64
	var backend string
	c := &cobra.Command{
		Use:   "cache-log [FILE|-]",
		Short: "Say from the log of actions/cache how fast an entry moved, and why",
		Long: `Reads the log of a step that restores or saves a cache, raw or copied from the
page, and says of each entry its size, its seconds, its MB/s and MiB/s, and what
bounds it given the link. Keys and paths are not shown.

Whether GitHub's own cache or a server of yours answered is in the log only where
it was made with debug logging, or where the workflow sets ACTIONS_RESULTS_URL.
Elsewhere --cache says so.`,
		Example: "  runnerfit diagnose cache-log step.log --link-mbit-per-s 1000",
		Args:    takes(0, 1, "one log, or reads standard input"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(checkFormat(format), notNegative("--link-mbit-per-s", link), notNegative("--volume-mib-per-s", volume), checkBackend(backend)); err != nil {
				return err
			}
			in, name, closeInput, err := a.input(c.Context(), args)
			if err != nil {
				return err
			}
			defer closeInput()
			log, err := cachelog.Parse(in)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			setting := cachelog.Setting{Link: units.MbitPerS(link), Volume: units.MiBPerS(volume), Backend: cachelog.Backend(backend)}
			if format == formatJSON {
				return printJSON(a.stdout, cacheLogJSON(log, setting))
			}
			return log.Text(a.stdout, setting)
		},
	}
	c.Flags().Float64Var(&link, "link-mbit-per-s", 0, "link between runner and cache, in Mbit/s")
	c.Flags().Float64Var(&volume, "volume-mib-per-s", 0, "volume of the cache server, in MiB/s")
	c.Flags().StringVar(&backend, "cache", "", "whose cache it is, github or own (default: what the log tells)")
	formatFlag(c, &format)
	return c
}

func checkBackend(s string) error {
	switch cachelog.Backend(s) {
	case cachelog.BackendUnknown, cachelog.GitHub, cachelog.OwnServer:
		return nil
	}
	return fmt.Errorf("--cache: must be %s or %s", cachelog.GitHub, cachelog.OwnServer)
}

// cacheLogReport is a log as JSON.
type cacheLogReport struct {
	SchemaVersion int `json:"schema_version"`
	// Cache is whose cache it was, null if that is not known.
	Cache     *string         `json:"cache"`
	Transfers []cacheTransfer `json:"transfers"`
	Misses    int             `json:"misses"`
}

// cacheTransfer is a transfer as JSON.
type cacheTransfer struct {
	Direction      string   `json:"direction"`
	Bytes          int64    `json:"bytes"`
	MovedBytes     int64    `json:"moved_bytes"`
	Complete       bool     `json:"complete"`
	Seconds        *float64 `json:"seconds"`
	MBPerS         *float64 `json:"mb_per_s"`
	MiBPerS        *float64 `json:"mib_per_s"`
	StalledSeconds float64  `json:"stalled_seconds"`
	UnpackSeconds  *float64 `json:"unpack_seconds"`
	LinkSeconds    *float64 `json:"seconds_at_link_rate"`
	BoundBy        string   `json:"bound_by"`
	Means          string   `json:"means"`
	ToDo           string   `json:"todo"`
}

func cacheLogJSON(log *cachelog.Log, setting cachelog.Setting) cacheLogReport {
	setting = setting.With(log)
	var backend *string
	if setting.Backend != cachelog.BackendUnknown {
		b := string(setting.Backend)
		backend = &b
	}
	transfers := make([]cacheTransfer, 0, len(log.Transfers))
	for _, t := range log.Transfers {
		v := cachelog.Judge(t, setting)
		j := cacheTransfer{
			Direction: string(t.Direction), Bytes: t.Bytes, MovedBytes: t.Moved, Complete: t.Complete,
			Seconds: maybe(t.Seconds), StalledSeconds: t.StalledSeconds, UnpackSeconds: maybe(t.UnpackSeconds),
			LinkSeconds: maybe(cachelog.AtLink(t, setting.Link)), BoundBy: v.BoundBy, Means: v.Means, ToDo: v.ToDo,
		}
		if rate, ok := t.Rate().Get(); ok {
			mb, mib := float64(rate.MB()), float64(rate)
			j.MBPerS, j.MiBPerS = &mb, &mib
		}
		transfers = append(transfers, j)
	}
	return cacheLogReport{SchemaVersion: 1, Cache: backend, Transfers: transfers, Misses: log.Misses}
}
