// Package provider is the Terraform front end: it turns configuration into the
// models of the domain packages and their answers into results and
// diagnostics. It decides nothing about volumes or hosts itself.
package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ provider.ProviderWithFunctions      = (*runnerfitProvider)(nil)
	_ provider.ProviderWithValidateConfig = (*runnerfitProvider)(nil)
)

// Option changes how the provider is set up; see WithCatalog.
type Option func(*runnerfitProvider)

// WithCatalog makes the provider answer from another catalogue than the
// embedded one.
func WithCatalog(c *catalog.Catalog) Option {
	return func(p *runnerfitProvider) { p.catalog = c }
}

// New returns a constructor of the provider.
func New(version string, options ...Option) func() provider.Provider {
	return func() provider.Provider { return newProvider(version, options...) }
}

func newProvider(version string, options ...Option) *runnerfitProvider {
	p := &runnerfitProvider{version: version, catalog: catalog.Embedded()}
	for _, o := range options {
		o(p)
	}
	return p
}

// providerTypeName is what the names of all objects begin with.
const providerTypeName = "runnerfit"

type runnerfitProvider struct {
	version   string
	catalog   *catalog.Catalog
	changeAWS func(*awslive.Config) // by WithAWS
	// settings are those of the configuration, nil before there is one.
	settings atomic.Pointer[settings]
}

type providerModel struct {
	Region      types.String `tfsdk:"region"`
	IgnoreRules types.Map    `tfsdk:"ignore_rules"`
	Prices      types.Object `tfsdk:"prices"`
	Catalog     types.String `tfsdk:"catalog"`
	AWS         types.Object `tfsdk:"aws"`
}

type pricesModel struct {
	GP3GiBMonth     types.Number `tfsdk:"gp3_gib_month_usd"`
	GP3IOPSMonth    types.Number `tfsdk:"gp3_iops_month_usd"`
	GP3MiBPerSMonth types.Number `tfsdk:"gp3_mib_per_s_month_usd"`
	MacHostHour     types.Map    `tfsdk:"mac_host_hour_usd"`
	InstanceHour    types.Map    `tfsdk:"instance_hour_usd"`
}

// settings are what every data source and resource gets from the provider
// block.
type settings struct {
	catalog *catalog.Catalog
	// table is the catalogue without anything newer in front of it.
	table *catalog.Catalog
	// live is the way to AWS.
	live *liveSettings
	// region is unknown while the provider's configuration is.
	region optional.Value[string]
	// pricesKnown is false while the provider's own prices are not known.
	pricesKnown bool
	// prices are the provider's own prices in a canonical form, for fingerprints.
	prices string
	// ignores is unknown while the provider's list is.
	ignores optional.Value[finding.Ignores]
}

// regionOr is the region of an object: its own if it has one, else the
// provider's.
func (s *settings) regionOr(own types.String) optional.Value[string] {
	return optionalString(own).OrElse(s.region)
}

func (p *runnerfitProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = providerTypeName
	resp.Version = p.version
}

func (p *runnerfitProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Fits CI runners to the machines they run on. Everything is answered from facts that are embedded in the provider: it needs no account, no credentials and no network.",
		Attributes: map[string]schema.Attribute{
			"region": schema.StringAttribute{
				MarkdownDescription: "AWS Region whose prices are used where an object names none. Default `us-east-1`. Limits do not depend on it.",
				Optional:            true,
			},
			"catalog": catalogAttribute(),
			"ignore_rules": schema.MapAttribute{
				MarkdownDescription: "Rules that are not reported by any object, as `rule id = reason`. A reason is required: it is for the next person who reads the configuration.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.Map{mapvalidator.SizeAtMost(200)},
			},
		},
		Blocks: map[string]schema.Block{
			"aws": awsBlock(),
			"prices": schema.SingleNestedBlock{
				MarkdownDescription: "Your own prices, used in every Region instead of the embedded list prices. Each member is optional.",
				Attributes: map[string]schema.Attribute{
					"gp3_gib_month_usd":       priceAttribute("US dollars for a GiB of gp3 a month."),
					"gp3_iops_month_usd":      priceAttribute("US dollars for a provisioned IOPS above 3,000 a month."),
					"gp3_mib_per_s_month_usd": priceAttribute("US dollars for a MiB/s above 125 a month."),
					"mac_host_hour_usd": schema.MapAttribute{
						MarkdownDescription: "US dollars for an hour of a dedicated Mac host, by instance type: `{ \"mac2-m2pro.metal\" = 1.2 }`.",
						ElementType:         types.NumberType,
						Optional:            true,
					},
					"instance_hour_usd": schema.MapAttribute{
						MarkdownDescription: "US dollars for an hour of an instance, by instance type. Spot prices go here.",
						ElementType:         types.NumberType,
						Optional:            true,
					},
				},
			},
		},
	}
}

func priceAttribute(description string) schema.NumberAttribute {
	return schema.NumberAttribute{MarkdownDescription: description, Optional: true}
}

func (p *runnerfitProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var m providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(checkRegion(m.Region)...)
	_, diags := ignoresFrom(ctx, path.Root("ignore_rules"), m.IgnoreRules)
	resp.Diagnostics.Append(diags...)
	_, _, diags = pricesFrom(ctx, m.Prices)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(checkCatalog(m.Catalog)...)
	_, _, diags = awsConfig(ctx, m.AWS)
	resp.Diagnostics.Append(diags...)
}

func (p *runnerfitProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var m providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	prices, known, diags := pricesFrom(ctx, m.Prices)
	resp.Diagnostics.Append(diags...)
	ignores, diags := ignoresFrom(ctx, path.Root("ignore_rules"), m.IgnoreRules)
	resp.Diagnostics.Append(diags...)
	s := &settings{
		catalog:     p.catalog.WithPrices(prices),
		region:      optionalString(m.Region).Or(catalog.DefaultRegion),
		pricesKnown: known,
		prices:      canonicalPrices(m.Prices),
		ignores:     ignores,
	}
	s.table = s.catalog
	resp.Diagnostics.Append(p.configureLive(ctx, &m, s)...)
	p.settings.Store(s)
	resp.DataSourceData = s
	resp.ResourceData = s
}

// pricesFrom reads the prices block. known is false while any of it is not
// known.
func pricesFrom(ctx context.Context, block types.Object) (o catalog.PriceOverrides, known bool, diags diag.Diagnostics) {
	if block.IsUnknown() {
		return o, false, nil
	}
	if block.IsNull() {
		return o, true, nil
	}
	var m pricesModel
	if diags = block.As(ctx, &m, objectOptions); diags.HasError() {
		return o, false, diags
	}
	known = true
	root := path.Root("prices")
	price := func(name string, v types.Number) optional.Value[decimal.Decimal] {
		d := optionalDecimal(v)
		known = known && !d.IsUnknown()
		if p, ok := d.Get(); ok {
			diags.Append(checkPrice(root.AtName(name), name, p)...)
		}
		return d
	}
	prices := func(name string, v types.Map) map[string]decimal.Decimal {
		if v.IsUnknown() {
			known = false
			return nil
		}
		out := make(map[string]decimal.Decimal, len(v.Elements()))
		for typ, e := range v.Elements() {
			at := root.AtName(name).AtMapKey(typ)
			n, _ := e.(types.Number)
			d := optionalDecimal(n)
			known = known && !d.IsUnknown()
			if !catalog.IsTypeName(typ) {
				diags.Append(invalid(at, name+" has a key that is not the name of an instance type such as mac2-m2pro.metal"))
			}
			if p, ok := d.Get(); ok {
				diags.Append(checkPrice(at, name, p)...)
				out[typ] = p
			}
		}
		return out
	}
	o = catalog.PriceOverrides{
		GP3GiBMonth:     price("gp3_gib_month_usd", m.GP3GiBMonth),
		GP3IOPSMonth:    price("gp3_iops_month_usd", m.GP3IOPSMonth),
		GP3MiBPerSMonth: price("gp3_mib_per_s_month_usd", m.GP3MiBPerSMonth),
		MacHostHour:     prices("mac_host_hour_usd", m.MacHostHour),
		InstanceHour:    prices("instance_hour_usd", m.InstanceHour),
	}
	return o, known, diags
}

// canonicalPrices writes a prices block so that equal blocks are equal.
func canonicalPrices(block types.Object) string {
	if block.IsNull() || block.IsUnknown() {
		return ""
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(block.Attributes())) {
		if v := block.Attributes()[name]; !v.IsNull() {
			fmt.Fprintf(&b, "%s=%s;", name, v)
		}
	}
	return b.String()
}

// mostExpensive is far above the price of anything that is priced here.
var mostExpensive = decimal.New(1, 6)

func checkPrice(at path.Path, name string, d decimal.Decimal) (diags diag.Diagnostics) {
	if d.IsNegative() || d.GreaterThan(mostExpensive) {
		diags.Append(invalid(at, name+" must be a price in US dollars, not negative and at most 1,000,000"))
	}
	return diags
}

func (p *runnerfitProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		NewInstanceStorageResource,
		NewMacHostPoolResource,
		NewMacHostStorageResource,
	}
}

func (p *runnerfitProvider) DataSources(context.Context) []func() datasource.DataSource {
	return live(
		NewActionsCacheDataSource,
		NewDockerRunnersDataSource,
		NewGP3VolumeDataSource,
		NewInstanceEBSDataSource,
		NewInstancesDataSource,
		NewJobDiskDataSource,
		NewMacHostPoolDataSource,
		NewMacHostsDataSource,
		NewMacHostsNeededDataSource,
		NewMacStartupDataSource,
		NewVMDiskDataSource,
		NewVolumeUsageDataSource,
		NewVolumesDataSource,
	)
}

func (p *runnerfitProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		NewCacheRestoreSecondsFunction,
		NewCheckGP3Function,
		NewCheckInstanceStorageFunction,
		NewCheckMacHostPoolFunction,
		NewCheckMacStorageFunction,
		NewDockerRunnersFunction,
		NewEBSCeilingFunction,
		NewGP3MaxThroughputFunction,
		NewGP3MinIOPSFunction,
		NewGP3MonthlyCostFunction,
		NewMBToMiBFunction,
		NewMbitToMiBFunction,
		NewMiBToMBFunction,
		NewMigrateRunnerLabelFunction,
		NewParseRunnerLabelFunction,
		NewRunsOnLabelFunction,
	}
}
