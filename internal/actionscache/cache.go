// Package actionscache knows how long restoring an entry of the GitHub Actions
// cache takes from a cache server beside the runners, what bounds it (the link,
// the server, its instance, its volume), and how that compares with GitHub's
// hosted cache. Its rules judge the server; see rules.go.
//
// The server's figures are those that falcondev-oss/github-actions-cache-server
// publishes of itself, measured on one machine with 32 threads and NVMe: they
// are ceilings of the software, and a smaller machine reaches less.
package actionscache

import (
	"errors"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Implementation of the server.
type Implementation string

// The implementations: the rewrite, and the TypeScript one up to 9.9.
const (
	Rust Implementation = "rust"
	Node Implementation = "node"
)

// Implementations are all of them.
var Implementations = []Implementation{Rust, Node}

// Storage is where the server keeps entries.
type Storage string

// The kinds of storage.
const (
	Filesystem Storage = "filesystem"
	S3         Storage = "s3"
)

// Storages are all kinds.
var Storages = []Storage{Filesystem, S3}

// Database is where the server keeps its index.
type Database string

// The databases.
const (
	SQLite   Database = "sqlite"
	Postgres Database = "postgres"
	MySQL    Database = "mysql"
)

// Databases are all of them.
var Databases = []Database{SQLite, Postgres, MySQL}

// rates are how fast a server hands out an entry.
type rates struct {
	// First is the first download after an upload, Later one of the merged entry.
	First, Later units.MiBPerS
}

// measured are the rates that the project publishes. There is no figure for the
// Node server on S3, nor for later downloads from S3: the nearest one stands in.
var measured = map[Implementation]map[Storage]rates{
	Rust: {Filesystem: {First: 8060, Later: 2312}, S3: {First: 970, Later: 970}},
	Node: {Filesystem: {First: 368, Later: 829}, S3: {First: 368, Later: 829}},
}

// peakMemoryMiB is the most memory that each server took in the published
// measurement, which had entries of 128 MiB on a file system.
var peakMemoryMiB = map[Implementation]float64{Rust: 88.4, Node: 436}

// Defaults of a Cache.
var (
	// DefaultHostedMBPerS is what self-hosted runners were reported to get from
	// GitHub's hosted cache over the internet; a report and not a measurement.
	DefaultHostedMBPerS = decimal.NewFromInt(20)
	// DefaultRetentionDays is the server's own default for cleaning up.
	DefaultRetentionDays = decimal.NewFromInt(90)
)

// Cache is a cache and its server as somebody wrote them. Unknown members are
// waited for.
type Cache struct {
	// Region whose prices fixes name.
	Region string
	// EntryGiB is the size of one entry as it is downloaded, compressed.
	EntryGiB optional.Value[decimal.Decimal]
	// ParallelRestores share every limit; 1 if null.
	ParallelRestores optional.Value[decimal.Decimal]
	// LinkMbitPerS between runner and server; null if both are on one host.
	LinkMbitPerS optional.Value[decimal.Decimal]
	// Server is null for the default one: the Rust server on a file system, of whose
	// machine nothing is known.
	Server optional.Value[Server]
	// HostedMBPerS is what one restore from GitHub's hosted cache gets.
	HostedMBPerS optional.Value[decimal.Decimal]
	// FixedSeconds of each restore that no rate changes; 0 if null.
	FixedSeconds optional.Value[decimal.Decimal]
	// DailyUploadGiB and RetentionDays give the storage; no upload, no figure.
	DailyUploadGiB, RetentionDays optional.Value[decimal.Decimal]
}

// Server is a cache server.
type Server struct {
	InstanceType optional.Value[string]
	Volume       optional.Value[Volume]
	Storage      optional.Value[Storage]
	// ThroughputMiBPerS is what the server was measured to hand out; the published
	// rate of its kind if null.
	ThroughputMiBPerS optional.Value[decimal.Decimal]
	// MemoryMiB that the server may use; null if it is not to be judged.
	MemoryMiB      optional.Value[decimal.Decimal]
	Implementation optional.Value[Implementation]
	Database       optional.Value[Database]
	// Replicas of the server; 1 if null.
	Replicas optional.Value[decimal.Decimal]
}

// Volume is the EBS volume that a server keeps entries on.
type Volume struct {
	Type                             optional.Value[string]
	SizeGiB, IOPS, ThroughputMiBPerS optional.Value[decimal.Decimal]
}

// Bound names what bounds a restore.
type Bound string

// What can bound a restore, in the order in which equal limits win: the first
// is the one that is easiest to change.
const (
	BoundLink     Bound = "link"
	BoundServer   Bound = "server"
	BoundInstance Bound = "instance"
	BoundVolume   Bound = "volume"
)

// Limit is a limit that restores share.
type Limit struct {
	Name       Bound
	Throughput units.MiBPerS
}

// Result is what follows from a Cache. A null member does not apply; an unknown
// one waits for an input.
type Result struct {
	// RestoreSeconds of an entry that was downloaded before and is read from disk,
	// FirstRestoreSeconds of one that was just uploaded and is in memory.
	RestoreSeconds, FirstRestoreSeconds optional.Value[float64]
	BoundBy                             optional.Value[Bound]
	HostedSeconds                       optional.Value[float64]
	// Speedup is HostedSeconds over RestoreSeconds.
	Speedup optional.Value[float64]
	// Limits that are known, lowest first.
	Limits                   optional.Value[[]Limit]
	StorageGiB               optional.Value[decimal.Decimal]
	Findings                 []finding.Finding
	FindingsWaitForAnUnknown bool
}

// ErrNoLimit says that nothing bounds a restore, so that it has no time.
var ErrNoLimit = errors.New("at least one limit is needed: of link, server and volume, one must not be null")

// RestoreSeconds is the time to move an entry at the lowest of the limits that
// are known: a link in Mbit/s, a server and a volume in MiB/s, all positive. It
// returns ErrNoLimit if none is known.
func RestoreSeconds(sizeGiB decimal.Decimal, linkMbit, serverMiB, volumeMiB optional.Value[decimal.Decimal]) (decimal.Decimal, error) {
	// In Mbit, of which both a MiB and a GiB have an exact number.
	var slowest decimal.Decimal
	found := false
	for _, l := range []struct {
		rate optional.Value[decimal.Decimal]
		mbit decimal.Decimal
	}{{linkMbit, decimal.NewFromInt(1)}, {serverMiB, mbitPerMiB}, {volumeMiB, mbitPerMiB}} {
		if rate, ok := l.rate.Get(); ok {
			if mbit := rate.Mul(l.mbit); !found || mbit.LessThan(slowest) {
				slowest, found = mbit, true
			}
		}
	}
	if !found {
		return decimal.Zero, ErrNoLimit
	}
	return sizeGiB.Mul(decimal.NewFromInt(units.MiBPerGiB)).Mul(mbitPerMiB).DivRound(slowest, secondsDigits), nil
}

// mbitPerMiB is 8 x 2^20 bits in units of 10^6, exact.
var mbitPerMiB = decimal.New(8<<20, -6)

// secondsDigits is more than anybody measures, so that the function's result is
// as good as not rounded.
const secondsDigits = 30

// seconds to move a size at a rate.
func seconds(sizeGiB decimal.Decimal, rate units.MiBPerS) float64 {
	return sizeGiB.InexactFloat64() * units.MiBPerGiB / float64(rate)
}

// cache is a Cache in work, its defaults filled in.
type cache struct {
	Cache
	cat      *catalog.Catalog
	judge    ebs.Judge
	server   Server
	instance optional.Value[catalog.Instance]
	volume   optional.Value[ebs.Volume]
	rates    optional.Value[rates]
	// first and later are the limits of a first and of a later download.
	first, later optional.Value[[]Limit]
	result       Result
}

// Evaluate predicts a restore and applies the rules. It is for caches without
// Problems.
func Evaluate(cat *catalog.Catalog, in Cache) Result {
	c := &cache{
		Cache: in, cat: cat,
		judge: ebs.Judge{Catalog: cat, Limits: catalog.CurrentLimits, Region: in.Region, Names: ebs.OurNames},
	}
	c.ParallelRestores = in.ParallelRestores.Or(decimal.NewFromInt(1))
	c.HostedMBPerS = in.HostedMBPerS.Or(DefaultHostedMBPerS)
	c.FixedSeconds = in.FixedSeconds.Or(decimal.Zero)
	c.RetentionDays = in.RetentionDays.Or(DefaultRetentionDays)
	instanceFindings := c.readServer()
	c.predict()
	c.result.Findings = finding.Merge(append(instanceFindings, c.findings()...))
	c.result.FindingsWaitForAnUnknown = c.waits()
	return c.result
}

// readServer fills in what was left out of the server and looks its instance up.
// carrying are the IOPS of a volume: what was written, else the cheapest that
// carry the throughput of a gp3 volume, as far as its size allows.
func (c *cache) carrying(v Volume) optional.Value[decimal.Decimal] {
	if name, ok := v.Type.Or(ebs.TypeGP3).Get(); !ok || name != ebs.TypeGP3 || v.ThroughputMiBPerS.IsNull() {
		return v.IOPS
	}
	l := c.judge.Catalog.GP3(catalog.CurrentLimits)
	whole := func(d decimal.Decimal) int64 { return d.Ceil().IntPart() }
	return v.IOPS.OrElse(optional.Then(optional.Map(v.ThroughputMiBPerS, whole), func(t int64) optional.Value[decimal.Decimal] {
		return optional.Map(ebs.IOPSWithin(l, optional.Map(v.SizeGiB, whole), ebs.MinIOPS(l, t)), decimal.NewFromInt)
	}))
}

func (c *cache) readServer() []finding.Finding {
	unknown := c.Server.IsUnknown()
	c.server, _ = c.Server.Get()
	s := &c.server
	if unknown {
		*s = Server{
			InstanceType: optional.Unknown[string](), Volume: optional.Unknown[Volume](), Storage: optional.Unknown[Storage](),
			ThroughputMiBPerS: optional.Unknown[decimal.Decimal](), MemoryMiB: optional.Unknown[decimal.Decimal](),
			Implementation: optional.Unknown[Implementation](), Database: optional.Unknown[Database](), Replicas: optional.Unknown[decimal.Decimal](),
		}
	}
	s.Storage = s.Storage.Or(Filesystem)
	s.Implementation = s.Implementation.Or(Rust)
	s.Database = s.Database.Or(SQLite)
	s.Replicas = s.Replicas.Or(decimal.NewFromInt(1))
	c.rates = optional.Map2(s.Implementation, s.Storage, func(i Implementation, st Storage) rates { return measured[i][st] })
	if !s.ThroughputMiBPerS.IsNull() {
		c.rates = optional.Map(s.ThroughputMiBPerS, func(d decimal.Decimal) rates {
			r := units.MiBPerS(d.InexactFloat64())
			return rates{First: r, Later: r}
		})
	}
	c.volume = optional.Map(s.Volume, func(v Volume) ebs.Volume {
		// Entries are read in long runs, so IOPS beyond what the throughput needs do
		// nothing; the throughput is judged by the rules of this package.
		return ebs.Volume{Name: "server volume", Type: v.Type, SizeGiB: v.SizeGiB, IOPS: c.carrying(v), ThroughputMiBPerS: v.ThroughputMiBPerS, ThroughputJudged: true}
	})
	var fs []finding.Finding
	c.instance, fs = c.judge.Instance(s.InstanceType)
	return finding.Under("server", "", fs)
}

// onDisk is a limit that exists only where entries are on the server's own
// disks: null on S3.
func onDisk[T any](s optional.Value[Storage], v optional.Value[T]) optional.Value[T] {
	return optional.Then(s, func(s Storage) optional.Value[T] {
		if s != Filesystem {
			return optional.Null[T]()
		}
		return v
	})
}

// predict works out the restores as far as their inputs are known.
func (c *cache) predict() {
	link := optional.Map(c.LinkMbitPerS, func(d decimal.Decimal) units.MiBPerS { return units.MbitPerS(d.InexactFloat64()).MiB() })
	instance := onDisk(c.server.Storage, optional.Then(c.instance, func(i catalog.Instance) optional.Value[units.MiBPerS] {
		// What the instance sustains: restores come all day, and a burst is for half an
		// hour of it.
		return optional.Map(i.EBS, func(e catalog.EBSCeiling) units.MiBPerS { return e.Sustained.Throughput() })
	}))
	volume := onDisk(c.server.Storage, optional.Then(c.volume, func(v ebs.Volume) optional.Value[units.MiBPerS] {
		return optional.Then(v.Throughput(c.cat, catalog.CurrentLimits), func(t units.MiBPerS) optional.Value[units.MiBPerS] {
			if t <= 0 { // a provisioned type without IOPS, which a rule of volumes reports
				return optional.Null[units.MiBPerS]()
			}
			return optional.Known(t)
		})
	}))
	// An entry that was just uploaded is read from the server's memory.
	none := optional.Null[units.MiBPerS]()
	c.first = limits(link, optional.Map(c.rates, func(r rates) units.MiBPerS { return r.First }), none, none)
	c.later = limits(link, optional.Map(c.rates, func(r rates) units.MiBPerS { return r.Later }), instance, volume)

	r := &c.result
	r.Limits = c.later
	r.BoundBy = optional.Map(c.later, func(ls []Limit) Bound { return ls[0].Name })
	r.RestoreSeconds = c.seconds(c.later)
	r.FirstRestoreSeconds = c.seconds(c.first)
	r.HostedSeconds = optional.Map2(c.EntryGiB, optional.Both(c.HostedMBPerS, c.FixedSeconds), func(size decimal.Decimal, p optional.Pair[decimal.Decimal, decimal.Decimal]) float64 {
		return p.B.InexactFloat64() + seconds(size, units.MBPerS(p.A.InexactFloat64()).MiB())
	})
	r.Speedup = optional.Map2(r.HostedSeconds, r.RestoreSeconds, func(hosted, own float64) float64 { return hosted / own })
	r.StorageGiB = optional.Map2(c.DailyUploadGiB, c.RetentionDays, decimal.Decimal.Mul)
}

// seconds of each of the parallel restores, which share the lowest limit.
func (c *cache) seconds(ls optional.Value[[]Limit]) optional.Value[float64] {
	in := optional.Both(optional.Both(c.EntryGiB, c.ParallelRestores), optional.Both(c.FixedSeconds, ls))
	return optional.Map(in, func(p optional.Pair[optional.Pair[decimal.Decimal, decimal.Decimal], optional.Pair[decimal.Decimal, []Limit]]) float64 {
		return p.B.A.InexactFloat64() + seconds(p.A.A.Mul(p.A.B), p.B.B[0].Throughput)
	})
}

// limits collects the known ones, lowest first; it waits for unknown ones. The
// server's own rate is always among them.
func limits(link, server, instance, volume optional.Value[units.MiBPerS]) optional.Value[[]Limit] {
	var out []Limit
	for _, l := range []struct {
		name Bound
		rate optional.Value[units.MiBPerS]
	}{{BoundLink, link}, {BoundServer, server}, {BoundInstance, instance}, {BoundVolume, volume}} {
		rate, ok := l.rate.Get()
		switch {
		case ok:
			at := len(out)
			for at > 0 && out[at-1].Throughput > rate {
				at--
			}
			out = append(out[:at:at], append([]Limit{{Name: l.name, Throughput: rate}}, out[at:]...)...)
		case l.rate.IsUnknown():
			return optional.Unknown[[]Limit]()
		}
	}
	return optional.Known(out)
}

// waits says whether any input is unknown.
func (c *cache) waits() bool {
	for _, v := range []optional.Value[decimal.Decimal]{
		c.EntryGiB, c.ParallelRestores, c.LinkMbitPerS, c.HostedMBPerS, c.FixedSeconds, c.DailyUploadGiB, c.RetentionDays,
		c.server.ThroughputMiBPerS, c.server.MemoryMiB, c.server.Replicas,
	} {
		if v.IsUnknown() {
			return true
		}
	}
	v, _ := c.server.Volume.Get()
	return c.Server.IsUnknown() || c.server.InstanceType.IsUnknown() || c.server.Volume.IsUnknown() || c.server.Storage.IsUnknown() ||
		c.server.Implementation.IsUnknown() || c.server.Database.IsUnknown() ||
		v.Type.IsUnknown() || v.SizeGiB.IsUnknown() || v.IOPS.IsUnknown() || v.ThroughputMiBPerS.IsUnknown()
}
