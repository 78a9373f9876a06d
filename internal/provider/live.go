package provider

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// This file is the provider's side of AWS: the aws block, the catalog attribute,
// and what is said when AWS does not answer. Configuring makes no request and no
// client: the block is settings until a data source, or a look-up with
// catalog = "aws", asks for something.

// WithAWS changes the settings with which AWS is asked, for tests: another HTTP
// client, another clock.
func WithAWS(change func(*awslive.Config)) Option {
	return func(p *runnerfitProvider) { p.changeAWS = change }
}

const (
	catalogEmbedded = "embedded"
	catalogAWS      = "aws"
	catalogFile     = "file:"
)

const (
	summaryLive       = "AWS could not be asked"
	summaryLivePrices = "Today's prices could not be had"
	summaryFile       = "The catalogue file cannot be used"
)

// awsModel is the aws block. Its members mean what they mean in hashicorp/aws.
type awsModel struct {
	Profile                   types.String `tfsdk:"profile"`
	Region                    types.String `tfsdk:"region"`
	AccessKey                 types.String `tfsdk:"access_key"`
	SecretKey                 types.String `tfsdk:"secret_key"`
	Token                     types.String `tfsdk:"token"`
	SharedConfigFiles         types.List   `tfsdk:"shared_config_files"`
	SharedCredentialsFiles    types.List   `tfsdk:"shared_credentials_files"`
	MaxRetries                types.Number `tfsdk:"max_retries"`
	RetryMode                 types.String `tfsdk:"retry_mode"`
	TimeoutSeconds            types.Number `tfsdk:"timeout_seconds"`
	HTTPProxy                 types.String `tfsdk:"http_proxy"`
	HTTPSProxy                types.String `tfsdk:"https_proxy"`
	NoProxy                   types.String `tfsdk:"no_proxy"`
	Insecure                  types.Bool   `tfsdk:"insecure"`
	CustomCABundle            types.String `tfsdk:"custom_ca_bundle"`
	EC2MetadataEndpoint       types.String `tfsdk:"ec2_metadata_service_endpoint"`
	EC2MetadataEndpointMode   types.String `tfsdk:"ec2_metadata_service_endpoint_mode"`
	SkipMetadataAPICheck      types.Bool   `tfsdk:"skip_metadata_api_check"`
	SkipCredentialsValidation types.Bool   `tfsdk:"skip_credentials_validation"`
	STSRegion                 types.String `tfsdk:"sts_region"`
	UseFIPSEndpoint           types.Bool   `tfsdk:"use_fips_endpoint"`
	UseDualStackEndpoint      types.Bool   `tfsdk:"use_dualstack_endpoint"`
	Endpoints                 types.Object `tfsdk:"endpoints"`
	AssumeRole                types.List   `tfsdk:"assume_role"`
	WebIdentity               types.Object `tfsdk:"assume_role_with_web_identity"`
}

type endpointsModel struct {
	EC2        types.String `tfsdk:"ec2"`
	CloudWatch types.String `tfsdk:"cloudwatch"`
	Pricing    types.String `tfsdk:"pricing"`
	STS        types.String `tfsdk:"sts"`
	SSO        types.String `tfsdk:"sso"`
}

type assumeRoleModel struct {
	RoleARN           types.String `tfsdk:"role_arn"`
	Duration          types.String `tfsdk:"duration"`
	ExternalID        types.String `tfsdk:"external_id"`
	Policy            types.String `tfsdk:"policy"`
	PolicyARNs        types.List   `tfsdk:"policy_arns"`
	SessionName       types.String `tfsdk:"session_name"`
	SourceIdentity    types.String `tfsdk:"source_identity"`
	Tags              types.Map    `tfsdk:"tags"`
	TransitiveTagKeys types.List   `tfsdk:"transitive_tag_keys"`
}

type webIdentityModel struct {
	RoleARN              types.String `tfsdk:"role_arn"`
	Duration             types.String `tfsdk:"duration"`
	Policy               types.String `tfsdk:"policy"`
	PolicyARNs           types.List   `tfsdk:"policy_arns"`
	SessionName          types.String `tfsdk:"session_name"`
	WebIdentityToken     types.String `tfsdk:"web_identity_token"`
	WebIdentityTokenFile types.String `tfsdk:"web_identity_token_file"`
}

// catalogAttribute is where facts come from.
func catalogAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "Where facts come from. `embedded` (default): the table that is built in, without any request. " +
			"`aws`: today's instance types and prices, asked for when something first needs them, with the credentials of the `aws` block; the embedded table stands in for prices that cannot be had, with a warning. " +
			"`file:PATH`: a file that `runnerfit catalog refresh` wrote; PATH is relative to the folder that Terraform runs in, so `\"file:${path.module}/catalog.json\"` is the safe way to write it.",
		Optional: true,
	}
}

// awsBlock is the block of settings for AWS.
func awsBlock() schema.SingleNestedBlock {
	text := func(d string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: d, Optional: true}
	}
	secret := func(d string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: d, Optional: true, Sensitive: true}
	}
	number := func(d string) schema.NumberAttribute {
		return schema.NumberAttribute{MarkdownDescription: d, Optional: true}
	}
	yes := func(d string) schema.BoolAttribute {
		return schema.BoolAttribute{MarkdownDescription: d, Optional: true}
	}
	texts := func(d string) schema.ListAttribute {
		return schema.ListAttribute{MarkdownDescription: d, ElementType: types.StringType, Optional: true}
	}
	const url = " URL to use in place of AWS's own, `http` or `https`."
	return schema.SingleNestedBlock{
		MarkdownDescription: "How AWS is reached, as in hashicorp/aws: what is left out comes from the environment, the shared files or the machine's role. The block asks nobody anything: it is used only when something live is asked for, which is `catalog = \"aws\"` and the data sources `runnerfit_volume_usage`, `runnerfit_volumes` and `runnerfit_mac_hosts`.",
		Attributes: map[string]schema.Attribute{
			"profile":                  text("Profile of the shared files."),
			"region":                   text("Region that is asked. Default: the provider's `region` if it is written, else that of the environment or the profile, else `us-east-1`."),
			"access_key":               secret("Access key id. Better left to the environment or a profile."),
			"secret_key":               secret("Secret access key. Better left to the environment or a profile."),
			"token":                    secret("Session token that belongs to the keys."),
			"shared_config_files":      texts("Paths of shared config files. Default `~/.aws/config`."),
			"shared_credentials_files": texts("Paths of shared credentials files. Default `~/.aws/credentials`."),
			"max_retries":              number("Attempts at a request, the first one included. Default 25; `timeout_seconds` ends them earlier."),
			"retry_mode": schema.StringAttribute{
				MarkdownDescription: "`standard` (default) or `adaptive`.", Optional: true,
				Validators: []validator.String{oneOf{"standard", "adaptive"}},
			},
			"timeout_seconds":               number("Seconds within which a data source or a guard has its answers from AWS or an error, with all pages and retries. Default 30."),
			"http_proxy":                    text("Proxy for HTTP, and for HTTPS if `https_proxy` is not set. Default: the environment's `HTTP_PROXY`."),
			"https_proxy":                   text("Proxy for HTTPS. Default: the environment's `HTTPS_PROXY`."),
			"no_proxy":                      text("Hosts that are reached without the proxy, separated by commas."),
			"insecure":                      yes("Whether TLS certificates are accepted unchecked. Default false."),
			"custom_ca_bundle":              text("Path of a file with certificates to trust besides the system's, for a proxy that opens TLS."),
			"ec2_metadata_service_endpoint": text("URL of the EC2 metadata service, for credentials of the machine's role."),
			"ec2_metadata_service_endpoint_mode": schema.StringAttribute{
				MarkdownDescription: "`IPv4` or `IPv6`.", Optional: true, Validators: []validator.String{oneOf{"IPv4", "IPv6"}},
			},
			"skip_metadata_api_check":     yes("Whether the EC2 metadata service is left alone, which saves the wait for it on a machine that is not on EC2. Default false."),
			"skip_credentials_validation": yes("False asks STS first who the credentials belong to, as hashicorp/aws does unless told not to. Default true: the first real request says as much, and needs no STS."),
			"sts_region":                  text("Region of STS, where it is another than `region`."),
			"use_fips_endpoint":           yes("Whether endpoints with FIPS are used. Default false."),
			"use_dualstack_endpoint":      yes("Whether endpoints with IPv6 are used. Default false."),
		},
		Blocks: map[string]schema.Block{
			"endpoints": schema.SingleNestedBlock{
				MarkdownDescription: "Endpoints other than AWS's own: VPC endpoints, or an emulator.",
				Attributes: map[string]schema.Attribute{
					"ec2":        text("EC2." + url),
					"cloudwatch": text("CloudWatch." + url),
					"pricing":    text("The price list." + url),
					"sts":        text("STS, to assume a role." + url),
					"sso":        text("IAM Identity Center." + url),
				},
			},
			"assume_role": schema.ListNestedBlock{
				MarkdownDescription: "Role to assume with the credentials found so far; several are assumed one after the other.",
				Validators:          []validator.List{listvalidator.SizeAtMost(10)},
				NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
					"role_arn":            text("(required) ARN of the role."),
					"duration":            text("How long its credentials hold, such as `1h`. Between 15 minutes and 12 hours."),
					"external_id":         text("External id that the role asks for."),
					"policy":              text("Policy in JSON that restricts the role further."),
					"policy_arns":         texts("ARNs of policies that restrict the role further."),
					"session_name":        text("Name of the session in AWS's logs."),
					"source_identity":     text("Source identity in AWS's logs."),
					"tags":                schema.MapAttribute{MarkdownDescription: "Tags of the session.", ElementType: types.StringType, Optional: true},
					"transitive_tag_keys": texts("Keys of tags that are passed on to roles assumed from this one."),
				}},
			},
			"assume_role_with_web_identity": schema.SingleNestedBlock{
				MarkdownDescription: "Role to assume with a token of an identity provider, as CI systems have it.",
				Attributes: map[string]schema.Attribute{
					"role_arn":                text("(required) ARN of the role."),
					"duration":                text("How long its credentials hold, such as `1h`."),
					"policy":                  text("Policy in JSON that restricts the role further."),
					"policy_arns":             texts("ARNs of policies that restrict the role further."),
					"session_name":            text("Name of the session in AWS's logs."),
					"web_identity_token":      secret("The token itself."),
					"web_identity_token_file": text("Path of a file that holds the token."),
				},
			},
		},
	}
}

// liveSettings are what the provider block says of AWS.
type liveSettings struct {
	// session is nil while the aws block is not known yet.
	session *awslive.Session
	// catalog is AWS's own, nil unless catalog = "aws".
	catalog *awslive.Catalog

	mu            sync.Mutex
	warned, ended bool // the types' failure was told as a warning, as an error
	typesProblem  error
}

// configureLive turns the aws block and the catalog attribute into settings, and
// puts the newer catalogue in front of the table.
func (p *runnerfitProvider) configureLive(ctx context.Context, m *providerModel, s *settings) (diags diag.Diagnostics) {
	c, known, diags := awsConfig(ctx, m.AWS)
	if diags.HasError() {
		return diags
	}
	s.live = &liveSettings{}
	if c.Region == "" {
		c.Region = m.Region.ValueString() // as far as it is written and known
	}
	c.Version = p.version
	if p.changeAWS != nil {
		p.changeAWS(&c)
	}
	if known {
		s.live.session = awslive.New(c)
	}
	from, ok := optionalString(m.Catalog).Or(catalogEmbedded).Get()
	switch {
	case !ok:
		// Nobody knows which prices hold, and whatever needs them waits or says so.
		s.pricesKnown = false
	case from == catalogAWS:
		if !known {
			s.pricesKnown = false
			return diags
		}
		s.live.catalog = awslive.NewCatalog(s.live.session, s.catalog)
		s.catalog = s.catalog.WithOverlay(s.live.catalog)
	case strings.HasPrefix(from, catalogFile):
		f, err := catalog.LoadFile(strings.TrimPrefix(from, catalogFile))
		if err != nil {
			// The path is not repeated: it is free text.
			diags.AddAttributeError(path.Root("catalog"), summaryFile, fmt.Sprintf("The file that catalog names: %s.", err))
			return diags
		}
		s.catalog = s.catalog.WithOverlay(f)
	}
	return diags
}

// checkCatalog checks the attribute's shape.
func checkCatalog(v types.String) (diags diag.Diagnostics) {
	from, ok := optionalString(v).Get()
	if ok && from != catalogEmbedded && from != catalogAWS && (!strings.HasPrefix(from, catalogFile) || from == catalogFile) {
		diags.Append(invalid(path.Root("catalog"), `catalog must be "embedded", "aws" or "file:" followed by the path of a file`))
	}
	return diags
}

// awsConfig reads the aws block and reports what cannot be. It is not known
// while any of it is not.
func awsConfig(ctx context.Context, block types.Object) (c awslive.Config, known bool, diags diag.Diagnostics) {
	if block.IsNull() {
		return c, true, nil
	}
	tf, err := block.ToTerraformValue(ctx)
	known = err == nil && tf.IsFullyKnown()
	if block.IsUnknown() {
		return c, false, nil
	}
	var m awsModel
	if diags = block.As(ctx, &m, objectOptions); diags.HasError() {
		return c, false, diags
	}
	root := path.Root("aws")
	diags.Append(checkRegionAt(root.AtName("region"), m.Region)...)
	whole := func(name string, v types.Number, most int64) int {
		at := root.AtName(name)
		d, ok := optionalDecimal(v).Get()
		switch {
		case !ok:
			return 0
		case !d.IsInteger() || d.IntPart() < 1 || d.GreaterThan(decimal.NewFromInt(most)):
			diags.Append(invalid(at, fmt.Sprintf("%s must be a whole number from 1 to %d", name, most)))
			return 0
		}
		return int(d.IntPart())
	}
	const mostRetries, mostTimeout = 100, 3600
	texts := func(v types.List) (out []string) {
		if known {
			diags.Append(v.ElementsAs(ctx, &out, false)...)
		}
		return out
	}
	pointer := func(v types.String) *string {
		if v.IsNull() {
			return nil
		}
		s := v.ValueString()
		return &s
	}
	c = awslive.Config{
		Profile: m.Profile.ValueString(), Region: m.Region.ValueString(),
		AccessKey: m.AccessKey.ValueString(), SecretKey: m.SecretKey.ValueString(), Token: m.Token.ValueString(),
		SharedConfigFiles: texts(m.SharedConfigFiles), SharedCredentialsFiles: texts(m.SharedCredentialsFiles),
		MaxRetries: whole("max_retries", m.MaxRetries, mostRetries), RetryMode: m.RetryMode.ValueString(),
		Timeout:   time.Duration(whole("timeout_seconds", m.TimeoutSeconds, mostTimeout)) * time.Second,
		HTTPProxy: pointer(m.HTTPProxy), HTTPSProxy: pointer(m.HTTPSProxy), NoProxy: m.NoProxy.ValueString(),
		Insecure: m.Insecure.ValueBool(), CustomCABundle: m.CustomCABundle.ValueString(),
		EC2MetadataServiceEndpoint: m.EC2MetadataEndpoint.ValueString(), EC2MetadataServiceMode: m.EC2MetadataEndpointMode.ValueString(),
		SkipMetadataAPICheck: m.SkipMetadataAPICheck.ValueBool(),
		ValidateCredentials:  optionalBool(m.SkipCredentialsValidation) == optional.Known(false),
		STSRegion:            m.STSRegion.ValueString(),
		UseFIPSEndpoint:      m.UseFIPSEndpoint.ValueBool(), UseDualStack: m.UseDualStackEndpoint.ValueBool(),
	}
	if !m.Endpoints.IsNull() && !m.Endpoints.IsUnknown() {
		var e endpointsModel
		diags.Append(m.Endpoints.As(ctx, &e, objectOptions)...)
		endpoint := func(name string, v types.String) string {
			if u, err := url.Parse(v.ValueString()); v.ValueString() != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
				diags.Append(invalid(root.AtName("endpoints").AtName(name), name+" is not a URL that begins with https:// or http://"))
			}
			return v.ValueString()
		}
		c.Endpoints = awslive.Endpoints{
			EC2: endpoint("ec2", e.EC2), CloudWatch: endpoint("cloudwatch", e.CloudWatch), Pricing: endpoint("pricing", e.Pricing),
			STS: endpoint("sts", e.STS), SSO: endpoint("sso", e.SSO),
		}
	}
	duration := func(at path.Path, v types.String) time.Duration {
		if v.ValueString() == "" {
			return 0
		}
		d, err := time.ParseDuration(v.ValueString())
		if err != nil || d < 15*time.Minute || d > 12*time.Hour {
			diags.Append(invalid(at, "duration must be a time from 15m to 12h, such as 1h"))
		}
		return d
	}
	required := func(at path.Path, v types.String) string {
		if v.IsNull() || !v.IsUnknown() && v.ValueString() == "" {
			diags.Append(invalid(at, "role_arn is required"))
		}
		return v.ValueString()
	}
	var roles []assumeRoleModel
	if !m.AssumeRole.IsUnknown() {
		diags.Append(m.AssumeRole.ElementsAs(ctx, &roles, false)...)
	}
	for i, r := range roles {
		at := root.AtName("assume_role").AtListIndex(i)
		role := awslive.AssumeRole{
			RoleARN: required(at.AtName("role_arn"), r.RoleARN), Duration: duration(at.AtName("duration"), r.Duration),
			ExternalID: r.ExternalID.ValueString(), Policy: r.Policy.ValueString(), PolicyARNs: texts(r.PolicyARNs),
			SessionName: r.SessionName.ValueString(), SourceIdentity: r.SourceIdentity.ValueString(), TransitiveTagKeys: texts(r.TransitiveTagKeys),
		}
		if known {
			diags.Append(r.Tags.ElementsAs(ctx, &role.Tags, false)...)
		}
		c.AssumeRole = append(c.AssumeRole, role)
	}
	if !m.WebIdentity.IsNull() && !m.WebIdentity.IsUnknown() {
		var w webIdentityModel
		diags.Append(m.WebIdentity.As(ctx, &w, objectOptions)...)
		at := root.AtName("assume_role_with_web_identity")
		if w.WebIdentityToken.IsNull() && w.WebIdentityTokenFile.IsNull() {
			diags.Append(invalid(at, "web_identity_token or web_identity_token_file is required"))
		}
		c.AssumeRoleWithWebIdentity = &awslive.AssumeRoleWithWebIdentity{
			RoleARN: required(at.AtName("role_arn"), w.RoleARN), Duration: duration(at.AtName("duration"), w.Duration),
			Policy: w.Policy.ValueString(), PolicyARNs: texts(w.PolicyARNs), SessionName: w.SessionName.ValueString(),
			WebIdentityToken: w.WebIdentityToken.ValueString(), WebIdentityTokenFile: w.WebIdentityTokenFile.ValueString(),
		}
	}
	return c, known, diags
}

// liveSession is the way to AWS and the Region that a data source asks.
func (s *settings) liveSession(ctx context.Context, own types.String) (session *awslive.Session, region string, diags diag.Diagnostics) {
	if s.live.session == nil || !s.pricesKnown || s.region.IsUnknown() {
		diags.AddError(summaryNotConfigured,
			"The provider's aws block, region, prices or catalog depends on something that is created only at apply, but data sources are read at plan. Take them from variables or locals.")
		return nil, "", diags
	}
	if region, ok := optionalString(own).Get(); ok {
		return s.live.session, region, nil
	}
	region, err := s.live.session.Region(ctx)
	if err != nil {
		diags.Append(s.liveError(err))
	}
	return s.live.session, region, diags
}

// liveError is the error of a question to AWS.
func (s *settings) liveError(err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(summaryLive, err.Error()+"\n\n"+awslive.StillWorks(s.table))
}

// liveDiagnostics are what could not be had of AWS's catalogue since it was last
// told. Prices are told once: the table stands in for them. Instance types of the
// table may not be passed off as AWS's of today, so their failure is an error,
// once; where that would stand in the way, it is a warning.
func (s *settings) liveDiagnostics(atMost finding.Severity) (diags diag.Diagnostics) {
	if s == nil || s.live == nil || s.live.catalog == nil {
		return nil
	}
	l := s.live
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.catalog.Problems() {
		if !p.Prices {
			l.typesProblem = p.Err
			continue
		}
		prices, _ := s.table.VolumePrices(catalog.DefaultRegion)
		diags.AddWarning(summaryLivePrices, fmt.Sprintf("%s\n\nThe embedded prices of %s are used in their place; attributes named source say so where there are any. Write catalog = %q to use them without a warning.",
			p.Err, prices.Source.AsOf, catalogEmbedded))
	}
	if l.typesProblem == nil {
		return diags
	}
	detail := l.typesProblem.Error() + "\n\n" + awslive.StillWorks(s.table)
	switch {
	case atMost == finding.Error && !l.ended:
		l.ended = true
		diags.AddError(summaryLive, detail)
	case atMost < finding.Error && !l.ended && !l.warned:
		l.warned = true
		diags.AddWarning(summaryLive, detail)
	}
	return diags
}

// begin is the beginning of a call of Terraform's that may ask AWS. What it asks
// itself, with the context, and what is looked up meanwhile has timeout_seconds
// together. Requests of look-ups end when the call is called off. end is to be
// called at the end.
func (s *settings) begin(ctx context.Context) (within context.Context, end func()) {
	if s == nil || s.live == nil || s.live.session == nil {
		return ctx, func() {}
	}
	within, cancel := s.live.session.Within(ctx)
	if s.live.catalog == nil {
		return within, cancel
	}
	release := context.AfterFunc(ctx, s.live.catalog.Cancel)
	done := s.live.catalog.Begin(within)
	return within, func() {
		release()
		done()
		cancel()
	}
}

// live wraps data sources so that each tells, after it was read, what could not
// be had of AWS's catalogue: look-ups themselves have no way to say it.
func live(constructors ...func() datasource.DataSource) []func() datasource.DataSource {
	out := make([]func() datasource.DataSource, len(constructors))
	for i, construct := range constructors {
		out[i] = func() datasource.DataSource { return &liveDataSource{DataSource: construct()} }
	}
	return out
}

var (
	_ datasource.DataSourceWithConfigure      = (*liveDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*liveDataSource)(nil)
)

type liveDataSource struct {
	datasource.DataSource
	settings *settings
}

// Configure takes the provider's settings, too.
func (d *liveDataSource) Configure(ctx context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	if c, ok := d.DataSource.(datasource.DataSourceWithConfigure); ok {
		c.Configure(ctx, req, resp)
	}
	d.settings, _ = req.ProviderData.(*settings)
}

// ValidateConfig is that of the data source.
func (d *liveDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	if v, ok := d.DataSource.(datasource.DataSourceWithValidateConfig); ok {
		v.ValidateConfig(ctx, req, resp)
	}
}

// Read reads, and tells.
func (d *liveDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	ctx, end := d.settings.begin(ctx)
	defer end()
	d.DataSource.Read(ctx, req, resp)
	resp.Diagnostics.Append(d.settings.liveDiagnostics(finding.Error)...)
}
