package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/runnerlabel"
)

var _ function.Function = (*parseRunnerLabelFunction)(nil)

// NewParseRunnerLabelFunction is parse_runner_label.
func NewParseRunnerLabelFunction() function.Function { return &parseRunnerLabelFunction{} }

type parseRunnerLabelFunction struct{}

// labelVolumeType is the volume of a label.
var labelVolumeType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"size_gib":             types.NumberType,
	"type":                 types.StringType,
	"iops":                 types.NumberType,
	"throughput_mib_per_s": types.NumberType,
}}

// labelType is the object that parse_runner_label returns.
var labelType = map[string]attr.Type{
	"system":   types.StringType,
	"settings": types.MapType{ElemType: types.StringType},
	"volume":   labelVolumeType,
	"extras":   types.ListType{ElemType: types.StringType},
	"complete": types.BoolType,
	"findings": types.ListType{ElemType: findingType},
}

// embeddedLabels reads labels with what functions know: the embedded catalogue
// and the prices of the default Region.
func embeddedLabels() runnerlabel.Parser {
	return runnerlabel.Parser{Catalog: catalog.Embedded(), Region: catalog.DefaultRegion}
}

func (*parseRunnerLabelFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_runner_label"
}

func (*parseRunnerLabelFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "What a GitHub runner label asks for, and what is wrong with it",
		MarkdownDescription: "Reads the label of RunsOn (v2 and v3), Sprinters or github-aws-runners (`ghr-ec2-…`) by which a workflow's job asks for a runner, and judges the volume in it like any other. Returns an object `{ system, settings, volume, extras, complete, findings }`. What an expression of the workflow (`${{ … }}`, in Terraform `$${{ … }}`) decides is null. Prices in fixes are those of `us-east-1`.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "label", MarkdownDescription: "The label as `runs-on` has it: a text, its parts separated by slashes or commas, or a list of texts."},
		},
		Return: function.ObjectReturn{AttributeTypes: labelType},
	}
}

func (*parseRunnerLabelFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var arg types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &arg); resp.Error != nil {
		return
	}
	texts, ok := textsOf(arg)
	if !ok {
		resp.Error = function.NewArgumentFuncError(0, "must be a text or a list of texts")
		return
	}
	label, err := embeddedLabels().Parse(texts...)
	if shape, ok := errors.AsType[*runnerlabel.ShapeError](err); ok {
		// What is no label at all is a finding, too, so that a list of labels can be
		// judged as a whole.
		label = runnerlabel.Label{System: runnerlabel.Undecided, Findings: []finding.Finding{shape.Finding()}}
	}
	resp.Error = resp.Result.Set(ctx, labelValue(label))
}

// textsOf are the texts of a text or of a list of texts.
func textsOf(v attr.Value) ([]string, bool) {
	var elements []attr.Value
	switch v := scalar(v).(type) {
	case types.String:
		elements = []attr.Value{v}
	case types.List:
		elements = v.Elements()
	case types.Set:
		elements = v.Elements()
	case types.Tuple:
		elements = v.Elements()
	default:
		return nil, false
	}
	out := make([]string, 0, len(elements))
	for _, e := range elements {
		s, ok := scalar(e).(types.String)
		if !ok {
			return nil, false
		}
		out = append(out, s.ValueString())
	}
	return out, true
}

func labelValue(l runnerlabel.Label) types.Object {
	settings := make(map[string]attr.Value, len(l.Settings))
	for _, s := range l.Settings {
		settings[s.Key] = types.StringValue(s.Value)
	}
	extras := make([]attr.Value, len(l.Extras))
	for i, e := range l.Extras {
		extras[i] = types.StringValue(e)
	}
	volume := types.ObjectNull(labelVolumeType.AttrTypes)
	if v, ok := l.Volume.Get(); ok {
		volume = types.ObjectValueMust(labelVolumeType.AttrTypes, map[string]attr.Value{
			"size_gib":             numberOf(known(v.SizeGiB)),
			"type":                 stringOf(known(v.Type)),
			"iops":                 numberOf(known(v.IOPS)),
			"throughput_mib_per_s": numberOf(known(v.ThroughputMiBPerS)),
		})
	}
	return types.ObjectValueMust(labelType, map[string]attr.Value{
		"system":   types.StringValue(string(l.System)),
		"settings": types.MapValueMust(types.StringType, settings),
		"volume":   volume,
		"extras":   types.ListValueMust(types.StringType, extras),
		"complete": types.BoolValue(l.System != runnerlabel.Undecided && l.Complete()),
		"findings": findingsValue(l.Findings),
	})
}

// known is null where a value is not known: what a workflow decides, Terraform
// never learns, so that waiting for it would be wrong.
func known[T any](v optional.Value[T]) optional.Value[T] {
	if v.IsUnknown() {
		return optional.Null[T]()
	}
	return v
}
