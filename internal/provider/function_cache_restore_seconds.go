package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/actionscache"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var _ function.Function = (*cacheRestoreSecondsFunction)(nil)

// NewCacheRestoreSecondsFunction is cache_restore_seconds.
func NewCacheRestoreSecondsFunction() function.Function { return &cacheRestoreSecondsFunction{} }

type cacheRestoreSecondsFunction struct{}

func (*cacheRestoreSecondsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "cache_restore_seconds"
}

func (*cacheRestoreSecondsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Time to restore a cache entry",
		MarkdownDescription: "Seconds to restore an entry of the Actions cache: its size at the lowest of the limits that are given. The result is not rounded. `runnerfit_actions_cache` also says which limit it is, and takes the instance and several restores at a time into account.",
		Parameters: []function.Parameter{
			function.NumberParameter{Name: "size_gib", MarkdownDescription: "Size of the entry as it is downloaded, in GiB, 0 or more."},
			function.NumberParameter{Name: "link_mbit_per_s", AllowNullValue: true, MarkdownDescription: "Link between runner and cache in Mbit/s; null if it is no limit."},
			function.NumberParameter{Name: "server_mib_per_s", AllowNullValue: true, MarkdownDescription: "What the server hands out, in MiB/s; null if it is no limit."},
			function.NumberParameter{Name: "volume_mib_per_s", AllowNullValue: true, MarkdownDescription: "What the server's volume reads, in MiB/s; null if it is no limit. One of the three must not be null."},
		},
		Return: function.NumberReturn{},
	}
}

func (*cacheRestoreSecondsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var size, link, server, volume types.Number
	if resp.Error = req.Arguments.Get(ctx, &size, &link, &server, &volume); resp.Error != nil {
		return
	}
	gib, err := argument(0, size, notNegative)
	resp.Error = firstError(resp.Error, err)
	l, err := rateArgument(1, link)
	resp.Error = firstError(resp.Error, err)
	s, err := rateArgument(2, server)
	resp.Error = firstError(resp.Error, err)
	v, err := rateArgument(3, volume)
	resp.Error = firstError(resp.Error, err)
	if resp.Error != nil {
		return
	}
	seconds, noLimit := actionscache.RestoreSeconds(gib, l, s, v)
	if noLimit != nil {
		resp.Error = function.NewFuncError(noLimit.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, types.NumberValue(fromDecimal(seconds)))
}

// rateArgument is a limit that may be null.
func rateArgument(index int64, v types.Number) (optional.Value[decimal.Decimal], *function.FuncError) {
	if v.IsNull() {
		return optional.Null[decimal.Decimal](), nil
	}
	d, err := argument(index, v, positiveIfSet)
	return optional.Known(d), err
}
