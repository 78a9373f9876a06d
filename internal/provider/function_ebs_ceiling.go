package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var _ function.Function = (*ebsCeilingFunction)(nil)

// NewEBSCeilingFunction is ebs_ceiling.
func NewEBSCeilingFunction() function.Function { return &ebsCeilingFunction{} }

type ebsCeilingFunction struct{}

func (*ebsCeilingFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "ebs_ceiling"
}

func (*ebsCeilingFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "EBS ceiling of an instance type",
		MarkdownDescription: "What an EC2 instance type can move to and from all its EBS volumes together, sustained and at most, in Mbit/s, MB/s and MiB/s, from the embedded table. A type that is not in the table is no error: `known` is false and the rest is null.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "instance_type", MarkdownDescription: "EC2 instance type, such as `mac2-m2pro.metal`."},
		},
		Return: function.ObjectReturn{AttributeTypes: ceilingType},
	}
}

func (*ebsCeilingFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var typ types.String
	if resp.Error = req.Arguments.Get(ctx, &typ); resp.Error != nil {
		return
	}
	if typ.ValueString() == "" {
		resp.Error = function.NewArgumentFuncError(0, "must not be empty")
		return
	}
	var instance optional.Value[catalog.Instance]
	if i, ok := catalog.Embedded().Instance(typ.ValueString()); ok {
		instance = optional.Known(i)
	}
	m := ceilingOf(instance)
	resp.Error = resp.Result.Set(ctx, &m)
}
