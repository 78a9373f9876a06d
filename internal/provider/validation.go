package provider

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
)

// checkNumber checks an attribute of the root; null and unknown pass.
func checkNumber(name string, v types.Number, n need) diag.Diagnostics {
	return checkNumberAt(path.Root(name), name, v, n)
}

// checkNumberAt checks a number anywhere; null and unknown pass.
func checkNumberAt(at path.Path, name string, v types.Number, n need) (diags diag.Diagnostics) {
	if v.IsNull() || v.IsUnknown() {
		return nil
	}
	if _, err := argument(0, v, n); err != nil {
		diags.Append(invalid(at, name+" "+err.Text))
	}
	return diags
}

// checkRegion checks the region of the root; see checkRegionAt.
func checkRegion(v types.String) diag.Diagnostics { return checkRegionAt(path.Root("region"), v) }

// checkRegionAt checks the shape of a Region's name; whether its prices are known
// is another question.
func checkRegionAt(at path.Path, v types.String) (diags diag.Diagnostics) {
	if region, ok := optionalString(v).Get(); ok && !catalog.IsRegionName(region) {
		diags.Append(invalid(at, "region is not the name of an AWS Region such as us-east-1"))
	}
	return diags
}

// problems shows faults of shape.
func problems(lists ...[]shape.Problem) (diags diag.Diagnostics) {
	for _, list := range lists {
		for _, p := range list {
			diags.Append(invalid(attributePath(p.Path), p.Message))
		}
	}
	return diags
}

// oneOf accepts one of a few words. The library's own validator repeats the
// refused value, which may be a secret.
type oneOf []string

var _ validator.String = oneOf(nil)

func (o oneOf) Description(context.Context) string {
	return "one of " + strings.Join(o, ", ")
}

func (o oneOf) MarkdownDescription(ctx context.Context) string { return o.Description(ctx) }

func (o oneOf) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if v, ok := optionalString(req.ConfigValue).Get(); ok && !slices.Contains(o, v) {
		resp.Diagnostics.Append(invalid(req.Path, req.Path.String()+" must be one of "+strings.Join(o, ", ")))
	}
}

// checkType checks that the name of an instance type is one.
func checkType(v types.String) (diags diag.Diagnostics) {
	if typ, ok := optionalString(v).Get(); ok && typ == "" {
		diags.Append(invalid(path.Root("instance_type"), "instance_type must not be empty"))
	}
	return diags
}
