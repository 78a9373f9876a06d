package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
)

var _ function.Function = (*dockerRunnersFunction)(nil)

// NewDockerRunnersFunction is docker_runners.
func NewDockerRunnersFunction() function.Function { return &dockerRunnersFunction{} }

type dockerRunnersFunction struct{}

func (*dockerRunnersFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "docker_runners"
}

func (*dockerRunnersFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Containers that fit a memory without over-committing it",
		MarkdownDescription: "How many containers can all be at their memory limit at the same time: what the VM has less what is reserved, divided by the limit, rounded down. 0 if not even one fits. It is the count for all organisations together; `runnerfit_docker_runners` also gives the larger one per organisation and what it takes to run out.",
		Parameters: []function.Parameter{
			function.NumberParameter{Name: "memory_gib", MarkdownDescription: "Memory of Docker's VM in GiB, more than 0. It is not the Mac's."},
			function.NumberParameter{Name: "memory_limit_gib", MarkdownDescription: "Memory limit of one container in GiB, more than 0; 3 is what vitest with coverage peaked at."},
			function.NumberParameter{Name: "reserved_gib", MarkdownDescription: "GiB that containers do not get, 0 or more; 3 is what the VM (2) and the build cache (1) were measured to need."},
		},
		Return: function.NumberReturn{},
	}
}

func (*dockerRunnersFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var memory, limit, reserved types.Number
	if resp.Error = req.Arguments.Get(ctx, &memory, &limit, &reserved); resp.Error != nil {
		return
	}
	m, err := argument(0, memory, positive)
	resp.Error = firstError(resp.Error, err)
	l, err := argument(1, limit, positive)
	resp.Error = firstError(resp.Error, err)
	r, err := argument(2, reserved, notNegative)
	resp.Error = firstError(resp.Error, err)
	if resp.Error != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, types.NumberValue(fromDecimal(dockerhost.Runners(m, l, r))))
}
