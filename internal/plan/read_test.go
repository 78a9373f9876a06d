package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

const planStart = `{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[`

// volumeChange is a planned volume.
const volumeChange = `{"address":"aws_ebs_volume.v","mode":"managed","type":"aws_ebs_volume","name":"v","provider_name":"registry.terraform.io/hashicorp/aws",
"change":{"actions":["create"],"before":null,"after":{"size":40,"type":"gp3","iops":3000,"throughput":1000},"after_unknown":{"id":true},"before_sensitive":false,"after_sensitive":{}}}`

func TestReadJSONRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		line int
		says string
	}{
		"nothing":                   {"", 1, "input is empty"},
		"white space":               {" \n ", 2, "cut off"},
		"cut off":                   {planStart + "\n" + volumeChange[:200], 3, "cut off"},
		"cut off in a text":         {planStart + `{"address":"aws_ebs`, 1, "cut off"},
		"nested too deeply":         {planStart + `{"mode":"managed","type":"aws_ebs_volume","change":{"after":{"size":` + strings.Repeat("[", 1_000_000), 1, "nested more than"},
		"nested in what is skipped": {`{"format_version":"1.2","prior_state":` + strings.Repeat(`{"a":`, 1_000_000), 1, "nested more than"},
		"old version":               {`{"format_version":"0.1"}`, 1, "format_version 0.x"},
		"unknown version":           {"{\n\"format_version\":\"2.0\"}", 2, "not known here"},
		"no version":                {`{"resource_changes":[]}`, 1, "no format_version"},
		"other JSON":                {`{"name":"x","version":"1.0.0"}`, 1, "no plan and no state"},
		"no object":                 {`[1]`, 1, "no JSON object"},
		"raw state":                 {`{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"x","outputs":{},"resources":[]}`, 1, "state file as Terraform stores it"},
		"log of plan -json":         {`{"@level":"info","@message":"Terraform 1.11.4"}` + "\n" + `{"@level":"info"}`, 1, "log that terraform plan -json prints"},
		"saved plan":                {"PK\x03\x04\x14\x00", 1, "saved plan"},
		"text":                      {"Terraform used the selected providers", 1, "no JSON object"},
		"garbage in a value":        {planStart + `nonsense]}`, 1, "not JSON"},
		"no comma":                  {`{"format_version":"1.2" "errored":false}`, 1, "expected here"},
		"two values":                {`{"format_version":"1.2","resource_changes":[]} {}`, 1, "follows the end"},
		"control character":         {"{\"format_version\":\"1.2\",\"a\":\"x\ny\"}", 2, "control character"},
		"bad escape":                {`{"format_version":"1.2","\q":1}`, 1, "no escape"},
		"hexadecimal":               {`{"format_version":"1.2","applyable":0x10,"resource_changes":[]}`, 1, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadJSON(strings.NewReader(tt.text), "plan.json")
			e, ok := errors.AsType[*JSONError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if e.Line != tt.line || e.Column < 1 || !strings.Contains(e.Message, tt.says) {
				t.Errorf("line %d, column %d: %s", e.Line, e.Column, e.Message)
			}
		})
	}
}

func TestReadJSON(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text    string
		volumes int
		errored bool
		notes   int
	}{
		"plan":              {planStart + volumeChange + "]}", 1, false, 0},
		"byte order mark":   {"\uFEFF" + planStart + volumeChange + "]}", 1, false, 0},
		"Windows line ends": {strings.ReplaceAll("{\n\"format_version\":\"1.2\",\n\"resource_changes\":[\n"+volumeChange+"\n]}\n", "\n", "\r\n"), 1, false, 0},
		"errored":           {planStart + volumeChange + `],"errored":true,"complete":false}`, 1, true, 0},
		"not complete":      {planStart + volumeChange + `],"errored":false,"complete":false}`, 1, false, 1},
		"empty plan":        {planStart + `]}`, 0, false, 0},
		"null":              {`{"format_version":"1.2","resource_changes":null,"configuration":null}`, 0, false, 0},
		"empty state":       {`{"format_version":"1.0"}`, 0, false, 0},
		"deleted":           {planStart + strings.Replace(volumeChange, `["create"]`, `["delete"]`, 1) + "]}", 0, false, 0},
		"data source":       {planStart + strings.Replace(volumeChange, `"managed"`, `"data"`, 1) + "]}", 0, false, 0},
		"state": {
			`{"format_version":"1.0","values":{"root_module":{"resources":[],"child_modules":[{"resources":[{"address":"module.m.aws_ebs_volume.v","mode":"managed","type":"aws_ebs_volume","name":"v","values":{"size":40,"type":"gp2","iops":120}}],"address":"module.m"}]}}}`,
			1, false, 0,
		},
		"a line of ten megabytes": {
			planStart + strings.Replace(volumeChange, `"size":40`, `"size":40,"user_data":"`+strings.Repeat("x", 10<<20)+`"`, 1) + "]}", 1, false, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := ReadJSON(strings.NewReader(tt.text), "plan.json")
			if err != nil {
				t.Fatal(err)
			}
			if got := len(d.Configuration.Volumes); got != tt.volumes || d.Errored != tt.errored || len(d.Notes) != tt.notes {
				t.Errorf("%d volumes, errored %v, notes %v", got, d.Errored, d.Notes)
			}
		})
	}
}

// What is unknown, secret, or absent is never null.
func TestReadJSONValues(t *testing.T) {
	t.Parallel()
	read := func(after, unknown, secret, expressions string) *StandaloneVolume {
		t.Helper()
		configuration := ""
		if expressions != "" {
			configuration = `,"configuration":{"root_module":{"resources":[{"address":"aws_ebs_volume.v","mode":"managed","type":"aws_ebs_volume","name":"v","expressions":` + expressions + `}]}}`
		}
		text := planStart + `{"address":"aws_ebs_volume.v","mode":"managed","type":"aws_ebs_volume","name":"v","change":{"actions":["create"],"before":null,"after":` +
			after + `,"after_unknown":` + unknown + `,"after_sensitive":` + secret + `}}]` + configuration + "}"
		d, err := ReadJSON(strings.NewReader(text), "plan.json")
		if err != nil {
			t.Fatal(err)
		}
		return d.Configuration.Volumes[0]
	}
	isKnown, isNull, isUnknown := "known", "null", "unknown"
	state := func(v interface {
		IsKnown() bool
		IsNull() bool
	},
	) string {
		switch {
		case v.IsKnown():
			return isKnown
		case v.IsNull():
			return isNull
		}
		return isUnknown
	}
	for name, tt := range map[string]struct{ after, unknown, secret, expressions, want string }{
		"known":                     {`{"type":"gp3","iops":4000}`, `{}`, `{}`, `{"iops":{"constant_value":4000}}`, isKnown},
		"null":                      {`{"type":"gp3","iops":null}`, `{}`, `{}`, `{}`, isNull},
		"unknown and written":       {`{"type":"gp3"}`, `{"iops":true}`, `{}`, `{"iops":{"references":["var.x"]}}`, isUnknown},
		"unknown and left out":      {`{"type":"gp3"}`, `{"iops":true}`, `{}`, `{"type":{"constant_value":"gp3"}}`, isNull},
		"unknown, no configuration": {`{"type":"gp3"}`, `{"iops":true}`, `{}`, ``, isUnknown},
		"absent":                    {`{"type":"gp3"}`, `{}`, `{}`, `{}`, isUnknown},
		"secret":                    {`{"type":"gp3","iops":4000}`, `{}`, `{"iops":true}`, `{"iops":{"references":["var.x"]}}`, isUnknown},
		"all secret":                {`{"type":"gp3","iops":4000}`, `{}`, `true`, `{}`, isUnknown},
		"computed for gp2":          {`{"type":"gp2","iops":120}`, `{}`, `{}`, `{"type":{"constant_value":"gp2"}}`, isNull},
		"written for gp2":           {`{"type":"gp2","iops":120}`, `{}`, `{}`, `{"iops":{"constant_value":120}}`, isKnown},
		"text":                      {`{"type":"gp3","iops":"4000"}`, `{}`, `{}`, `{"iops":{"constant_value":"4000"}}`, isKnown},
		"far too large":             {`{"type":"gp3","iops":1e999999999}`, `{}`, `{}`, `{"iops":{}}`, isKnown},
		"far too fine":              {`{"type":"gp3","iops":1e-999999999}`, `{}`, `{}`, `{"iops":{}}`, isUnknown},
		"far too long":              {`{"type":"gp3","iops":1` + strings.Repeat("0", 2000) + `}`, `{}`, `{}`, `{"iops":{}}`, isUnknown},
	} {
		v := read(tt.after, tt.unknown, tt.secret, tt.expressions)
		if got := state(v.IOPS); got != tt.want {
			t.Errorf("%s: it is %s, want %s", name, got, tt.want)
		}
	}
	v := read(`{"type":"gp3","iops":4000}`, `{}`, `{}`, `{"iops":{"references":["runnerfit_mac_host_storage.h.root.iops","runnerfit_mac_host_storage.h.root","runnerfit_mac_host_storage.h"]}}`)
	if !v.Guarded() {
		t.Error("a value of a guard does not count as guarded")
	}
	if v.Volume.Type.Value != optional.Known("gp3") {
		t.Error(v)
	}
}

// broken are folders of which a part cannot be read: what is wrong, where, and
// that the rest is read all the same.
func TestReadFoldersProblems(t *testing.T) {
	t.Parallel()
	const good = "resource \"aws_ebs_volume\" \"v\" {\n  size = 1\n}\n"
	for name, tt := range map[string]struct {
		files   map[string]string
		prepare func(t *testing.T, dir string)
		at      string // file:line
		says    string
		volumes int
	}{
		"syntax":            {map[string]string{"bad.tf": "resource \"aws_ebs_volume\" \"w\" {\n  size = = 1\n}\n"}, nil, "bad.tf:2", "Invalid expression", 1},
		"not closed":        {map[string]string{"bad.tf": "locals {\n  a = 1\n"}, nil, "bad.tf:1", "Unclosed", 1},
		"JSON":              {map[string]string{"bad.tf.json": "{\n\"resource\": {\n"}, nil, "bad.tf.json:", "", 1},
		"binary":            {map[string]string{"bad.tf": "\x00\x01\xff"}, nil, "bad.tf:1", "", 1},
		"deep":              {map[string]string{"bad.tf": "locals {\n a = " + strings.Repeat("[", 100_000) + "\n}\n"}, nil, "bad.tf:2", "nested", 1},
		"deep JSON":         {map[string]string{"bad.tf.json": strings.Repeat("[", 100_000)}, nil, "bad.tf.json:1", "nested", 1},
		"long line":         {map[string]string{"long.tf": "locals {\n  a = \"" + strings.Repeat("x", 10<<20) + "\"\n}\n"}, nil, "", "", 1},
		"values":            {map[string]string{"terraform.tfvars": "a = \n"}, nil, "terraform.tfvars:1", "", 1},
		"ignore, no reason": {map[string]string{"x.tf": "locals {\n  a = 1 # runnerfit:ignore gp3-size-range\n}\n"}, nil, "x.tf:2", "needs its id and a reason", 1},
		"folder named .tf":  {map[string]string{"x.tf/y.txt": ""}, nil, "", "", 1},
		"link in a circle": {nil, func(t *testing.T, dir string) {
			t.Helper()
			link(t, "b.tf", filepath.Join(dir, "a.tf"))
			link(t, "a.tf", filepath.Join(dir, "b.tf"))
		}, "a.tf:0", "too many", 1},
		"link to the folder above": {nil, func(t *testing.T, dir string) {
			t.Helper()
			link(t, "..", filepath.Join(dir, "up"))
			link(t, ".", filepath.Join(dir, "here"))
		}, "", "", 1},
		"link to nothing":     {nil, func(t *testing.T, dir string) { t.Helper(); link(t, "none", filepath.Join(dir, "a.tf")) }, "a.tf:0", "no such file", 1},
		"module calls itself": {map[string]string{"m.tf": "module \"m\" {\n  source = \"./\"\n}\n"}, nil, "m.tf:1", "calls itself", 1},
		"modules call each other": {
			map[string]string{"m.tf": "module \"m\" {\n  source = \"./a\"\n}\n", "a/m.tf": "module \"m\" {\n  source = \"../b\"\n}\n", "b/m.tf": "module \"m\" {\n  source = \"../a\"\n}\n"},
			nil, "b/m.tf:1", "calls itself", 1,
		},
		"module that is not there": {map[string]string{"m.tf": "module \"m\" {\n  source = \"./none\"\n}\n"}, nil, "m.tf:1", "no folder of the module's source", 1},
		"unreadable": {map[string]string{"bad.tf": good}, func(t *testing.T, dir string) {
			t.Helper()
			if os.Getuid() == 0 {
				t.Skip("root may read everything")
			}
			if err := os.Chmod(filepath.Join(dir, "bad.tf"), 0); err != nil {
				t.Fatal(err)
			}
		}, "bad.tf:0", "permission", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "good.tf", good)
			for file, content := range tt.files {
				write(t, dir, file, content)
			}
			if tt.prepare != nil {
				tt.prepare(t, dir)
			}
			folders, err := ReadFolders(t.Context(), []string{dir}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			found := tt.at == "" && len(folders.Problems) == 0
			for _, p := range folders.Problems {
				rel, _ := filepath.Rel(dir, p.File)
				line := fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), p.Line, p.Message)
				got = append(got, line)
				found = found || tt.at != "" && strings.HasPrefix(line, tt.at) && strings.Contains(line, tt.says) && strings.HasSuffix(line, ".")
			}
			if !found || strings.HasPrefix(name, "module that") && len(got) != 1 {
				t.Errorf("problems: %q", got)
			}
			volumes := 0
			for _, c := range folders.Roots {
				volumes += len(c.Volumes)
			}
			if volumes != tt.volumes {
				t.Errorf("%d volumes", volumes)
			}
		})
	}
}

// Values that grow with each local value end, and so does what is made of many
// of them; what they go into is unknown.
func TestValuesThatGrow(t *testing.T) {
	t.Parallel()
	const last = 60
	var text strings.Builder
	text.WriteString("locals {\n  s0 = \"0123456789\"\n  l0 = [1, 2]\n  m0 = { a = 1 }\n")
	for i := range last {
		fmt.Fprintf(&text, "  s%[2]d = \"${local.s%[1]d}${local.s%[1]d}\"\n  l%[2]d = [local.l%[1]d, local.l%[1]d]\n  m%[2]d = { a = local.m%[1]d, b = local.m%[1]d }\n", i, i+1)
	}
	text.WriteString("  many = \"" + strings.Repeat("${local.s12}", 2_000) + "\"\n}\n")
	fmt.Fprintf(&text, "resource \"aws_ebs_volume\" \"v\" {\n  size = length(local.s%[1]d)\n  iops = length(flatten(local.l%[1]d))\n  throughput = length(jsonencode(local.m%[1]d))\n  type = local.many\n  snapshot_id = local.s3\n}\n", last)
	dir := t.TempDir()
	write(t, dir, "m.tf", text.String())
	folders, err := ReadFolders(t.Context(), []string{dir}, Options{})
	if err != nil || len(folders.Problems) > 0 {
		t.Fatal(err, folders.Problems)
	}
	v := folders.Roots[0].Volumes[0]
	if !v.SizeGiB.IsUnknown() || !v.IOPS.IsUnknown() || !v.Throughput.IsUnknown() || !v.Volume.Type.IsUnknown() {
		t.Errorf("size %v, iops %v, throughput %v", v.SizeGiB.Value, v.IOPS.Value, v.Throughput.Value)
	}
	if s, _ := v.SnapshotID.Get(); len(s) != 80 {
		t.Errorf("a short one is %q", s)
	}
}

// Modules from elsewhere are not looked at, and that is said.
func TestReadFoldersNotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "m.tf", "module \"r\" {\n  source = \"terraform-aws-modules/ec2-instance/aws\"\n}\nmodule \"g\" {\n  source = \"git::https://example.com/m.git\"\n}\nmodule \"l\" {\n  source = \"./l\"\n}\n")
	write(t, dir, "l/m.tf", "locals {}\n")
	folders, err := ReadFolders(t.Context(), []string{dir}, Options{})
	if err != nil || len(folders.Problems) > 0 {
		t.Fatal(err, folders.Problems)
	}
	if len(folders.Notes) != 1 || !strings.Contains(folders.Notes[0], "m.tf line 1, ") || !strings.Contains(folders.Notes[0], "m.tf line 4)") {
		t.Errorf("notes: %q", folders.Notes)
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip(err)
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(planStart + volumeChange + `],"configuration":{"provider_config":{"aws":{"expressions":{"region":{"constant_value":"us-east-1"}}}},"root_module":{"resources":[],"module_calls":{"m":{"expressions":{"x":{"references":["var.y"]}},"module":{"outputs":{"o":{"expression":{"references":["aws_ebs_volume.v.id"]}}}}}}}}}`))
	f.Add([]byte(`{"format_version":"1.0","values":{"root_module":{"child_modules":[{}]}}}`))
	f.Add([]byte(`{"format_version":"1.2","a":"\ud83d\ude00\u00e9"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ReadJSON(strings.NewReader(string(text)), "plan.json")
		if (d == nil) == (err == nil) {
			t.Errorf("%v, %v", d, err)
		}
		if e, ok := errors.AsType[*JSONError](err); ok && (e.Line < 1 || e.Column < 1 || e.Message == "") {
			t.Errorf("%+v", e)
		}
	})
}

func FuzzReadFolder(f *testing.F) {
	f.Add([]byte("locals {\n  a = { for k, v in var.x : k => v... }\n}\nresource \"aws_instance\" \"i\" {\n  for_each = local.a\n  instance_type = each.value[0]\n  dynamic \"ebs_block_device\" {\n    for_each = [1]\n    content {\n      iops = ebs_block_device.value\n    }\n  }\n}\n"))
	f.Add([]byte("variable \"x\" {\n  type = object({ a = optional(map(number), {}) })\n  default = {}\n}\nmodule \"m\" {\n  source = \"./\"\n  x = module.m.x[*].y\n}\noutput \"x\" {\n  value = try(one(var.x.a[*]), null)\n}\n"))
	f.Add([]byte("resource \"aws_ebs_volume\" \"v\" {\n  size = 1 # runnerfit:ignore x y\n  type = \"gp${3}\"\n  lifecycle {\n    ignore_changes = all\n  }\n}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "m.tf"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFolders(t.Context(), []string{dir}, Options{}); err != nil {
			t.Fatal(err)
		}
	})
}
