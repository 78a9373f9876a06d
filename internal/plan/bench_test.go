package plan

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// manyTemplates is a plan of n launch templates with two volumes each, written as
// it is read, so that only what the reader keeps is in memory.
func manyTemplates(n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, `{"format_version":"1.2","planned_values":{"root_module":{"resources":[`)
		template := func(i int) string {
			return fmt.Sprintf(`{"block_device_mappings":[{"device_name":"/dev/xvda","ebs":[{"volume_type":"gp3","volume_size":40,"iops":3000,"throughput":%d}]},{"device_name":"/dev/sdf","ebs":[{"volume_type":"gp3","volume_size":100}]}],"instance_type":"m8a.xlarge","name_prefix":"t%d-","tags":{"Name":"t%d"},"user_data":%q}`,
				500+i%500, i, i, strings.Repeat("c2VjcmV0", 500))
		}
		for i := range n {
			_, _ = fmt.Fprintf(w, `{"address":"aws_launch_template.t[%d]","values":%s},`, i, template(i))
		}
		_, _ = io.WriteString(w, `{}]}},"resource_changes":[`)
		for i := range n {
			comma := ","
			if i == n-1 {
				comma = ""
			}
			_, _ = fmt.Fprintf(w, `{"address":"aws_launch_template.t[%d]","mode":"managed","type":"aws_launch_template","name":"t","index":%d,"change":{"actions":["create"],"before":null,"after":%s,"after_unknown":{"id":true,"block_device_mappings":[{"ebs":[{}]},{"ebs":[{"iops":true,"throughput":true}]}]},"before_sensitive":false,"after_sensitive":{"block_device_mappings":[{"ebs":[{}]},{"ebs":[{}]}]}}}%s`, i, i, template(i), comma)
		}
		_, _ = io.WriteString(w, `]}`)
		_ = w.Close()
	}()
	return r
}

func BenchmarkReadJSON(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d, err := ReadJSON(manyTemplates(n), "plan.json")
				if err != nil || len(d.Configuration.Machines) != n {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLink: of many groups each refers to the template of its own index.
func BenchmarkLink(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var text strings.Builder
			text.WriteString(`{"format_version":"1.2","resource_changes":[{}`)
			for i := range n {
				_, _ = fmt.Fprintf(&text, `,{"address":"aws_launch_template.t[%[1]d]","mode":"managed","type":"aws_launch_template","name":"t","index":%[1]d,"change":{"actions":["create"],"after":{"instance_type":"m8a.xlarge"},"after_unknown":{"id":true}}},`+
					`{"address":"aws_autoscaling_group.g[%[1]d]","mode":"managed","type":"aws_autoscaling_group","name":"g","index":%[1]d,"change":{"actions":["create"],"after":{"max_size":1,"launch_template":[{}]},"after_unknown":{"launch_template":[{"id":true}]}}}`, i)
			}
			text.WriteString(`],"configuration":{"root_module":{"resources":[{"address":"aws_autoscaling_group.g","mode":"managed","type":"aws_autoscaling_group","name":"g","expressions":{"launch_template":[{"id":{"references":["aws_launch_template.t","count.index"]}}]}}]}}}`)
			b.ReportAllocs()
			for b.Loop() {
				d, err := ReadJSON(strings.NewReader(text.String()), "plan.json")
				if err != nil || len(d.Configuration.Groups) != n || len(d.Configuration.Groups[n-1].Machines) != 1 {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadFolder(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			dir := b.TempDir()
			var text strings.Builder
			text.WriteString("locals {\n  speed = 750\n}\n")
			for i := range n {
				fmt.Fprintf(&text, "resource \"aws_launch_template\" \"t%d\" {\n  instance_type = \"m8a.xlarge\"\n  block_device_mappings {\n    device_name = \"/dev/xvda\"\n    ebs {\n      volume_type = \"gp3\"\n      volume_size = 40\n      throughput  = local.speed\n    }\n  }\n}\n", i)
			}
			if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text.String()), 0o600); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				f, err := ReadFolders(b.Context(), []string{dir}, Options{})
				if err != nil || len(f.Roots[0].Machines) != n {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadJSONKept reports the memory that a plan takes before its
// configuration is read, and the model after it, for each resource.
func BenchmarkReadJSONKept(b *testing.B) {
	const n = 10_000
	held := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	var packed, model float64
	for b.Loop() {
		before := held()
		r := newJSONReader(manyTemplates(n))
		d := &document{r: r, config: &configModule{}}
		if err := r.object(d.member); err != nil {
			b.Fatal(err)
		}
		packed = (held() - before) / n
		out, err := d.finish()
		if err != nil {
			b.Fatal(err)
		}
		model = (held() - before) / n
		runtime.KeepAlive(out)
	}
	b.ReportMetric(packed, "packed-B/resource")
	b.ReportMetric(model, "model-B/resource")
}
