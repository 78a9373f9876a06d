package usage

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Text writes the report for people.
func (r Report) Text(w io.Writer, id string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s GiB %s", id, units.Count(r.Volume.SizeGiB), r.Volume.Type)
	if v, ok := r.LimitIOPS.Get(); ok {
		fmt.Fprintf(&b, ", %s IOPS", units.Number(v))
	}
	if v, ok := r.LimitMiBPerS.Get(); ok {
		fmt.Fprintf(&b, ", %s MiB/s", units.Number(v))
	}
	if r.Volume.InstanceType != "" {
		fmt.Fprintf(&b, ", on %s", r.Volume.InstanceType)
	}
	fmt.Fprintf(&b, "\n%s from %s UTC, %s with figures; rates are averages of a minute\n", span(r.Minutes), r.Start.UTC().Format("2006-01-02 15:04"), minutesOf(int64(r.MinutesWithData)))
	chosen := "p" + units.Number(r.Options.Percentile)
	extra := !slices.Contains([]string{"p50", "p95", "p99"}, chosen)
	row := func(name string, p Percentiles) {
		fmt.Fprintf(&b, "  %-12s %10s %10s %10s", name, units.Number(p.P50), units.Number(p.P95), units.Number(p.P99))
		if extra {
			fmt.Fprintf(&b, " %10s", units.Number(p.Chosen))
		}
		fmt.Fprintf(&b, " %10s\n", units.Number(p.Max))
	}
	rows := func(title string, of optional.Value[Rates]) {
		rates, ok := of.Get()
		if !ok {
			return
		}
		fmt.Fprintf(&b, "\n  %-12s %10s %10s %10s", title, "p50", "p95", "p99")
		if extra {
			fmt.Fprintf(&b, " %10s", chosen)
		}
		fmt.Fprintf(&b, " %10s\n", "max")
		row("read", rates.Read)
		row("write", rates.Write)
		row("together", rates.Total)
	}
	rows("IOPS", r.IOPS)
	rows("MiB/s", r.MiBPerS)
	b.WriteByte('\n')
	for _, l := range summary(r) {
		fmt.Fprintln(&b, l)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summary is what the report comes to, in sentences.
func summary(r Report) []string {
	var out []string
	if n, ok := r.ThrottledMinutes.Get(); ok {
		by, _ := r.ThrottledBy.Get()
		what := map[string]string{ByIOPS: " (IOPS)", ByThroughput: " (throughput)", ByBoth: " (IOPS and throughput)"}[by]
		out = append(out, fmt.Sprintf("At the volume's limit: %s%s.", minutesOf(n), what))
	}
	if s, ok := r.Recommended.Get(); ok {
		out = append(out, fmt.Sprintf("Recommended for p%s and %s %% head-room: %s.", units.Number(r.Options.Percentile), units.Number(r.Options.HeadroomPercent), setting(s)))
		if usd, ok := r.SavingUSD.Get(); ok {
			switch {
			case usd.IsNegative():
				out = append(out, fmt.Sprintf("It costs %s more a month.", units.USD(usd.Neg())))
			case usd.IsZero():
				out = append(out, "It costs the same.")
			default:
				out = append(out, fmt.Sprintf("It saves %s a month.", units.USD(usd)))
			}
		} else {
			out = append(out, "What it saves is not known: there is no price.")
		}
	}
	for _, n := range r.Notes {
		out = append(out, "Note: "+strings.TrimSuffix(n, ".")+".")
	}
	return out
}

func setting(s ebs.GP3) string {
	return fmt.Sprintf("iops = %d, throughput_mib_per_s = %d", s.IOPS, s.ThroughputMiBPerS)
}
