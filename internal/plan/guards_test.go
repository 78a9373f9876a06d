package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

const guardedFleet = `
variable "hosts" {
  default = 3
}

resource "runnerfit_mac_host_storage" "host" {
  instance_type        = "mac2-m2pro.metal"
  grace_period_seconds = 600
  region               = "eu-central-1"

  root {
    size_gib             = 100
    throughput_mib_per_s = 750
  }
  images {
    count    = 2
    size_gib = 75
  }
  calibration {
    boot_read_mib = 9000
  }
  ignore_rules = {
    "mac-root-size" = "grown"
  }
}

resource "runnerfit_mac_host_pool" "hosts" {
  instance_type         = runnerfit_mac_host_storage.host.instance_type
  desired_hosts         = var.hosts
  max_hosts             = 10
  auto_release_hosts    = false
  boot_to_ready_seconds = runnerfit_mac_host_storage.host.boot_to_ready_seconds
}

resource "runnerfit_instance_storage" "linux" {
  instance_type = "m8a.xlarge"
  volume {
    name     = "root"
    size_gib = 50
  }
  volume {
    name     = "data"
    size_gib = var.unknown
  }
}

resource "aws_launch_template" "mac" {
  instance_type = runnerfit_mac_host_storage.host.instance_type
}

resource "aws_launch_template" "linux" {
  instance_type = "m8a.xlarge"
  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      iops = runnerfit_instance_storage.linux.by_name["root"].iops
    }
  }
}

resource "aws_autoscaling_group" "mac" {
  min_size         = 0
  max_size         = 10
  desired_capacity = runnerfit_mac_host_pool.hosts.desired_hosts
  launch_template {
    id = aws_launch_template.mac.id
  }
}
`

// A guard is read with what it says, and joined with what takes values from it.
func TestGuards(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(guardedFleet), 0o644); err != nil {
		t.Fatal(err)
	}
	folders, err := ReadFolders(t.Context(), []string{dir}, Options{})
	if err != nil || len(folders.Roots) != 1 {
		t.Fatal(err, folders.Problems)
	}
	c := folders.Roots[0]
	if len(c.MacStorages) != 1 || len(c.MacPools) != 1 || len(c.InstanceStorages) != 1 || len(c.Machines) != 2 || len(c.Groups) != 1 {
		t.Fatalf("%+v", c)
	}
	storage, pool, instance := c.MacStorages[0], c.MacPools[0], c.InstanceStorages[0]

	s := storage.Storage
	images, _ := s.Images.Get()
	count, _ := images.Count.Get()
	cal, _ := s.Calibration.Get()
	root, _ := s.Root.Get()
	rate, _ := root.ThroughputMiBPerS.Get()
	if !s.VMData.IsNull() || count.IntPart() != 2 || rate.IntPart() != 750 || !root.IOPS.IsNull() || s.Region != "eu-central-1" {
		t.Errorf("%+v", s)
	}
	if cal.BootReadMiB != 9000 || cal.BootFixedSeconds != 20.6 {
		t.Errorf("the constants are %+v", cal)
	}
	if d := cmp.Diff([]string{"mac-root-size"}, storage.Ignored); d != "" {
		t.Error(d)
	}

	hosts, _ := pool.Pool.DesiredHosts.Get()
	if !hosts.Equal(decimal.NewFromInt(3)) || pool.Pool.AutoReleaseHosts != optional.Known(false) || !pool.Pool.BootToReadySeconds.IsUnknown() || !pool.Pool.LaunchSeconds.IsNull() {
		t.Errorf("%+v", pool.Pool)
	}
	if d := cmp.Diff(map[string]bool{"instance_type": true, "boot_to_ready_seconds": true}, pool.Passed); d != "" || pool.Storage != storage {
		t.Errorf("what comes from the other guard: %s", d)
	}

	volumes, _ := instance.Storage.Volumes.Get()
	if len(volumes) != 2 || !volumes[1].SizeGiB.IsUnknown() || !volumes[0].IOPS.IsNull() {
		t.Errorf("%+v", volumes)
	}

	for _, m := range c.Machines {
		wantStorage, wantInstance := storage, (*InstanceStorage)(nil)
		if m.Address == "aws_launch_template.linux" {
			wantStorage, wantInstance = nil, instance
		}
		if m.Storage != wantStorage || m.InstanceStorage != wantInstance {
			t.Errorf("%s has other guards", m.Address)
		}
	}
	if c.Groups[0].Pool != pool {
		t.Error("the group is not joined with its pool")
	}
	if !c.Machines[0].InstanceType.Guarded && !c.Machines[1].InstanceType.Guarded {
		t.Error("no value counts as guarded")
	}
}

// The rules that a guard ignores are those of the plan, whose reasons are not
// looked at.
func TestGuardsOfPlans(t *testing.T) {
	const text = `{"format_version":"1.2","resource_changes":[{"address":"runnerfit_mac_host_storage.host","mode":"managed",
		"type":"runnerfit_mac_host_storage","name":"host","change":{"actions":["create"],"before":null,"after":{
		"instance_type":"mac2-m2pro.metal","ignore_rules":{"mac-root-size":"grown","mac-vmdata-iops":"measured"},
		"root":{"size_gib":100,"throughput_mib_per_s":750}},"after_unknown":{"ignore_rules":{},"root":{"iops":true}},"after_sensitive":{}}}]}`
	d, err := ReadJSON(strings.NewReader(text), "plan.json")
	if err != nil || len(d.Configuration.MacStorages) != 1 {
		t.Fatal(err, d)
	}
	s := d.Configuration.MacStorages[0]
	if d := cmp.Diff([]string{"mac-root-size", "mac-vmdata-iops"}, s.Ignored); d != "" {
		t.Errorf("ignored (-want +got):\n%s", d)
	}
	root, _ := s.Storage.Root.Get()
	if rate, _ := root.ThroughputMiBPerS.Get(); rate.IntPart() != 750 {
		t.Errorf("the root is %+v", root)
	}
}
