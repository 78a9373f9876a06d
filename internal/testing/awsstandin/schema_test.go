package awsstandin

import (
	"encoding/json"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
)

// The schema must be what readers of `terraform providers schema -json` expect,
// because other tests read it as well.
func TestSchemaIsInTerraformsFormat(t *testing.T) {
	var all tfjson.ProviderSchemas
	if err := json.Unmarshal(schemaJSON, &all); err != nil {
		t.Fatal(err)
	}
	schema := all.Schemas[Address]
	if schema == nil {
		t.Fatalf("there is no schema of %s", Address)
	}
	if r, d := len(schema.ResourceSchemas), len(schema.DataSourceSchemas); r != 52 || d != 19 {
		t.Errorf("%d resources and %d data sources, want 52 and 19", r, d)
	}
	checkBlock(t, "provider", schema.ConfigSchema.Block)
	for name, s := range schema.ResourceSchemas {
		checkBlock(t, name, s.Block)
	}
	for name, s := range schema.DataSourceSchemas {
		checkBlock(t, "data."+name, s.Block)
	}
}

func checkBlock(t *testing.T, path string, b *tfjson.SchemaBlock) {
	t.Helper()
	for name, a := range b.Attributes {
		if a.Required == (a.Optional || a.Computed) {
			t.Errorf("%s.%s: required %t, optional %t, computed %t", path, name, a.Required, a.Optional, a.Computed)
		}
	}
	for name, n := range b.NestedBlocks {
		checkBlock(t, path+"."+name, n.Block)
	}
}

func TestBehaviourLeadsSomewhere(t *testing.T) {
	s := newTestServer(t)
	o := s.resources["aws_launch_template"]
	for name, tt := range map[string]struct {
		behaviour behaviour
		want      string
	}{
		"attribute":   {behaviour{Defaults: map[string]any{"nam": "x"}}, "attribute nam"},
		"deep":        {behaviour{Values: map[string]any{"block_device_mappings.ebs.iop": 1}}, "attribute block_device_mappings.ebs.iop"},
		"block":       {behaviour{FilledBlocks: []string{"metadata"}}, "block metadata"},
		"block above": {behaviour{Enums: map[string][]string{"ebs.iops": nil}}, "block ebs"},
		"rule":        {behaviour{rules: rules{Conflicts: [][]string{{"name", "names"}}}}, "no names"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := o.add(tt.behaviour); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}
