package plan

import (
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// The guards of runnerfit's own provider. They judge themselves when Terraform
// plans; here they tell what a launch template does not, such as the images that
// a host pulls.
const (
	typeMacStorage      = "runnerfit_mac_host_storage"
	typeMacPool         = "runnerfit_mac_host_pool"
	typeInstanceStorage = "runnerfit_instance_storage"
)

// Guard is what all guards have.
type Guard struct {
	Object
	// Ignored are the rules that the guard does not report.
	Ignored []string
}

// MacStorage is a guard of a Mac host's volumes, with the settings as they are
// written, or filled in where a plan says so.
type MacStorage struct {
	Guard
	Storage mac.Storage
}

// MacPool is a guard of a pool of Mac hosts.
type MacPool struct {
	Guard
	Pool hostpool.Pool
	// Storage is the guard that the start-up comes from; nil if there is none.
	Storage *MacStorage
	// Passed are the members that come from Storage: "boot_to_ready_seconds".
	Passed map[string]bool

	from map[string]Value[string]
}

// InstanceStorage is a guard of an instance's volumes.
type InstanceStorage struct {
	Guard
	Storage ebs.InstanceStorage
}

func (b *builder) guard(o Object, r *resource) {
	g := Guard{Object: o, Ignored: r.body.attribute("ignore_rules").keys}
	switch r.Type {
	case typeMacStorage:
		s := &MacStorage{Guard: g, Storage: macStorage(o, r.body)}
		b.c.MacStorages = append(b.c.MacStorages, s)
		b.l.add(&s.Object, s)
	case typeMacPool:
		p := macPool(g, r.body)
		b.c.MacPools = append(b.c.MacPools, p)
		b.l.add(&p.Object, p)
	case typeInstanceStorage:
		s := &InstanceStorage{Guard: g, Storage: instanceStorage(r.body)}
		b.c.InstanceStorages = append(b.c.InstanceStorages, s)
		b.l.add(&s.Object, s)
	}
}

func macStorage(o Object, b *body) mac.Storage {
	s := mac.Storage{
		InstanceType: b.text("instance_type").Value, Region: o.Region,
		GracePeriodSeconds: b.number("grace_period_seconds").Value, LaunchSeconds: b.number("launch_seconds").Value,
		VMsPerHost: b.number("vms_per_host").Value,
		Root:       theBlock(b, "root", macVolume), VMData: theBlock(b, "vmdata", macVolume),
		Images: theBlock(b, "images", func(b *body) mac.StorageImages {
			return mac.StorageImages{Count: b.number("count").Value, SizeGiB: b.number("size_gib").Value}
		}),
	}
	s.Calibration = optional.Then(theBlock(b, "calibration", func(b *body) *body { return b }), calibration)
	return s
}

// theBlock is a block that there is one of at most.
func theBlock[T any](b *body, name string, read func(*body) T) optional.Value[T] {
	bodies, open := b.all(name)
	switch {
	case open:
		return optional.Unknown[T]()
	case len(bodies) == 0:
		return optional.Null[T]()
	case bodies[0].unknown:
		return optional.Unknown[T]()
	}
	return optional.Known(read(bodies[0]))
}

func macVolume(b *body) mac.StorageVolume {
	return mac.StorageVolume{
		Type: b.text("type").Value, SizeGiB: b.number("size_gib").Value, IOPS: b.number("iops").Value,
		ThroughputMiBPerS: b.number("throughput_mib_per_s").Value, FromSnapshot: b.boolean("from_snapshot").Value,
	}
}

// calibration is unknown while one of its constants is.
func calibration(b *body) optional.Value[mac.Calibration] {
	d := mac.DefaultCalibration
	of := func(name string, otherwise float64) optional.Value[float64] {
		return optional.Map(b.number(name).Or(decimal.NewFromFloat(otherwise)), decimal.Decimal.InexactFloat64)
	}
	boot := optional.Both(of("boot_fixed_seconds", d.BootFixedSeconds), of("boot_read_mib", d.BootReadMiB))
	rest := optional.Both(of("pipeline_mib_per_s", float64(d.PipelineMiBPerS)), of("ready_fixed_seconds", d.ReadyFixedSeconds))
	return optional.Map2(boot, rest, func(b, r optional.Pair[float64, float64]) mac.Calibration {
		return mac.Calibration{BootFixedSeconds: b.A, BootReadMiB: b.B, PipelineMiBPerS: units.MiBPerS(r.A), ReadyFixedSeconds: r.B}
	})
}

func macPool(g Guard, b *body) *MacPool {
	number := func(name string) optional.Value[decimal.Decimal] { return b.number(name).Value }
	p := &MacPool{Guard: g, Passed: map[string]bool{}, from: map[string]Value[string]{}, Pool: hostpool.Pool{
		InstanceType: b.text("instance_type").Value, Region: regionOr(g.Region),
		DesiredHosts: number("desired_hosts"), MaxHosts: number("max_hosts"),
		AutoReleaseHosts: b.boolean("auto_release_hosts").Value, AutoAllocateHosts: b.boolean("auto_allocate_hosts").Value,
		GracePeriodSeconds: number("grace_period_seconds"), BootToReadySeconds: number("boot_to_ready_seconds"), LaunchSeconds: number("launch_seconds"),
		FailedLaunchesPerDay: number("failed_launches_per_day"), FailedHostsReturn: b.boolean("failed_hosts_return").Value,
		RecycleMinutes: number("recycle_minutes"), ScrubMetered: b.boolean("scrub_metered").Value,
		AutoReleaseAfterHours: number("auto_release_after_hours"), ReleaseAfterHours: number("release_after_hours"),
		HostHourlyPriceUSD: number("host_hourly_price_usd"),
	}}
	for _, name := range []string{"instance_type", "grace_period_seconds", "boot_to_ready_seconds", "launch_seconds"} {
		p.from[name] = b.text(name)
	}
	return p
}

func regionOr(region string) optional.Value[string] {
	if region == "" {
		return optional.Null[string]()
	}
	return optional.Known(region)
}

func instanceStorage(b *body) ebs.InstanceStorage {
	s := ebs.InstanceStorage{InstanceType: b.text("instance_type").Value, Limits: b.text("limits").Value}
	if region, ok := b.text("region").Get(); ok && catalog.IsRegionName(region) {
		s.Region = optional.Known(region)
	}
	bodies, open := b.all("volume")
	if open {
		s.Volumes = optional.Unknown[[]ebs.InstanceVolume]()
		return s
	}
	volumes := make([]ebs.InstanceVolume, 0, len(bodies))
	for _, v := range bodies {
		volumes = append(volumes, ebs.InstanceVolume{
			Name: v.text("name").Value, Type: v.text("type").Value, SizeGiB: v.number("size_gib").Value, IOPS: v.number("iops").Value,
			ThroughputMiBPerS: v.number("throughput_mib_per_s").Value, CardIndex: v.number("ebs_card_index").Value,
		})
	}
	s.Volumes = optional.Known(volumes)
	return s
}

// linkGuards connects what takes values from a guard with it.
func (b *builder) linkGuards() {
	for _, m := range b.c.Machines {
		values := []Value[string]{m.InstanceType}
		for _, v := range m.Volumes {
			values = append(values, v.Type, refsOf(v.SizeGiB), refsOf(v.IOPS), refsOf(v.Throughput))
		}
		for _, v := range values {
			if s := found[*MacStorage](b.l, v, &m.Object, typeMacStorage); len(s) > 0 && m.Storage == nil {
				m.Storage = s[0]
			}
			if s := found[*InstanceStorage](b.l, v, &m.Object, typeInstanceStorage); len(s) > 0 && m.InstanceStorage == nil {
				m.InstanceStorage = s[0]
			}
		}
	}
	pool := func(o *Object, values ...Value[string]) *MacPool {
		for _, v := range values {
			if p := found[*MacPool](b.l, v, o, typeMacPool); len(p) > 0 {
				return p[0]
			}
		}
		return nil
	}
	for _, g := range b.c.Groups {
		g.Pool = pool(&g.Object, refsOf(g.Desired), refsOf(g.Max), refsOf(g.Min), refsOf(g.Grace))
	}
	for _, g := range b.c.HostGroups {
		for _, c := range g.Configuration {
			for _, p := range c.Parameters {
				if of := pool(&g.Object, refsOf(p.Values)); of != nil && g.Pool == nil {
					g.Pool = of
				}
			}
		}
	}
	for _, p := range b.c.MacPools {
		for name, v := range p.from {
			if s := found[*MacStorage](b.l, refsOf(v), &p.Object, typeMacStorage); len(s) > 0 {
				p.Storage, p.Passed[name] = s[0], true
			}
		}
	}
}

// refsOf is a value with nothing left of it but where it comes from.
func refsOf[T any](v Value[T]) Value[string] { return Value[string]{source: v.source} }
