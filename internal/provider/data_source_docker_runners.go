package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerhost"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*dockerRunnersDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*dockerRunnersDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*dockerRunnersDataSource)(nil)
)

// NewDockerRunnersDataSource is runnerfit_docker_runners.
func NewDockerRunnersDataSource() datasource.DataSource { return &dockerRunnersDataSource{} }

type dockerRunnersDataSource struct{ settings *settings }

type dockerRunnersModel struct {
	MemoryGiB           types.Number `tfsdk:"memory_gib"`
	CPUs                types.Number `tfsdk:"cpus"`
	Organizations       types.Number `tfsdk:"organizations"`
	Replicas            types.Number `tfsdk:"replicas"`
	MemoryLimitGiB      types.Number `tfsdk:"memory_limit_gib"`
	VMOverheadGiB       types.Number `tfsdk:"vm_overhead_gib"`
	BuildCacheGiB       types.Number `tfsdk:"build_cache_gib"`
	TmpfsMiB            types.Number `tfsdk:"tmpfs_mib"`
	CPUsPerRunner       types.Number `tfsdk:"cpus_per_runner"`
	NodeHeapMiB         types.Number `tfsdk:"node_heap_mib"`
	FileSharing         types.String `tfsdk:"file_sharing"`
	ExistingComposeYAML types.String `tfsdk:"existing_compose_yaml"`

	AvailableMemoryGiB       types.Float64 `tfsdk:"available_memory_gib"`
	RunnersWithoutOvercommit types.Int64   `tfsdk:"runners_without_overcommit"`
	ReplicasPerOrganization  types.Int64   `tfsdk:"replicas_per_organization"`
	TotalRunners             types.Int64   `tfsdk:"total_runners"`
	WorstCaseMemoryGiB       types.Float64 `tfsdk:"worst_case_memory_gib"`
	OvercommitRatio          types.Float64 `tfsdk:"overcommit_ratio"`
	CPURatio                 types.Float64 `tfsdk:"cpu_ratio"`
	VitestThreads            types.Int64   `tfsdk:"vitest_threads"`
	ComposeYAML              types.String  `tfsdk:"compose_yaml"`
	DotEnv                   types.String  `tfsdk:"dotenv"`
	Findings                 types.List    `tfsdk:"findings"`
}

func (d *dockerRunnersDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_docker_runners"
}

func (d *dockerRunnersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	input := func(description string) schema.NumberAttribute {
		return schema.NumberAttribute{MarkdownDescription: description, Optional: true}
	}
	count := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
	}
	figure := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "How many containerised runners fit the VM of Docker on one Mac: the usual count for each organisation, the count that never over-commits, what it takes to run out in between, and the Compose file to start them with. The defaults were measured with vitest, coverage and npm on Docker Desktop.",
		Attributes: map[string]schema.Attribute{
			"memory_gib":       schema.NumberAttribute{MarkdownDescription: "Memory of Docker's VM in GiB (Docker Desktop: Settings, Resources). It is not the Mac's, and its default has changed between versions.", Required: true},
			"cpus":             input("CPUs of the VM. Without them they are not judged."),
			"organizations":    input("Organisations that get runners of their own. Default 1."),
			"replicas":         input("Runners of each organisation. Default: as many as fit the VM if only this organisation is busy, which over-commits with more than one."),
			"memory_limit_gib": input("Memory limit of one container in GiB. Default 3, the peak of vitest with coverage."),
			"vm_overhead_gib":  input("GiB that the VM's system and the engine keep. Default 2."),
			"build_cache_gib":  input("GiB for BuildKit's cache. Default 1."),
			"tmpfs_mib":        input("MiB of tmpfs in one container, two thirds for `/tmp` and one for `/dev/shm`. They count inside the memory limit. Default 768."),
			"cpus_per_runner":  input("CPUs that one runner wants. Default 1.6: 16 for ten."),
			"node_heap_mib": schema.NumberAttribute{
				MarkdownDescription: "Node's `--max-old-space-size` in MiB. Left out: what fits, which is the limit less the tmpfs less 256 MiB for the rest of the process; 2,048 by default.",
				Optional:            true,
				Computed:            true,
			},
			"file_sharing": schema.StringAttribute{MarkdownDescription: "How Docker Desktop shares the Mac's files: `virtiofs`, `grpcfuse` or `osxfs`. Without it, it is not judged; `runnerfit diagnose docker` reads it from the settings file.", Optional: true},
			"existing_compose_yaml": schema.StringAttribute{
				MarkdownDescription: "Text of a Compose file that you have already, such as `file(\"compose.yaml\")`: its services are judged for limits, heap and mounts. Variables in it keep their defaults, and other files that it names are not read: one that it includes is a warning, one that it extends an error.",
				Optional:            true,
			},
			"available_memory_gib":       figure("GiB that the VM leaves to containers."),
			"runners_without_overcommit": count("Runners in all that can be at their limit at the same time."),
			"replicas_per_organization":  count("Runners of each organisation: `replicas`, or the usual count."),
			"total_runners":              count("Runners in all."),
			"worst_case_memory_gib":      figure("GiB that all runners may use: the sum of their limits."),
			"overcommit_ratio":           figure("`worst_case_memory_gib` over `available_memory_gib`; above 1 the VM runs out of memory when enough runners peak at once. Null if nothing is available."),
			"cpu_ratio":                  figure("CPUs that the runners want over those of the VM: 1 is about right, more is too little CPU. Null without `cpus`."),
			"vitest_threads":             count("`VITEST_MAX_THREADS` for each runner: its CPUs, rounded up. More only cost switches between containers."),
			"compose_yaml":               text("Compose file with a service for each organisation and all limits; the number of containers comes from `REPLICAS`. Null if no runner fits."),
			"dotenv":                     text("The `.env` file that goes beside it. Null if no runner fits."),
			"findings":                   dataSourceFindings(),
		},
	}
}

func (d *dockerRunnersDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *dockerRunnersDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m dockerRunnersModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(problems(m.host().Problems())...)
	if _, err := m.services(ctx); err != nil {
		resp.Diagnostics.Append(invalid(path.Root("existing_compose_yaml"), "existing_compose_yaml "+err.Error()))
	}
}

func (d *dockerRunnersDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m dockerRunnersModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	h := m.host()
	var err error
	if h.Services, err = m.services(ctx); err != nil {
		resp.Diagnostics.Append(invalid(path.Root("existing_compose_yaml"), "existing_compose_yaml "+err.Error()))
		return
	}
	plan, err := dockerhost.Evaluate(h)
	if err != nil {
		resp.Diagnostics.AddError("Compose file could not be written", "This is a bug in the provider; please report it: "+err.Error())
		return
	}
	if composefile.HasIncludes([]byte(m.ExistingComposeYAML.ValueString())) {
		resp.Diagnostics.AddAttributeWarning(path.Root("existing_compose_yaml"), "Included Compose files are not judged",
			"The Compose file includes others, which are not read here: their services are neither counted nor judged.\n\nGive the text that \"docker compose config\" prints, which has all services in it, or look at the files with \"runnerfit diagnose docker --compose FILE\".")
	}
	found, diags := d.settings.report(plan.Findings)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.show(plan)
	m.Findings = findingsValue(found)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// host is the configuration in the terms of the rules, but for the services.
func (m *dockerRunnersModel) host() dockerhost.Host {
	return dockerhost.Host{
		MemoryGiB:      optionalDecimal(m.MemoryGiB),
		CPUs:           optionalDecimal(m.CPUs),
		Organizations:  optionalDecimal(m.Organizations),
		Replicas:       optionalDecimal(m.Replicas),
		MemoryLimitGiB: optionalDecimal(m.MemoryLimitGiB),
		VMOverheadGiB:  optionalDecimal(m.VMOverheadGiB),
		BuildCacheGiB:  optionalDecimal(m.BuildCacheGiB),
		TmpfsMiB:       optionalDecimal(m.TmpfsMiB),
		CPUsPerRunner:  optionalDecimal(m.CPUsPerRunner),
		NodeHeapMiB:    optionalDecimal(m.NodeHeapMiB),
		FileSharing:    optional.Map(optionalString(m.FileSharing), func(s string) dockerhost.FileSharing { return dockerhost.FileSharing(s) }),
	}
}

// services reads the Compose file that is there already.
func (m *dockerRunnersModel) services(ctx context.Context) (optional.Value[[]composefile.Service], error) {
	text := optionalString(m.ExistingComposeYAML)
	content, ok := text.Get()
	if !ok {
		return optional.Map(text, func(string) []composefile.Service { return nil }), nil
	}
	services, err := composefile.Read(ctx, "compose.yaml", []byte(content), nil)
	return optional.Known(services), err
}

// show sets the results.
func (m *dockerRunnersModel) show(p dockerhost.Plan) {
	figure := func(v optional.Value[decimal.Decimal]) types.Float64 {
		return float64Of(optional.Map(v, decimal.Decimal.InexactFloat64))
	}
	if m.NodeHeapMiB.IsNull() {
		m.NodeHeapMiB = numberOf(optional.Map(p.NodeHeapMiB, decimal.NewFromInt))
	}
	m.AvailableMemoryGiB = figure(p.AvailableMemoryGiB)
	m.RunnersWithoutOvercommit = int64Of(p.RunnersWithoutOvercommit)
	m.ReplicasPerOrganization = int64Of(p.ReplicasPerOrganization)
	m.TotalRunners = int64Of(p.TotalRunners)
	m.WorstCaseMemoryGiB = figure(p.WorstCaseMemoryGiB)
	m.OvercommitRatio = figure(p.OvercommitRatio)
	m.CPURatio = figure(p.CPURatio)
	m.VitestThreads = int64Of(p.VitestThreads)
	m.ComposeYAML = stringOf(p.ComposeYAML)
	m.DotEnv = stringOf(p.DotEnv)
}
