package actionscache

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

//go:embed rules/*.md
var pages embed.FS

func rule(id, summary string, severities ...finding.Severity) finding.Rule {
	return finding.Rule{ID: id, Summary: summary, Severities: severities, Pages: pages}
}

// The rules of cache servers. Each has a page of the same name under rules/.
var (
	RuleMemory         = rule("cache-memory", "Cache server has too little memory", finding.Error, finding.Warning, finding.Info)
	RuleVolumeBound    = rule("cache-volume-bound", "Cache restores are bound by the server's volume", finding.Warning)
	RuleInstanceBound  = rule("cache-instance-bound", "Cache restores are bound by the server's instance", finding.Warning)
	RuleServerBound    = rule("cache-server-bound", "Cache restores are bound by the cache server", finding.Warning, finding.Info)
	RuleLinkBound      = rule("cache-link-bound", "Cache restores are bound by the link", finding.Warning, finding.Info)
	RuleSQLiteReplicas = rule("cache-sqlite-replicas", "Cache server with SQLite has several replicas", finding.Error)
	RuleStorageSize    = rule("cache-storage-size", "Cache server's volume is too small for its retention", finding.Warning)
)

// Rules are the rules of this package.
func Rules() []finding.Rule {
	return []finding.Rule{
		RuleMemory, RuleVolumeBound, RuleInstanceBound, RuleServerBound, RuleLinkBound, RuleSQLiteReplicas, RuleStorageSize,
	}
}

// findings applies every rule whose inputs are known.
func (c *cache) findings() []finding.Finding {
	var fs []finding.Finding
	fs = append(fs, c.sqliteReplicas()...)
	fs = append(fs, c.memory()...)
	fs = append(fs, c.bound()...)
	fs = append(fs, c.storageSize()...)
	if v, ok := c.volume.Get(); ok {
		volume := c.judge.Volume(v, c.instance)
		for i := range volume {
			volume[i].Subject = ""
		}
		fs = append(fs, finding.Under("server.volume", "", volume)...)
	}
	return fs
}

// sqliteReplicas: the server refuses to start.
func (c *cache) sqliteReplicas() []finding.Finding {
	db, dbKnown := c.server.Database.Get()
	n, nKnown := c.server.Replicas.Get()
	if !dbKnown || !nKnown || db != SQLite || !n.GreaterThan(decimal.NewFromInt(1)) {
		return nil
	}
	return []finding.Finding{RuleSQLiteReplicas.New(finding.Error, "server.replicas",
		fmt.Sprintf("%s replicas are planned with SQLite, which is a file that one process writes. The server refuses that.", units.Decimal(n)),
		`Write database = "postgres" or "mysql" (DB_DRIVER of the server), or replicas = 1.`)}
}

// memory: the Node server on S3 was seen to need as much memory as the entries
// it handles, and to die of less; 2 GB for an entry of 2 GB, and out of memory
// at 640 MiB (falcondev-oss/github-actions-cache-server 182). Nobody has a sure
// figure, so enough is only advice.
func (c *cache) memory() []finding.Finding {
	implementation, iKnown := c.server.Implementation.Get()
	storage, sKnown := c.server.Storage.Get()
	if !iKnown || !sKnown || c.server.MemoryMiB.IsUnknown() {
		return nil
	}
	have, given := c.server.MemoryMiB.Get()
	const path = "server.memory_mib"
	if implementation == Node && storage == S3 {
		in, ok := optional.Both(c.EntryGiB, c.ParallelRestores).Get()
		if !ok {
			return nil
		}
		inFlight := in.A.Mul(in.B).Mul(decimal.NewFromInt(units.MiBPerGiB)).Ceil()
		entries := "one entry"
		if in.B.GreaterThan(decimal.NewFromInt(1)) {
			entries = units.Decimal(in.B) + " entries at a time"
		}
		what := fmt.Sprintf("The Node server's memory grows with the entries that it passes from S3: %s of %s GiB take at least %s MiB", entries, units.Number(in.A.InexactFloat64()), units.Decimal(inFlight))
		const other = `write implementation = "rust" (a release after 9.9), whose memory does not grow`
		switch {
		case !given:
			return []finding.Finding{RuleMemory.New(finding.Warning, "server.implementation",
				what+". How much it may use is not written.", fmt.Sprintf("Allow it %s MiB or more and write that as memory_mib, or %s.", inFlight, other))}
		case have.LessThan(inFlight):
			return []finding.Finding{RuleMemory.New(finding.Error, path,
				what+fmt.Sprintf(", and it has %s. It is killed in the middle of a transfer.", units.Decimal(have)),
				fmt.Sprintf("Write memory_mib = %s or more, or %s.", inFlight, other))}
		}
		return []finding.Finding{RuleMemory.New(finding.Info, path,
			what+". That is a report and no sure figure.", fmt.Sprintf("Watch its memory, or %s.", other))}
	}
	if peak := peakMemoryMiB[implementation]; given && have.LessThan(decimal.NewFromFloat(peak)) {
		return []finding.Finding{RuleMemory.New(finding.Warning, path,
			fmt.Sprintf("The server has %s MiB of memory; under load it was measured to take %s MiB.", units.Decimal(have), units.Number(peak)),
			fmt.Sprintf("Write memory_mib = %s or more.", decimal.NewFromFloat(peak).Ceil()))}
	}
	return nil
}

// bound says what bounds a restore and what changing it would buy.
func (c *cache) bound() []finding.Finding {
	ls, ok := c.later.Get()
	if !ok {
		return nil
	}
	switch lowest := ls[0]; lowest.Name {
	case BoundLink:
		return c.linkBound(lowest, ls[1:])
	case BoundServer:
		return c.serverBound(lowest, ls[1:])
	case BoundInstance:
		return c.instanceBound(lowest, ls[1:])
	case BoundVolume:
		return c.volumeBound(lowest, ls[1:])
	}
	return nil
}

// linkBound is how it should be, unless GitHub's own cache is faster.
func (c *cache) linkBound(lowest Limit, others []Limit) []finding.Finding {
	own, ok := c.result.RestoreSeconds.Get()
	hosted, hostedKnown := c.result.HostedSeconds.Get()
	if !ok || !hostedKnown {
		return nil
	}
	link := fmt.Sprintf("The link carries %s = %s; the next limit, the %s, is %s", lowest.Throughput.Mbit(), lowest.Throughput, others[0].Name, others[0].Throughput)
	if own > hosted {
		return []finding.Finding{RuleLinkBound.New(finding.Warning, "link_mbit_per_s",
			fmt.Sprintf("%s. A restore takes %s s, longer than the %s s from GitHub's hosted cache.", link, units.Number(own), units.Number(hosted)),
			"Put the server on the runners' side of the link, or stay with the hosted cache.")}
	}
	return []finding.Finding{RuleLinkBound.New(finding.Info, "link_mbit_per_s",
		link+".", fmt.Sprintf("Nothing but a faster link makes restores faster, up to %s.", others[0].Throughput.Mbit()))}
}

// serverBound: the software is the limit. With its published rate and nothing
// else known that says nothing against the server.
func (c *cache) serverBound(lowest Limit, others []Limit) []finding.Finding {
	path := "server.throughput_mib_per_s"
	source := "was measured to hand out"
	if c.server.ThroughputMiBPerS.IsNull() {
		path, source = "server", "is published to hand out at most"
	}
	if c.Server.IsNull() {
		path = ""
	}
	says := []string{fmt.Sprintf("The server %s %s = %s.", source, lowest.Throughput, lowest.Throughput.MB())}
	if len(others) == 0 {
		return []finding.Finding{RuleServerBound.New(finding.Info, path,
			says[0]+" No other limit is known.", "Write link_mbit_per_s and the server's volume, if there are any between it and the runners.")}
	}
	for _, l := range others {
		says = append(says, fmt.Sprintf("The %s carries %s, of which %s %% are used.", l.Name, l.Throughput, units.Number(float64(lowest.Throughput)/float64(l.Throughput)*100)))
	}
	fix := "Replace or scale the server; nothing else makes restores faster."
	switch i, _ := c.server.Implementation.Get(); {
	case i == Node:
		fix = `Write implementation = "rust" (a release after 9.9); nothing else makes restores faster.`
	case c.server.Storage == optional.Known(S3):
		fix = "Let runners download from the bucket themselves (ENABLE_DIRECT_DOWNLOADS), so that the server is not in the way."
	case !c.server.ThroughputMiBPerS.IsNull():
		fix = fmt.Sprintf("Look at the server's CPU, or keep entries on S3 and let runners download from the bucket (ENABLE_DIRECT_DOWNLOADS): its software was published to hand out %s.", measured[Rust][Filesystem].Later)
	}
	return []finding.Finding{RuleServerBound.New(finding.Warning, path, strings.Join(says, " ")+" A faster one of them changes nothing.", fix)}
}

// volumeBound: reads from disk are bound by the volume, and gp3 is cheap to speed up.
func (c *cache) volumeBound(lowest Limit, others []Limit) []finding.Finding {
	v, _ := c.volume.Get()
	next := others[0]
	message := fmt.Sprintf("An entry that is not in the server's memory is read from its volume at %s; the next limit, the %s, is %s.", lowest.Throughput, next.Name, next.Throughput)
	const path = "server.volume.throughput_mib_per_s"
	l := c.cat.GP3(catalog.CurrentLimits)
	s, isGP3 := v.Settings(l).Get()
	if !isGP3 {
		return []finding.Finding{RuleVolumeBound.New(finding.Warning, "server.volume.type", message,
			fmt.Sprintf("Write type = \"gp3\" and throughput_mib_per_s = %d, or what the cache is worth to you.", min(l.ThroughputMiB.Max, ceil(next.Throughput))))}
	}
	to := ebs.GP3{ThroughputMiBPerS: min(l.ThroughputMiB.Max, ceil(next.Throughput))}
	if gib, ok := v.WholeSize().Get(); ok {
		to.ThroughputMiBPerS = min(to.ThroughputMiBPerS, ebs.MaxThroughput(l, ebs.MaxIOPS(l, gib)))
	}
	to.IOPS = max(s.IOPS, ebs.MinIOPS(l, to.ThroughputMiBPerS))
	if to.ThroughputMiBPerS <= s.ThroughputMiBPerS {
		return []finding.Finding{RuleVolumeBound.New(finding.Warning, path, message, "This is the most that a gp3 volume of this size has; keep entries on S3, or on several volumes.")}
	}
	fix := fmt.Sprintf("Write %s (%s)", c.judge.Set(s, to), c.judge.Change(s, to))
	// The knee of the price: up to what the free IOPS carry, throughput costs less.
	if free := ebs.MaxThroughput(l, s.IOPS); s.ThroughputMiBPerS < free && free < to.ThroughputMiBPerS {
		half := ebs.GP3{IOPS: s.IOPS, ThroughputMiBPerS: free}
		fix += fmt.Sprintf(", or %s (%s), which needs no more IOPS", c.judge.Set(s, half), c.judge.Change(s, half))
	}
	return []finding.Finding{RuleVolumeBound.New(finding.Warning, path, message, fix+".")}
}

// instanceBound: the instance sustains less than the volume, the server or the
// link. It may burst to more, but restores come all day.
func (c *cache) instanceBound(lowest Limit, others []Limit) []finding.Finding {
	i, _ := c.instance.Get()
	ceiling, _ := i.EBS.Get()
	message := fmt.Sprintf("%s sustains %s to its volumes", i.Type, lowest.Throughput)
	if ceiling.CanBurst() {
		message += fmt.Sprintf(" (in bursts %s, for at least 30 minutes in 24 hours)", ceiling.Maximum.Throughput())
	}
	next := others[0]
	message += fmt.Sprintf("; the next limit, the %s, is %s.", next.Name, next.Throughput)
	fix := "Choose an instance type that sustains more; memory helps, too, because entries that it still holds are not read from disk."
	if typ, price, ok := c.cheapestSustaining(i, next.Throughput); ok {
		fix = fmt.Sprintf("Write instance_type = %q, the cheapest of the table of %s that sustains that ($%s an hour in %s). Memory helps, too: entries that it still holds are not read from disk.",
			typ, c.cat.InstanceSource().AsOf, price, c.Region)
	}
	return []finding.Finding{RuleInstanceBound.New(finding.Warning, "server.instance_type", message, fix)}
}

// cheapestSustaining is the cheapest current type of the same architecture, with
// as much memory, that sustains a rate.
func (c *cache) cheapestSustaining(like catalog.Instance, rate units.MiBPerS) (typ string, usdPerHour decimal.Decimal, found bool) {
	for i := range c.cat.Instances() {
		e, ok := i.EBS.Get()
		if !ok || e.Sustained.Throughput() < rate || !i.CurrentGen || i.BareMetal || i.MemoryMiB < like.MemoryMiB ||
			!slices.Equal(i.Architectures, like.Architectures) {
			continue
		}
		if p, ok := c.cat.InstancePrice(c.Region, i.Type); ok && (!found || p.USDPerHour.LessThan(usdPerHour)) {
			typ, usdPerHour, found = i.Type, p.USDPerHour, true
		}
	}
	return typ, usdPerHour, found
}

// storageSize: what is uploaded until it is cleaned up does not fit.
func (c *cache) storageSize() []finding.Finding {
	need, ok := c.result.StorageGiB.Get()
	v, hasVolume := c.volume.Get()
	storage, _ := c.server.Storage.Get()
	if !ok || !hasVolume || storage != Filesystem {
		return nil
	}
	gib, sizeKnown := v.WholeSize().Get()
	daily, _ := c.DailyUploadGiB.Get()
	days, _ := c.RetentionDays.Get()
	if !sizeKnown || !need.GreaterThan(decimal.NewFromInt(gib)) {
		return nil
	}
	full := decimal.NewFromInt(gib).DivRound(daily, 1)
	return []finding.Finding{RuleStorageSize.New(finding.Warning, "server.volume.size_gib",
		fmt.Sprintf("%s GiB a day kept for %s days are %s GiB; a volume of %s GiB is full after %s days.",
			units.Decimal(daily), units.Decimal(days), units.Decimal(need), units.Count(gib), units.Decimal(full)),
		fmt.Sprintf("Write size_gib = %s, or retention_days = %s (CACHE_CLEANUP_OLDER_THAN_DAYS of the server).", need.Ceil(), decimal.Max(decimal.NewFromInt(1), full.Floor())))}
}

func ceil(r units.MiBPerS) int64 {
	n := int64(r)
	if units.MiBPerS(n) < r {
		n++
	}
	return n
}
