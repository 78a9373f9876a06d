package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ function.Function = (*migrateRunnerLabelFunction)(nil)

// NewMigrateRunnerLabelFunction is migrate_runner_label.
func NewMigrateRunnerLabelFunction() function.Function { return &migrateRunnerLabelFunction{} }

type migrateRunnerLabelFunction struct{}

func (*migrateRunnerLabelFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "migrate_runner_label"
}

func (*migrateRunnerLabelFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "A RunsOn v2 label rewritten for v3",
		MarkdownDescription: "Rewrites the removed keys of a RunsOn v2 label: `disk=large` becomes `volume=80gb:gp3:750mibps:4000iops`, `disk=default` `volume=40gb:gp3:400mibps:3000iops`, `hdd=80` `volume=80gb:gp3`. These are the defaults of the v2 stack; where its parameters were set otherwise, write those. Everything else stays as it is, and so does a label without such a key.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "label", MarkdownDescription: "The RunsOn label, in any of its forms."},
		},
		Return: function.StringReturn{},
	}
}

func (*migrateRunnerLabelFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text types.String
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	label, err := embeddedLabels().Migrate(text.ValueString())
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, types.StringValue(label))
}
