package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var _ function.Function = (*checkInstanceStorageFunction)(nil)

// NewCheckInstanceStorageFunction is check_instance_storage.
func NewCheckInstanceStorageFunction() function.Function { return &checkInstanceStorageFunction{} }

type checkInstanceStorageFunction struct{}

func (*checkInstanceStorageFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "check_instance_storage"
}

func (*checkInstanceStorageFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "What is wrong with an instance's volumes",
		MarkdownDescription: "Judges the EBS volumes of an EC2 instance, each by itself and all together, with the rules and severities of the guard `runnerfit_instance_storage`, and returns the findings as a list of objects `{ rule, severity, path, message, fix }`, worst first. For places where a guard cannot stand: a `precondition`, a variable's `validation`, a test.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "storage", MarkdownDescription: "Object with the members of the guard: `{ instance_type, region, limits, volume = [{ name, type, size_gib, iops, throughput_mib_per_s, ebs_card_index }, …], ignore_rules, on_error }`. Any may be null or left out, but there must be a volume; a member of another name is an error."},
		},
		Return: function.ListReturn{ElementType: findingType},
	}
}

func (*checkInstanceStorageFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var arg types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &arg); resp.Error != nil {
		return
	}
	r := &members{}
	o := r.object(arg.UnderlyingValue(), "the object", "instance_type", "region", "limits", "volume", "ignore_rules", "on_error")
	s := ebs.InstanceStorage{
		InstanceType: r.text(o["instance_type"], "instance_type"),
		Region:       r.region(o["region"]),
		Limits:       r.text(o["limits"], "limits"),
		Volumes:      optional.Known(r.instanceVolumes(o["volume"])),
	}
	cat := catalog.Embedded()
	resp.Error = r.answer(ctx, resp, o, s.Problems(), func() []finding.Finding { return ebs.EvaluateInstanceStorage(cat, s).Findings })
}

func (r *members) instanceVolumes(v attr.Value) []ebs.InstanceVolume {
	elements := r.list(v, "volume")
	out := make([]ebs.InstanceVolume, len(elements))
	for i, e := range elements {
		where := fmt.Sprintf("volume[%d]", i)
		o := r.object(e, where, "name", "type", "size_gib", "iops", "throughput_mib_per_s", "ebs_card_index")
		out[i] = ebs.InstanceVolume{
			Name:              r.text(o["name"], where+".name"),
			Type:              r.text(o["type"], where+".type"),
			SizeGiB:           r.number(o["size_gib"], where+".size_gib"),
			IOPS:              r.number(o["iops"], where+".iops"),
			ThroughputMiBPerS: r.number(o["throughput_mib_per_s"], where+".throughput_mib_per_s"),
			CardIndex:         r.number(o["ebs_card_index"], where+".ebs_card_index"),
		}
	}
	return out
}

// list reads a list or tuple; nil if it is null or left out.
func (r *members) list(v attr.Value, where string) []attr.Value {
	switch l := scalar(v).(type) {
	case nil:
		return nil
	case types.List:
		return l.Elements()
	case types.Tuple:
		return l.Elements()
	}
	r.fault("%s must be a list", where)
	return nil
}
