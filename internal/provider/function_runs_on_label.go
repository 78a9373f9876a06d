package provider

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/runnerlabel"
)

var _ function.Function = (*runsOnLabelFunction)(nil)

// NewRunsOnLabelFunction is runs_on_label.
func NewRunsOnLabelFunction() function.Function { return &runsOnLabelFunction{} }

type runsOnLabelFunction struct{}

func (*runsOnLabelFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "runs_on_label"
}

func (*runsOnLabelFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "A RunsOn label from settings",
		MarkdownDescription: "Writes a RunsOn v3 label: `runs-on=ID` first, then the settings in canonical order, volumes in canonical order and units. `parse_runner_label` reads the same settings from it. Without an id the label gets `${{ github.run_id }}`, as RunsOn recommends.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "settings", MarkdownDescription: "Object or map of settings, such as `{ family = \"m8a\", cpu = 4, volume = { size_gib = 80, type = \"gp3\", throughput_mib_per_s = 750 }, extras = [\"tmpfs\"] }` or the `settings` of `parse_runner_label`. Values are texts, numbers, booleans, or lists of them (joined by `+`); `volume` and `sticky` may be objects. Underscores in keys are read as hyphens. Null members are left out; a key that RunsOn does not know is an error."},
		},
		Return: function.StringReturn{},
	}
}

func (*runsOnLabelFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var arg types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &arg); resp.Error != nil {
		return
	}
	r := &members{}
	settings := r.labelSettings(arg)
	if len(r.faults) > 0 {
		resp.Error = function.NewArgumentFuncError(0, strings.Join(r.faults, "; "))
		return
	}
	label, err := embeddedLabels().Write(settings)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, types.StringValue(label))
}

// labelSettings reads the settings of a label. Which keys there are is for the
// label to say, because texts like "nested-virt" are keys, too.
func (r *members) labelSettings(v attr.Value) []runnerlabel.Setting {
	var got map[string]attr.Value
	switch o := scalar(v).(type) {
	case types.Object:
		got = o.Attributes()
	case types.Map:
		got = o.Elements()
	default:
		r.fault("must be an object of settings")
		return nil
	}
	var out []runnerlabel.Setting
	for _, name := range slices.Sorted(maps.Keys(got)) {
		v := scalar(got[name])
		if v == nil {
			continue
		}
		key := strings.ReplaceAll(name, "_", "-")
		if value, ok := r.labelSetting(key, v); ok {
			out = append(out, runnerlabel.Setting{Key: key, Value: value})
		}
	}
	return out
}

// labelSetting is a value as a label writes it; false if there is none.
func (r *members) labelSetting(key string, v attr.Value) (string, bool) {
	if o, ok := v.(types.Object); ok {
		if k := strings.ToLower(key); k != "volume" && k != "sticky" {
			r.fault("only volume and sticky may be objects; every other setting is a text, a number, a boolean or a list of them")
			return "", false
		}
		v := r.object(o, "a volume", "name", "size_gib", "type", "iops", "throughput_mib_per_s")
		text := runnerlabel.FormatVolume(runnerlabel.Volume{
			SizeGiB:           r.number(v["size_gib"], "size_gib of a volume"),
			Type:              r.text(v["type"], "type of a volume"),
			IOPS:              r.number(v["iops"], "iops of a volume"),
			ThroughputMiBPerS: r.number(v["throughput_mib_per_s"], "throughput_mib_per_s of a volume"),
		})
		if name, ok := r.text(v["name"], "name of a volume").Get(); ok {
			text = name + ":" + text
		}
		return text, true
	}
	var elements []attr.Value
	switch l := v.(type) {
	case types.List:
		elements = l.Elements()
	case types.Set:
		elements = l.Elements()
	case types.Tuple:
		elements = l.Elements()
	default:
		elements = []attr.Value{v}
	}
	var parts []string
	for _, e := range elements {
		switch s := scalar(e).(type) {
		case types.String:
			parts = append(parts, s.ValueString())
		case types.Bool:
			parts = append(parts, map[bool]string{true: "true", false: "false"}[s.ValueBool()])
		case types.Number:
			text, ok := plain(toDecimal(s.ValueBigFloat()))
			if !ok {
				r.fault("a number of a setting must be from 0 to 9007199254740992 with at most 3 decimals; write any other as a text")
				return "", false
			}
			parts = append(parts, text)
		default:
			r.fault("a setting must be a text, a number, a boolean or a list of them")
			return "", false
		}
	}
	return strings.Join(parts, "+"), len(parts) > 0
}

// plain writes a number that cannot have lost anything on its way here; false
// for any other.
func plain(d decimal.Decimal) (string, bool) {
	const exact = 1 << 53
	if !d.Round(3).Equal(d) || d.IsNegative() || d.GreaterThan(decimal.NewFromInt(exact)) {
		return "", false
	}
	return d.String(), true
}
