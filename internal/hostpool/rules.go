package hostpool

import (
	"embed"
	"fmt"
	"math/big"
	"time"

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

// The rules of a pool of hosts that can be judged from its inputs. Each has a
// page of the same name under rules/.
var (
	RuleAutoRelease    = rule("host-auto-release", "Additional Mac hosts are paid for until released by hand", finding.Warning, finding.Info)
	RuleFailureLoop    = rule("host-failure-loop", "Every Mac launch fails and takes another host", finding.Error)
	RulePoolExhaustion = rule("host-pool-exhaustion", "Failed launches use up the pool of Mac hosts", finding.Error, finding.Warning, finding.Info)
	RuleQuota          = rule("host-quota", "More Mac hosts are desired than the quota allows", finding.Error)
	RulePriceUnknown   = rule("host-price-unknown", "Price of the Mac host is not known", finding.Info)
)

// Rules are the rules of this package.
func Rules() []finding.Rule {
	return []finding.Rule{RuleAutoRelease, RuleFailureLoop, RulePoolExhaustion, RuleQuota, RulePriceUnknown}
}

// Pools that fill within a day cannot do what they were written for; within a
// week somebody still has time to look.
const (
	errorWithin   = 24 * time.Hour
	warningWithin = 7 * 24 * time.Hour
)

// readyMargin is the part of the allowed time that should be left over, as the
// storage guard has it.
var readyMargin = decimal.New(2, -1)

// findings applies every rule whose inputs are known.
func findings(cat *catalog.Catalog, p Pool, known optional.Value[plan], hostMonth optional.Value[decimal.Decimal]) []finding.Finding {
	var fs []finding.Finding
	fs = append(fs, UnknownType(cat, p.InstanceType)...)
	fs = append(fs, quota(p, hostMonth)...)
	fs = append(fs, priceUnknown(p, hostMonth)...)
	if pl, ok := known.Get(); ok && !hostMonth.IsUnknown() {
		j := judge{plan: pl, hostMonth: hostMonth}
		fs = append(fs, j.failureLoop()...)
		fs = append(fs, j.poolExhaustion()...)
		fs = append(fs, j.autoRelease()...)
	}
	return finding.Merge(fs)
}

// quota: hosts above the quota are never allocated.
func quota(p Pool, hostMonth optional.Value[decimal.Decimal]) []finding.Finding {
	d, haveDesired := p.DesiredHosts.Get()
	m, haveMax := p.MaxHosts.Get()
	if !haveDesired || !haveMax || !d.GreaterThan(m) {
		return nil
	}
	above := d.Sub(m).IntPart()
	price := ""
	if usd, ok := hostMonth.Get(); ok {
		price = fmt.Sprintf(" (+%s a month)", units.USD(usd.Mul(d.Sub(m))))
	}
	return []finding.Finding{RuleQuota.New(finding.Error, "desired_hosts",
		fmt.Sprintf("%s desired, but the quota (max_hosts) is %s: AWS refuses to allocate %s.", are(d.IntPart()), units.Decimal(m), theOther(above)),
		fmt.Sprintf("Write desired_hosts = %s, or ask AWS for a quota of %s and write max_hosts = %s%s.", m, units.Decimal(d), d, price))}
}

// UnknownType says that a Mac type is not in the table: it may be a newer one, or
// a slip of the pen.
func UnknownType(cat *catalog.Catalog, typ optional.Value[string]) []finding.Finding {
	name, ok := typ.Get()
	if _, listed := cat.Instance(name); !ok || listed {
		return nil
	}
	return []finding.Finding{ebs.UnknownInstance(cat, name, "instance_type", "nothing is known of its hosts but what is written here")}
}

// priceUnknown: without a price all amounts are null, and that has to be said.
func priceUnknown(p Pool, hostMonth optional.Value[decimal.Decimal]) []finding.Finding {
	typ, ok := p.InstanceType.Get()
	if !hostMonth.IsNull() || !ok {
		return nil
	}
	host, example := "this host", "mac2-m2pro.metal"
	if catalog.IsTypeName(typ) {
		host, example = "a "+typ+" host", typ
	}
	where := ""
	if region, _ := p.Region.Or(catalog.DefaultRegion).Get(); catalog.IsRegionName(region) {
		where = " in " + region
	}
	return []finding.Finding{RulePriceUnknown.New(finding.Info, "host_hourly_price_usd",
		fmt.Sprintf("No public price of %s%s is in the catalogue, so all amounts are null; numbers of hosts and hours do not depend on it.", host, where),
		fmt.Sprintf("Write host_hourly_price_usd, or mac_host_hour_usd = { %q = … } in the provider's prices block, in US dollars.", example))}
}

// judge is a plan in the hands of the rules.
type judge struct {
	plan
	hostMonth optional.Value[decimal.Decimal] // null if there is no price
}

// spare is how many hosts may be allocated beyond the desired ones.
func (j judge) spare() int64 { return j.limit() - j.desired }

// failureLoop: ready above the allowed time.
func (j judge) failureLoop() []finding.Finding {
	if !j.loop {
		return nil
	}
	boot, _ := j.BootToReadySeconds.Get()
	parts := ""
	if launch := j.ready.Sub(boot); launch.IsPositive() {
		parts = fmt.Sprintf(" (%s s of launching and %s s from boot)", seconds(launch), seconds(boot))
	}
	message := fmt.Sprintf("An instance is ready after %s s%s, but is allowed %s s: every launch fails and is replaced before any runner starts.", seconds(j.ready), parts, seconds(j.allowed))
	cycle := between(j.cycle[0], j.cycle[1])
	scrub := "do not come back"
	if j.returns {
		scrub = "scrub for " + span(j.recycle)
	}
	switch {
	case j.desired == 0:
	case !j.grows:
		message += fmt.Sprintf(" Each of the %s fails every time, %s after it was taken, and is then out of use%s.", hostsNoun(j.desired), cycle, scrubbing(j.plan))
	default:
		message += fmt.Sprintf(" Each of the %s takes another host every %s, while the failed ones %s: up to %s failed launches a day. %s",
			slots(j.desired), cycle, scrub, units.Count(j.loopPerDay()), j.loopEnd())
	}
	enough := j.ready.DivRound(decimal.NewFromInt(1).Sub(readyMargin), 6).Ceil()
	fix := fmt.Sprintf("Write grace_period_seconds = %s (a quarter more than is needed), or make the instance ready sooner: runnerfit_mac_host_storage says which volume holds it up.", enough)
	if usd, ok := j.hostMonth.Get(); ok && j.grows {
		day := usd.Mul(decimal.NewFromInt(int64(j.rules.MinimumAllocationHours))).Div(decimal.NewFromInt(units.HoursPerMonth))
		fix += fmt.Sprintf(" Each host that the loop takes costs %s at least.", units.USD(day))
	}
	return []finding.Finding{RuleFailureLoop.New(finding.Error, "grace_period_seconds", message, fix)}
}

// loopPerDay is the most failed launches a day that the loop amounts to.
func (j judge) loopPerDay() int64 {
	day := nanoseconds(24 * time.Hour)
	perSlot := day.Quo(day, nanoseconds(j.cycle[0]))
	return floor(perSlot.Mul(perSlot, new(big.Rat).SetInt64(j.desired))).Int64()
}

// loopEnd says where the loop leads to, with AWS's shortest and longest launch.
func (j judge) loopEnd() string {
	slow, differs := j.slow.Get()
	if !differs {
		slow = j.outcome
	}
	atShortest, atLongest := "", ""
	if differs {
		atShortest = fmt.Sprintf(" when launches take %d minutes", j.rules.LaunchMinutesMin)
		atLongest = fmt.Sprintf("; when they take %d, %s are in use at a time", j.rules.LaunchMinutesMax, units.Count(slow.peak))
	}
	switch {
	case j.exhausted && slow.exhausted && j.full.Sign() == 0:
		return fmt.Sprintf("All %s are in use from the start, and the first replacement finds none after %s.", hostsNoun(j.max), between(toDuration(j.short), toDuration(slow.short)))
	case j.exhausted && slow.exhausted:
		return fmt.Sprintf("All %s are in use after %s.", hostsNoun(j.max), between(toDuration(j.full), toDuration(slow.full)))
	case j.exhausted:
		return fmt.Sprintf("All %s are in use after %s%s%s.", hostsNoun(j.max), span(toDuration(j.full)), atShortest, atLongest)
	case differs && slow.peak != j.peak:
		return fmt.Sprintf("It settles at %s to %s hosts in use.", units.Count(slow.peak), units.Count(j.peak))
	}
	return fmt.Sprintf("It settles at %s in use.", hostsNoun(j.peak))
}

// poolExhaustion: the pool fills within a day or a week. A failure loop has a
// rule of its own, and hosts above the quota, too.
func (j judge) poolExhaustion() []finding.Finding {
	if j.loop || !j.exhausts() || j.desired > j.limit() {
		return nil
	}
	perDay, _ := j.perDay.Get()
	full, short := toDuration(j.full), toDuration(j.short)
	within := full
	if j.spare() == 0 {
		within = short // nothing fills up; what happens is that the first launch finds no host
	}
	severity := finding.Info
	switch {
	case within < errorWithin:
		severity = finding.Error
	case within <= warningWithin:
		severity = finding.Warning
	}
	failures := fmt.Sprintf("At %s a day", failedLaunches(perDay))
	if j.returns {
		failures += fmt.Sprintf(", each of which keeps its host scrubbing for %s,", span(j.recycle))
	} else {
		failures += ", whose hosts do not come back,"
	}
	message := fmt.Sprintf("%s all %s are in use after %s, and a launch finds none after %s.", failures, hostsNoun(j.limit()), span(full), span(short))
	if j.spare() == 0 {
		message = fmt.Sprintf("No host is spare. %s the first replacement finds none, after %s.", failures, span(short))
	}
	var fix string
	switch {
	case !j.returns:
		fix = fmt.Sprintf("Find out why hosts do not come back, and have the failed ones released or replaced; a higher max_hosts only buys %s a host.", span(toDuration(j.period)))
	default:
		if carried := j.carriedPerDay(); carried > 0 {
			message += fmt.Sprintf(" %s enough for up to %s failed launches a day.", areSpare(j.spare()), units.Count(carried))
		}
		fix = "Find out why launches fail."
		if n := j.hostsToCarry(); n <= mostHosts {
			more := n - j.max
			price := ""
			if usd, ok := j.hostMonth.Get(); ok {
				price = fmt.Sprintf(" (up to +%s a month)", units.USD(usd.Mul(decimal.NewFromInt(more))))
			}
			fix += fmt.Sprintf(" Until that is known, ask AWS for a quota of %s and write max_hosts = %d%s.", hostsNoun(n), n, price)
		}
	}
	return []finding.Finding{RulePoolExhaustion.New(severity, "max_hosts", message, fix)}
}

// carriedPerDay is the most whole failures a day that do not use the pool up.
func (j judge) carriedPerDay() int64 {
	perSpare := nanoseconds(24 * time.Hour)
	perSpare.Quo(perSpare, nanoseconds(j.recycle))
	return ceil(perSpare.Mul(perSpare, new(big.Rat).SetInt64(j.spare()))).Int64() - 1
}

// hostsToCarry is the least max_hosts that the failures do not use up.
func (j judge) hostsToCarry() int64 {
	scrubs := new(big.Rat).Quo(nanoseconds(j.recycle), j.period)
	return j.desired + floor(scrubs).Int64() + 1
}

// autoRelease: additional hosts are allocated by themselves and go by hand.
func (j judge) autoRelease() []finding.Finding {
	release, _ := j.AutoReleaseHosts.Get()
	if release || !j.grows || j.spare() <= 0 {
		return nil
	}
	byHand := ""
	if j.hold != keptForever {
		byHand = fmt.Sprintf(" after %s", span(j.hold))
	}
	fixed := j.process
	fixed.hold = j.heldFor(j.autoReleaseAge())
	const kept = " Where hosts are kept on purpose, because they are hard to get, ignore the rule with that as the reason."
	if j.still() {
		severity, known := finding.Warning, " How often launches fail is not known (failed_launches_per_day)."
		if !j.perDay.IsNull() {
			severity, known = finding.Info, ""
		}
		cost := ""
		if usd, ok := j.hostMonth.Get(); ok {
			cost = fmt.Sprintf(" at %s a month each", units.USD(usd))
		}
		return []finding.Finding{RuleAutoRelease.New(severity, "auto_release_hosts",
			fmt.Sprintf("A launch that finds no free host allocates one, and hosts stay until somebody releases them by hand%s,%s.%s", byHand, cost, known),
			"Write auto_release_hosts = true, so that hosts are given back when they are free and old enough."+kept)}
	}
	added := j.peak - j.desired
	message := fmt.Sprintf("%s are in use at the peak and stay allocated: %s", j.peakCause(), plural(added, "extra host", "extra hosts"))
	usd, priced := j.hostMonth.Get()
	perMonth := ""
	if priced {
		perMonth = fmt.Sprintf(", %s a month", units.USD(exposure(j.extra, usd)))
	}
	if j.hold != keptForever {
		message += fmt.Sprintf(" until released by hand%s, %s on average%s.", byHand, units.Number(ratio(j.extra)), perMonth)
	} else {
		message += perMonth + " until released by hand."
	}
	then := fixed.settle()
	fix := fmt.Sprintf("Write auto_release_hosts = true, so that hosts are given back when they are free and %s old", span(fixed.hold))
	f := RuleAutoRelease.New(finding.Warning, "auto_release_hosts", message, "")
	switch saves := then.extra.Cmp(j.extra) < 0; {
	case saves && priced:
		saving := exposure(j.extra, usd).Sub(exposure(then.extra, usd))
		fix += fmt.Sprintf(": %s a month.", units.SignedUSD(saving.Neg()))
		f.MonthlySavingUSD = decimal.NewNullDecimal(saving)
	case saves:
		fix += "."
	default:
		fix += "; that helps once the failures stop, for until then none is free that long."
	}
	f.Fix = fix + kept
	return []finding.Finding{f}
}

// autoReleaseAge is the age at which the group would give a host back.
func (j judge) autoReleaseAge() decimal.Decimal {
	d, _ := j.AutoReleaseAfterHours.Or(decimal.Zero).Get()
	return d
}

// peakCause begins a sentence about the most hosts in use.
func (j judge) peakCause() string {
	perDay, _ := j.perDay.Get()
	switch {
	case j.loop:
		return fmt.Sprintf("While every launch fails, %s", hostsNoun(j.peak))
	case !j.returns:
		return fmt.Sprintf("At %s a day whose hosts do not come back, %s", failedLaunches(perDay), hostsNoun(j.peak))
	}
	return fmt.Sprintf("At %s a day and a scrub of %s, %s", failedLaunches(perDay), span(j.recycle), hostsNoun(j.peak))
}

// Words.

func plural(n int64, one, many string) string {
	if n == 1 {
		return units.Count(n) + " " + one
	}
	return units.Count(n) + " " + many
}

func hostsNoun(n int64) string { return plural(n, "host", "hosts") }
func slots(n int64) string     { return plural(n, "desired slot", "desired slots") }

func are(n int64) string { return plural(n, "host is", "hosts are") }

func areSpare(n int64) string { return plural(n, "spare host is", "spare hosts are") }

func theOther(n int64) string {
	if n == 1 {
		return "the last one"
	}
	return "the other " + units.Count(n)
}

func failedLaunches(perDay decimal.Decimal) string {
	if perDay.Equal(decimal.NewFromInt(1)) {
		return "1 failed launch"
	}
	return units.Decimal(perDay.Round(rateDigits)) + " failed launches"
}

func scrubbing(pl plan) string {
	if !pl.returns {
		return " for good"
	}
	return " for the " + span(pl.recycle) + " of its scrub"
}

// seconds prints a number of seconds to two decimals at most.
func seconds(d decimal.Decimal) string { return units.Decimal(d.Round(2)) }

// span prints a time in the unit that reads best.
func span(d time.Duration) string {
	n, unit := inUnit(d, unitOf(d))
	return n + " " + unit
}

// between prints a range of times, or the one time if they are the same.
func between(a, b time.Duration) string {
	u := unitOf(b)
	from, _ := inUnit(a, u)
	to, unit := inUnit(b, u)
	if from == to {
		return to + " " + unit
	}
	return from + " to " + to + " " + unit
}

// unitOf is the unit to print a time in: seconds below two minutes, minutes up
// to ten hours, then hours.
func unitOf(d time.Duration) time.Duration {
	switch {
	case d < 2*time.Minute:
		return time.Second
	case d < 10*time.Hour:
		return time.Minute
	}
	return time.Hour
}

func inUnit(d, u time.Duration) (n, unit string) {
	v := d.Round(u / 10)
	n = units.Number(float64(v) / float64(u))
	unit = map[time.Duration]string{time.Second: "second", time.Minute: "minute", time.Hour: "hour"}[u]
	if n != "1" {
		unit += "s"
	}
	return n, unit
}

func toDuration(ns *big.Rat) time.Duration { return time.Duration(floor(ns).Int64()) }

func ratio(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
