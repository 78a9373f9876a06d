package plan

import (
	"strings"
	"sync"
)

// schema is what is read of a block. Nothing else of it is, so that no reader
// has to be told what is secret.
type schema struct {
	attributes map[string]struct{}
	blocks     map[string]*schema
}

// reads makes a schema from the names of attributes.
func reads(attributes string, blocks ...nested) *schema {
	s := &schema{attributes: map[string]struct{}{}, blocks: map[string]*schema{}}
	for a := range strings.FieldsSeq(attributes) {
		s.attributes[a] = struct{}{}
	}
	for _, b := range blocks {
		s.blocks[b.name] = b.schema
	}
	return s
}

// nested is a block within a block.
type nested struct {
	name   string
	schema *schema
}

func block(name, attributes string, blocks ...nested) nested {
	return nested{name, reads(attributes, blocks...)}
}

const machineAttributes = "id arn name region instance_type availability_zone tenancy host_id host_resource_group_arn "

// schemas are what is read of the resources. They are made when a plan is read,
// which most starts of the program do not.
var schemas = sync.OnceValue(func() map[string]*schema {
	// Where the same block appears in several resources.
	rootBlock := block("root_block_device", "volume_type volume_size iops throughput volume_id")
	dataBlock := block("ebs_block_device", "device_name volume_type volume_size iops throughput snapshot_id no_device volume_id")
	useOfTemplate := block("launch_template", "id name version")
	specification := block("launch_template_specification", "id name launch_template_id launch_template_name version")
	return map[string]*schema{
		"aws_instance":              reads(machineAttributes, rootBlock, dataBlock, useOfTemplate),
		"aws_spot_instance_request": reads(machineAttributes, rootBlock, dataBlock, useOfTemplate),
		"aws_launch_configuration":  reads("id arn name region instance_type placement_tenancy", rootBlock, dataBlock),
		"aws_launch_template": reads("id arn name region instance_type",
			block("block_device_mappings", "device_name no_device virtual_name",
				block("ebs", "volume_type volume_size iops throughput snapshot_id")),
			block("placement", "availability_zone tenancy host_id host_resource_group_arn"),
			block("license_specification", "license_configuration_arn"),
			block("instance_requirements", "allowed_instance_types"),
		),
		"aws_autoscaling_group": reads("id arn name region min_size max_size desired_capacity health_check_grace_period availability_zones launch_configuration",
			useOfTemplate,
			block("mixed_instances_policy", "",
				block("launch_template", "",
					block("launch_template_specification", "launch_template_id launch_template_name version"),
					block("override", "instance_type",
						block("launch_template_specification", "launch_template_id launch_template_name version"),
						block("instance_requirements", "allowed_instance_types")))),
			block("instance_refresh", "strategy", block("preferences", "min_healthy_percentage max_healthy_percentage")),
			block("initial_lifecycle_hook", "name lifecycle_transition heartbeat_timeout"),
		),
		"aws_autoscaling_lifecycle_hook": reads("region autoscaling_group_name lifecycle_transition heartbeat_timeout"),
		"aws_autoscaling_policy": reads("region autoscaling_group_name policy_type adjustment_type scaling_adjustment enabled",
			block("step_adjustment", "scaling_adjustment"),
			block("target_tracking_configuration", "disable_scale_in"),
			block("predictive_scaling_configuration", "mode"),
		),
		"aws_autoscaling_schedule": reads("region autoscaling_group_name min_size max_size desired_capacity"),
		"aws_ec2_fleet": reads("id arn region",
			block("launch_template_config", "", specification,
				block("override", "instance_type", block("instance_requirements", "allowed_instance_types")))),
		"aws_spot_fleet_request": reads("id region",
			block("launch_specification", "instance_type", rootBlock, dataBlock),
			block("launch_template_config", "", specification,
				block("overrides", "instance_type", block("instance_requirements", "allowed_instance_types")))),
		"aws_eks_node_group":                       reads("id arn region instance_types", useOfTemplate),
		"aws_ebs_volume":                           reads("id arn region availability_zone size type iops throughput snapshot_id"),
		"aws_volume_attachment":                    reads("region volume_id instance_id device_name"),
		"aws_ec2_host":                             reads("id arn region instance_type instance_family availability_zone auto_placement"),
		"aws_ec2_instance_state":                   reads("region instance_id state"),
		"aws_resourcegroups_group":                 reads("id arn name region", block("configuration", "type", block("parameters", "name values")), block("resource_query", "type")),
		"aws_resourcegroups_resource":              reads("region group_arn resource_arn"),
		"aws_licensemanager_license_configuration": reads("id arn name region license_counting_type license_count license_count_hard_limit"),
		"aws_licensemanager_association":           reads("region license_configuration_arn resource_arn"),
		// What a guard works out is read to see whether it is known yet.
		typeMacStorage: reads("instance_type region grace_period_seconds launch_seconds vms_per_host ignore_rules instance_throughput_mib_per_s",
			block("root", guardedVolume), block("vmdata", guardedVolume), block("images", "count size_gib"),
			block("calibration", "boot_fixed_seconds boot_read_mib pipeline_mib_per_s ready_fixed_seconds")),
		typeMacPool: reads("instance_type region desired_hosts max_hosts auto_release_hosts auto_allocate_hosts grace_period_seconds boot_to_ready_seconds launch_seconds " +
			"failed_launches_per_day failed_hosts_return recycle_minutes scrub_metered auto_release_after_hours release_after_hours host_hourly_price_usd ignore_rules"),
		typeInstanceStorage: reads("instance_type region limits ignore_rules by_name", block("volume", "name ebs_card_index "+guardedVolume)),
	}
})

const guardedVolume = "type size_gib iops throughput_mib_per_s from_snapshot"

// nameAttributes are what objects are referred to by without a reference.
var nameAttributes = []string{"id", "arn", "name"}
