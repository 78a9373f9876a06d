package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

var _ function.Function = (*checkGP3Function)(nil)

// NewCheckGP3Function is check_gp3.
func NewCheckGP3Function() function.Function { return &checkGP3Function{} }

type checkGP3Function struct{}

func (*checkGP3Function) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "check_gp3"
}

func (*checkGP3Function) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "What is wrong with a gp3 setting",
		MarkdownDescription: "Judges a gp3 setting, by itself and against an instance type, and returns the findings as a list of objects `{ rule, severity, path, message, fix }`, worst first. Made for a `precondition`: `length([for f in provider::runnerfit::check_gp3(…) : f if f.severity == \"error\"]) == 0`. Prices in fixes are those of `us-east-1`.",
		Parameters: []function.Parameter{
			function.NumberParameter{Name: "size_gib", AllowNullValue: true, MarkdownDescription: "Size in GiB; null if it is not known, which leaves rules about size out."},
			function.NumberParameter{Name: "iops", AllowNullValue: true, MarkdownDescription: "Provisioned IOPS; null for unset, which is 3,000."},
			function.NumberParameter{Name: "throughput_mib_per_s", AllowNullValue: true, MarkdownDescription: "Provisioned throughput in MiB/s; null for unset, which is 125."},
			function.StringParameter{Name: "instance_type", AllowNullValue: true, MarkdownDescription: "Instance type that the volume is attached to; null to judge the volume alone."},
		},
		Return: function.ListReturn{ElementType: findingType},
	}
}

func (*checkGP3Function) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var size, iops, throughput types.Number
	var typ types.String
	if resp.Error = req.Arguments.Get(ctx, &size, &iops, &throughput, &typ); resp.Error != nil {
		return
	}
	for i, v := range []types.Number{size, iops, throughput} {
		if !v.IsNull() {
			_, err := argument(int64(i), v, positiveIfSet)
			resp.Error = firstError(resp.Error, err)
		}
	}
	if !typ.IsNull() && typ.ValueString() == "" {
		resp.Error = firstError(resp.Error, function.NewArgumentFuncError(3, "must not be empty; to judge the volume alone, write null"))
	}
	if resp.Error != nil {
		return
	}
	j := ebs.Judge{Catalog: catalog.Embedded(), Limits: catalog.CurrentLimits, Region: catalog.DefaultRegion, Names: ebs.OurNames}
	instance, fs := j.Instance(optionalString(typ))
	fs = append(fs, j.Volume(ebs.Volume{
		SizeGiB:           optionalDecimal(size),
		IOPS:              optionalDecimal(iops),
		ThroughputMiBPerS: optionalDecimal(throughput),
	}, instance)...)
	resp.Error = resp.Result.Set(ctx, findingsValue(finding.Merge(fs)))
}
