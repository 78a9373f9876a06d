package machosts_test

import (
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/machosts"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestEvaluate(t *testing.T) {
	ago := func(hours float64) time.Time { return now.Add(-time.Duration(hours * float64(time.Hour))) }
	for name, tc := range map[string]struct {
		host                  machosts.Host
		releasable, scrubbing bool
		idle                  float64
		atMost                bool
		cost, least           string
	}{
		"new and empty": {
			host: machosts.Host{State: "available", Allocated: ago(2)}, idle: 2, atMost: true, cost: "3.12", least: "37.44",
		},
		"a second before it may go": {
			host: machosts.Host{State: "available", Allocated: ago(24).Add(time.Second)}, idle: 24 - 1.0/3600, atMost: true, cost: "37.44", least: "37.44",
		},
		"from now on": {
			host: machosts.Host{State: "available", Allocated: ago(24)}, releasable: true, idle: 24, atMost: true, cost: "37.44", least: "37.44",
		},
		"in use": {
			host: machosts.Host{State: "available", Allocated: ago(100), InstanceIDs: []string{"i-1"}}, cost: "156.00", least: "156.00",
		},
		"idle since its instance ended": {
			host: machosts.Host{State: "available", Allocated: ago(100), LastUsed: ago(0.5)}, releasable: true, idle: 0.5, cost: "156.00", least: "156.00",
		},
		"scrubbing": {
			host: machosts.Host{State: "pending", Allocated: ago(30), LastUsed: ago(1)}, scrubbing: true, idle: 1, cost: "46.80", least: "46.80",
		},
		"released": {
			host: machosts.Host{State: "released", Allocated: ago(100), Released: ago(70)}, cost: "46.80", least: "46.80",
		},
		"allocated by a clock that is ahead": {
			host: machosts.Host{State: "available", Allocated: ago(-1)}, atMost: true, cost: "0.00", least: "37.44",
		},
		"impaired": {
			host: machosts.Host{State: "permanent-failure", Allocated: ago(48)}, idle: 48, atMost: true, cost: "74.88", least: "74.88",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.host.Type = "mac2-m2pro.metal"
			rs, _ := machosts.Evaluate(catalog.Embedded(), "us-east-1", now, []machosts.Host{tc.host})
			r := rs[0]
			if r.Releasable != tc.releasable || r.Scrubbing != tc.scrubbing || r.IdleHours != optional.Known(tc.idle) || r.IdleAtMost != tc.atMost {
				t.Errorf("releasable %v, scrubbing %v, idle %v (at most: %v)", r.Releasable, r.Scrubbing, r.IdleHours, r.IdleAtMost)
			}
			if at, ok := r.ReleasableAt.Get(); !ok || !at.Equal(tc.host.Allocated.Add(24*time.Hour)) {
				t.Errorf("releasable at %v", r.ReleasableAt)
			}
			cost, _ := r.CostUSD.Get()
			least, _ := r.LeastUSD.Get()
			if cost.StringFixed(2) != tc.cost || least.StringFixed(2) != tc.least {
				t.Errorf("costs %s, at least %s", cost.StringFixed(2), least.StringFixed(2))
			}
		})
	}
}

// Without its allocation, what counts from there is not known, and never an age
// of two thousand years.
func TestNoAllocation(t *testing.T) {
	hosts := []machosts.Host{
		{Type: "mac2.metal", State: "available"},
		{Type: "mac2.metal", State: "available", InstanceIDs: []string{"i-1"}},
		{Type: "mac2.metal", State: "available", LastUsed: now.Add(-time.Hour)},
	}
	rs, totals := machosts.Evaluate(catalog.Embedded(), "us-east-1", now, hosts)
	for i, r := range rs {
		if r.AgeHours.IsKnown() || r.ReleasableAt.IsKnown() || r.CostUSD.IsKnown() || r.LeastUSD.IsKnown() || r.Releasable || r.IdleAtMost || !r.HourUSD.IsKnown() {
			t.Errorf("host %d: %+v", i, r)
		}
	}
	if rs[0].IdleHours.IsKnown() || rs[1].IdleHours != optional.Known(0.0) || rs[2].IdleHours != optional.Known(1.0) {
		t.Errorf("idle %v, %v, %v", rs[0].IdleHours, rs[1].IdleHours, rs[2].IdleHours)
	}
	if totals.Hosts != 3 || totals.Idle != 2 || totals.Releasable != 0 || totals.CostUSD.IsKnown() || !totals.HourUSD.IsKnown() {
		t.Errorf("totals %+v", totals)
	}
}

func TestTotals(t *testing.T) {
	hosts := []machosts.Host{
		{Type: "mac2.metal", State: "available", Allocated: now.Add(-100 * time.Hour)},
		{Type: "mac2.metal", State: "available", Allocated: now.Add(-time.Hour), InstanceIDs: []string{"i-1"}},
		{Type: "mac2.metal", State: "pending", Allocated: now.Add(-30 * time.Hour)},
		{Type: "mac2.metal", State: "released", Allocated: now.Add(-300 * time.Hour), Released: now.Add(-time.Hour)},
	}
	_, got := machosts.Evaluate(catalog.Embedded(), "us-east-1", now, hosts)
	hour, _ := got.HourUSD.Get()
	cost, _ := got.CostUSD.Get()
	if got.Hosts != 3 || got.Idle != 1 || got.Scrubbing != 1 || got.Releasable != 1 || hour.String() != "1.95" || cost.String() != "85.15" {
		t.Errorf("totals %+v, %s an hour, %s", got, hour, cost)
	}
	hosts = append(hosts, machosts.Host{Type: "mac9.metal", State: "available", Allocated: now})
	if _, got := machosts.Evaluate(catalog.Embedded(), "us-east-1", now, hosts); got.CostUSD.IsKnown() || got.HourUSD.IsKnown() {
		t.Error("a sum without one of its prices is told as one")
	}
}
