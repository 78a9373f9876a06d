package awsstandin

import "strings"

// imageID and snapshotID are the image that every search finds.
const (
	imageID    = "ami-0123456789abcdef0"
	snapshotID = "snap-0123456789abcdef0"
)

// answerAMI finds an image that is as the filters want it.
func answerAMI(q query) map[string]any {
	name := strings.ReplaceAll(q.filter("name", "standin-ami"), "*", "0")
	return map[string]any{
		"id": imageID, "image_id": imageID, "arn": "arn:aws:ec2:" + q.region + "::image/" + imageID,
		"name": name, "description": name, "architecture": q.filter("architecture", "x86_64"),
		"image_location": "amazon/" + name, "image_owner_alias": "amazon", "owner_id": accountID, "public": true,
		"image_type": "machine", "state": "available", "hypervisor": "xen", "virtualization_type": "hvm",
		"boot_mode": "uefi", "imds_support": "v2.0", "ena_support": true,
		"platform": "", "platform_details": "Linux/UNIX", "usage_operation": "RunInstances", "kernel_id": "", "ramdisk_id": "",
		"creation_date": "2025-01-01T00:00:00.000Z", "deprecation_time": "2027-01-01T00:00:00.000Z",
		"root_device_name": "/dev/sda1", "root_device_type": "ebs", "root_snapshot_id": snapshotID,
		"block_device_mappings": []any{map[string]any{
			"device_name": "/dev/sda1", "no_device": "", "virtual_name": "",
			"ebs": map[string]any{
				"delete_on_termination": "true", "encrypted": "false", "iops": "3000", "throughput": "125",
				"snapshot_id": snapshotID, "volume_size": "60", "volume_type": "gp3",
			},
		}},
	}
}

// subnetIDs are the subnets of every VPC.
func subnetIDs() []string {
	return []string{"subnet-00000000000000001", "subnet-00000000000000002", "subnet-00000000000000003"}
}

func (q query) vpcID() string { return q.filter("vpc-id", "vpc-0123456789abcdef0") }

func answerVPC(q query) map[string]any {
	id := q.text("id", q.vpcID())
	return map[string]any{
		"id": id, "arn": q.arn("ec2", "vpc/"+id), "cidr_block": "10.0.0.0/16", "default": false, "state": "available",
		"instance_tenancy": "default", "enable_dns_support": true, "enable_dns_hostnames": true,
		"main_route_table_id": "rtb-0123456789abcdef0", "dhcp_options_id": "dopt-0123456789abcdef0", "owner_id": accountID,
	}
}

func answerSubnets(q query) map[string]any {
	return map[string]any{"id": q.region, "ids": subnetIDs()}
}

// answerSubnet spreads subnets over the zones by the last character of their id.
func answerSubnet(q query) map[string]any {
	id := q.text("id", q.filter("subnet-id", subnetIDs()[0]))
	zone := int(id[len(id)-1]) % len(zoneIDs())
	return map[string]any{
		"id": id, "arn": q.arn("ec2", "subnet/"+id), "vpc_id": q.vpcID(),
		"availability_zone": q.zones()[zone], "availability_zone_id": zoneIDs()[zone],
		"cidr_block": []string{"10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"}[zone],
		"state":      "available", "default_for_az": false, "available_ip_address_count": 251, "owner_id": accountID,
	}
}

// machine is what is told about an instance type.
type machine struct {
	architecture string
	vcpus        int
	memoryMiB    int
}

var macs = map[string]machine{
	"mac1.metal":         {"x86_64_mac", 12, 32_768},
	"mac2.metal":         {"arm64_mac", 8, 16_384},
	"mac2-m1ultra.metal": {"arm64_mac", 20, 131_072},
	"mac2-m2.metal":      {"arm64_mac", 8, 24_576},
	"mac2-m2pro.metal":   {"arm64_mac", 12, 32_768},
}

// answerInstanceType knows the Macs; every other type is the same machine.
func answerInstanceType(q query) map[string]any {
	name := q.text("instance_type", "")
	m, ok := macs[name]
	if !ok {
		m = machine{"x86_64", 2, 8_192}
	}
	bareMetal, hypervisor := strings.HasSuffix(name, ".metal"), "nitro"
	if bareMetal {
		hypervisor = ""
	}
	return map[string]any{
		"id": name, "bare_metal": bareMetal, "hypervisor": hypervisor, "supported_architectures": []string{m.architecture},
		"default_vcpus": m.vcpus, "default_cores": m.vcpus, "default_threads_per_core": 1, "memory_size": m.memoryMiB,
		"current_generation": true, "dedicated_hosts_supported": true, "ena_support": "required",
		"supported_root_device_types": []string{"ebs"}, "supported_usages_classes": []string{"on-demand"}, "supported_virtualization_types": []string{"hvm"},
		"ebs_optimized_support": "default", "ebs_encryption_support": "supported", "ebs_nvme_support": "required",
		"ebs_performance_baseline_bandwidth": 8_000, "ebs_performance_maximum_bandwidth": 8_000,
		"ebs_performance_baseline_iops": 55_000, "ebs_performance_maximum_iops": 55_000,
		"ebs_performance_baseline_throughput": 1_000, "ebs_performance_maximum_throughput": 1_000,
	}
}

// answerInstanceTypeOfferings offers everything that is asked for everywhere,
// as the API answers: one entry a pair of type and location.
func answerInstanceTypeOfferings(q query) map[string]any {
	wanted, where := q.filters["instance-type"], q.filters["location"]
	if len(wanted) == 0 {
		wanted = sortedKeys(macs)
	}
	kind := q.text("location_type", "region")
	if len(where) == 0 {
		switch kind {
		case "availability-zone":
			where = q.zones()
		case "availability-zone-id":
			where = zoneIDs()
		default:
			where = []string{q.region}
		}
	}
	types, locations, kinds := []string{}, []string{}, []string{}
	for _, t := range wanted {
		for _, l := range where {
			types, locations, kinds = append(types, t), append(locations, l), append(kinds, kind)
		}
	}
	return map[string]any{"id": q.region, "instance_types": types, "locations": locations, "location_types": kinds}
}

func answerEC2Host(q query) map[string]any {
	id := q.text("host_id", "h-0123456789abcdef0")
	return map[string]any{
		"id": id, "host_id": id, "arn": q.arn("ec2", "dedicated-host/"+id), "owner_id": accountID,
		"auto_placement": "on", "host_recovery": "off", "availability_zone": q.zones()[0],
		"instance_family": "mac2", "instance_type": "mac2.metal", "cores": 8, "sockets": 1, "total_vcpus": 8,
	}
}

func answerEBSVolumes(q query) map[string]any {
	return map[string]any{"id": q.region, "ids": []string{"vol-0123456789abcdef0", "vol-0123456789abcdef1"}}
}

func answerEBSSnapshot(q query) map[string]any {
	id := first(texts(q.obj["snapshot_ids"]), snapshotID)
	return map[string]any{
		"id": id, "snapshot_id": id, "arn": "arn:aws:ec2:" + q.region + "::snapshot/" + id, "owner_id": accountID,
		"volume_id": "vol-0123456789abcdef0", "volume_size": 60, "state": "completed", "storage_tier": "standard", "encrypted": false,
	}
}
