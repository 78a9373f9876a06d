package awsstandin

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const (
	launchTemplate = "aws_launch_template"
	ebsVolume      = "aws_ebs_volume"
)

// unversioned are the attributes of a launch template that are not part of a
// version of it.
var unversioned = map[string]bool{
	"name": true, "name_prefix": true, "description": true, "tags": true, "tags_all": true,
	"default_version": true, "update_default_version": true, "latest_version": true,
}

// planTemplateVersion makes a new version out of any change to what is versioned.
func planTemplateVersion(obj, old object) {
	for name, v := range obj {
		if unversioned[name] || v.Equal(old[name]) {
			continue
		}
		obj["latest_version"] = unknown(tftypes.Number)
		if isTrue(obj["update_default_version"]) {
			obj["default_version"] = unknown(tftypes.Number)
		}
		return
	}
}

// checkPlan is what the real provider refuses while planning, without asking
// AWS, about volumes.
func (o *objectType) checkPlan(create bool, config tftypes.Value) []*tfprotov5.Diagnostic {
	obj := fields(config)
	if o.name != ebsVolume || !create || obj == nil || !obj["type"].IsKnown() {
		return nil
	}
	volumeType, iops := text(obj["type"]), obj["iops"]
	provisioned := volumeType == "io1" || volumeType == "io2"
	switch {
	case iops.IsKnown() && provisioned && number(iops) == 0:
		return refuse(nil, fmt.Sprintf("'iops' must be set when 'type' is '%s'", volumeType), "")
	case iops.IsKnown() && !provisioned && volumeType != "gp3" && number(iops) != 0:
		return refuse(nil, fmt.Sprintf("'iops' must not be set when 'type' is '%s'", volumeType), "")
	case number(obj["throughput"]) > 0 && volumeType != "gp3":
		return refuse(nil, fmt.Sprintf("'throughput' must not be set when 'type' is '%s'", volumeType), "")
	case !obj["volume_initialization_rate"].IsNull() && obj["snapshot_id"].IsKnown() && obj["snapshot_id"].IsNull():
		return refuse(nil, "'volume_initialization_rate' must not be set unless 'snapshot_id' is set", "")
	}
	return nil
}
