package composefile_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/composefile"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// byLoader reads a Compose file with Compose's own library.
func byLoader(ctx context.Context, file string, content []byte, env map[string]string) ([]composefile.Service, error) {
	project, err := loader.LoadWithContext(ctx, types.ConfigDetails{
		WorkingDir: filepath.Dir(file), ConfigFiles: []types.ConfigFile{{Filename: file, Content: content}}, Environment: maps.Clone(env),
	}, func(o *loader.Options) {
		o.SetProjectName("runners", true)
		o.SkipResolveEnvironment, o.SkipResolveLabels = true, true
	})
	if err != nil {
		return nil, err
	}
	out := []composefile.Service{}
	for _, name := range slices.Sorted(maps.Keys(project.Services)) {
		out = append(out, service(project.Services[name]))
	}
	return out, nil
}

func service(s types.ServiceConfig) composefile.Service {
	ulimit := func(name string) int64 {
		if u := s.Ulimits[name]; u != nil {
			return int64(max(u.Single, u.Soft))
		}
		return 0
	}
	out := composefile.Service{
		Name: s.Name, Replicas: int64(s.GetScale()),
		MemoryLimitBytes: max(0, int64(s.MemLimit)), ReservationBytes: int64(s.MemReservation),
		PidsLimit: s.PidsLimit, CPUs: float64(s.CPUS), FilesLimit: ulimit("nofile"), ProcessesLimit: ulimit("nproc"),
	}
	if s.Deploy != nil && s.Deploy.Resources.Limits != nil {
		l := s.Deploy.Resources.Limits
		out.MemoryLimitBytes = max(out.MemoryLimitBytes, int64(l.MemoryBytes))
		out.PidsLimit, out.CPUs = max(out.PidsLimit, l.Pids), max(out.CPUs, float64(l.NanoCPUs.Value()))
	}
	if s.Deploy != nil && s.Deploy.Resources.Reservations != nil {
		out.ReservationBytes = max(out.ReservationBytes, int64(s.Deploy.Resources.Reservations.MemoryBytes))
	}
	for _, t := range s.Tmpfs {
		_, options, _ := strings.Cut(t, ":")
		out.AddTmpfs(options)
	}
	for _, v := range s.Volumes {
		switch {
		case v.Type == types.VolumeTypeTmpfs && v.Tmpfs != nil && v.Tmpfs.Size > 0:
			out.TmpfsBytes += int64(v.Tmpfs.Size)
		case v.Type == types.VolumeTypeTmpfs:
			out.UnsizedTmpfs = true
		case v.Type == types.VolumeTypeBind && !strings.HasSuffix(v.Target, ".sock"):
			out.BindMounts = append(out.BindMounts, v.Target)
		}
	}
	if v := s.Environment["NODE_OPTIONS"]; v != nil {
		out.NodeHeapMiB = composefile.NodeHeap(*v)
	}
	return out
}

// asLoader: the library counts CPUs with fewer digits.
var asLoader = cmp.Options{
	cmp.Comparer(func(a, b optional.Value[int64]) bool { return a == b }), cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }),
}

func writeFiles(t interface{ Fatal(...any) }, dir string, files map[string]string) {
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What is read of a Compose file is what Compose reads.
func TestAsComposeReads(t *testing.T) {
	type files = map[string]string
	for name, tc := range map[string]struct {
		file  string
		files files
		env   map[string]string
	}{
		"no service":     {file: "name: x\nservices: {}\n"},
		"an old version": {file: "version: '3'\nservices: {a: {image: x}}\n"},
		"limits": {file: `
services:
  older: {image: x, scale: 3, mem_limit: 512m, mem_reservation: 64mb, pids_limit: 100, cpus: 1.5}
  newer: {image: x, deploy: {replicas: 2, resources: {limits: {memory: 1g, cpus: "0.75", pids: 7}, reservations: {memory: 1k}}}}
  texts: {image: x, scale: "3", mem_limit: "1073741824", pids_limit: "100", cpus: "1.5", ulimits: {nofile: "5", nproc: {soft: "1", hard: "2"}}}
  numbers: {image: x, mem_limit: 0x10, pids_limit: 0o17, cpus: 2, ulimits: {nofile: 1_000}}
  negative: {image: x, mem_limit: -1, pids_limit: -1}
  same: {image: x, scale: 2, mem_limit: 1g, deploy: {replicas: 2, resources: {limits: {memory: 1024m}}}}
  nothing: {image: x, deploy: }
  none: {image: x, scale: 0, ulimits: {}, tmpfs: [], volumes: [], environment: {}, profiles: []}
`},
		"mounts": {file: `
services:
  a:
    image: x
    tmpfs: /run
    volumes:
      - /anonymous
      - data:/data
      - ./src/:/src/
      - ~/.npm:/root/.npm:ro,cached
      - C:\code:/code
      - C:\more:D:\more:ro
      - \\.\pipe\docker_engine:/pipe
      - /var/run/docker.sock:/var/run/docker.sock
      - {type: bind, source: ., target: /work/../here}
      - {type: volume, source: data, target: /again}
      - {type: tmpfs, target: /unsized}
      - {type: tmpfs, target: /sized, tmpfs: {size: 64m, mode: 1777}}
      - {type: tmpfs, target: /bytes, tmpfs: {size: 1048576}}
  b:
    image: x
    tmpfs: ["/tmp:size=512m,mode=1777", "/dev/shm:mode=1777,size=1g", "/x:size=", "/y:noexec"]
    volumes: [x, ":/", /a]
volumes: {data: }
`},
		"mounts at one place": {file: "services: {a: {image: x, volumes: [./a:/x, './b:/y', 'v:/x'], tmpfs: ['/t:size=1m', '/t:size=2m']}}\nvolumes: {v: }\n"},
		"environment": {env: map[string]string{"NODE_OPTIONS": "--max-old-space-size=99"}, file: `
services:
  mapping: {image: x, environment: {NODE_OPTIONS: --max-old-space-size=1, OTHER: 5, NO: null}}
  list: {image: x, environment: [A=b, NODE_OPTIONS=--max-old-space-size=2 --x=y]}
  twice: {image: x, environment: [NODE_OPTIONS=--max-old-space-size=2, NODE_OPTIONS=--max-old-space-size=3]}
  named: {image: x, environment: [NODE_OPTIONS]}
  nothing: {image: x, environment: {NODE_OPTIONS: }}
  empty: {image: x, environment: {NODE_OPTIONS: ""}}
`},
		"a variable that is named and is not there": {file: "services: {a: {image: x, environment: [NODE_OPTIONS]}}\n"},
		"variables": {env: map[string]string{"N": "3", "EMPTY": "", "MEM": "2g"}, file: `
services:
  a: {image: "$IMAGE:${TAG:-1}", scale: $N, mem_limit: "${MEM}", pids_limit: "${NONE:-5}", cpus: "${NONE-1.5}"}
  b: {image: x, scale: "${EMPTY:-4}", mem_limit: "${N}${N}m", environment: {NODE_OPTIONS: "--max-old-space-size=${NONE:-${N}}"}}
  c: {image: x, command: "echo $$HOME $(date)", volumes: ["${WHERE:-./src}:/src"], tmpfs: "/tmp:size=${N:?}m", ulimits: {nproc: "${N}", nofile: {soft: "${N}", hard: "$N"}}}
  d: {image: x, mem_limit: "${N:+1g}", deploy: {replicas: "${N}"}, profiles: ["${NONE:-p}"]}
`},
		"profiles": {file: "services: {a: {image: x}, b: {image: x, profiles: [debug]}, c: {image: x, profiles: []}}\n"},
		"anchors": {file: `
x-limits: &limits {mem_limit: 1g, pids_limit: 5}
x-more: &more {mem_limit: 2g, cpus: 2, ulimits: &ulimits {nproc: 5}}
x-both: &both [*limits, *more]
services:
  a: &a {<<: *limits, image: x}
  b: {image: x, <<: [*limits, *more]}
  c: {image: x, <<: [*more, *limits], mem_limit: 3g}
  d: *a
  e: {<<: {<<: *more, cpus: 1}, image: x}
  f: {<<: *both, image: x}
  g: {image: x, ulimits: {<<: *ulimits, nofile: 6}}
`},
		"documents": {file: `
services:
  a: {image: x, mem_limit: 1g, tmpfs: /run, environment: [A=b], ulimits: {nproc: 1}, volumes: [./a:/a], deploy: {resources: {reservations: {memory: 1m}}}}
  b: {image: x, scale: 2, extends: a}
---
services:
  a: {mem_limit: 2g, tmpfs: ["/tmp:size=1m"], environment: {NODE_OPTIONS: --max-old-space-size=5}, ulimits: {nofile: 2}, volumes: [{type: bind, source: ./b, target: /a}, ./c:/c], deploy: {replicas: 3}}
  c: {image: x}
---
x-nothing: 1
`},
		"reset and override": {file: `
services:
  a: {image: x, mem_limit: 1g, tmpfs: [/run], volumes: [./a:/a], deploy: {replicas: 2, resources: {limits: {pids: 5}}}, cpus: 1, ulimits: {nproc: 5, nofile: 5}}
  b: {image: x}
---
services:
  a: {tmpfs: !override ["/tmp:size=1m"], volumes: !reset [], mem_limit: !reset null, cpus: !reset null, deploy: !override {replicas: 3}, ulimits: {nproc: !reset null}}
  b: !reset null
`},
		"extends": {file: `
services:
  base: {image: x, mem_limit: 1g, scale: 2, tmpfs: "/run:size=1m", environment: {NODE_OPTIONS: --max-old-space-size=5}, ulimits: {nproc: 5, nofile: {soft: 1, hard: 2}}, volumes: [./a:/a], profiles: [base]}
  a: {extends: base, mem_limit: 2g, tmpfs: ["/tmp:size=1m"], environment: [B=c], ulimits: {nproc: {soft: 8, hard: 9}, nofile: {soft: 7, hard: 7}}, volumes: [v:/a, ./b:/b]}
  b: {extends: {service: a}, tmpfs: !reset null, profiles: !reset null, environment: {NODE_OPTIONS: --max-old-space-size=6}}
  c: {extends: b, deploy: {replicas: 2}}
volumes: {v: }
`},
		"extends other files": {file: `
services:
  a: {extends: {file: other.yaml, service: a}, scale: 2}
  b: {extends: {file: sub/deep.yaml, service: b}}
  c: {extends: {file: ./sub/deep.yaml, service: c}}
`, env: map[string]string{"MEM": "3g"}, files: files{
			"other.yaml":    "include: [none.yaml]\nservices:\n  a: {image: x, mem_limit: '${MEM}', volumes: [./a:/a]}\n  unused: {extends: nobody}\n",
			"sub/deep.yaml": "services:\n  b: {extends: {file: ../other.yaml, service: a}, pids_limit: 5}\n  c: {extends: b, cpus: 1}\n---\nservices:\n  b: {mem_limit: 1g}\n",
		}},
		"includes": {file: "include: [other.yaml, {path: sub/inc.yaml}]\nservices:\n  a: {image: x, scale: 3}\n  own: {extends: a}\n", env: map[string]string{"OUTER": "2"}, files: files{
			"other.yaml":    "services:\n  a: {image: x, scale: 2, mem_limit: 1g, tmpfs: /run}\n",
			"sub/inc.yaml":  "include: [more.yaml]\nservices:\n  b: {image: x, mem_limit: '${MEM}', scale: '${OUTER}'}\n  c: {extends: {file: base.yaml, service: c}}\n",
			"sub/more.yaml": "services:\n  d: {image: x, mem_limit: '${MEM}', profiles: ['${PROFILE}']}\n  e: {image: x, environment: [NODE_OPTIONS]}\n",
			"sub/.env":      "MEM=${OUTER}g\nOUTER=9\nPROFILE=p\nNODE_OPTIONS=--max-old-space-size=7\n", "sub/base.yaml": "services:\n  c: {image: x, pids_limit: '${OUTER}'}\n",
		}},
		"an include of several files": {file: "include: [{path: [a.yaml, sub/b.yaml], project_directory: sub, env_file: [one.env, two.env]}, {path: c.yaml, env_file: /dev/null}]\nservices: {}\n", files: files{
			"a.yaml": "services:\n  a: {image: x, mem_limit: '${A}', scale: '${B}'}\n", "sub/b.yaml": "services:\n  a: {extends: {file: base.yaml, service: a}, scale: 5}\n",
			"sub/base.yaml": "services:\n  a: {image: x, cpus: 2}\n", "one.env": "A=1g\nB=1\n", "two.env": "B=${A}2\nexport B=2\n", "c.yaml": "services:\n  c: {image: x, scale: '${A:-3}'}\n", ".env": "A=7\n",
		}},
		"the same mount again": {file: "include: [a.yaml]\nservices:\n  c: {extends: b, image: x}\n  b: {image: x, extends: a, volumes: ['./x:/x']}\n  a: {image: x, volumes: ['./x:/x', '/var/run/docker.sock:/s.sock', 'v:/x', './y:/y']}\nvolumes: {v: }\n", files: files{
			"a.yaml": "services:\n  c: {image: x, tmpfs: [/t, '/u:size=1m'], volumes: ['./y:/y']}\n  b: {image: x, tmpfs: [/t]}\n",
		}},
		"one file on two ways": {file: "include: [a.yaml, b.yaml]\n", files: files{
			"a.yaml": "include: [c.yaml]\n", "b.yaml": "include: [c.yaml]\nservices:\n  b: {extends: c}\n", "c.yaml": "services:\n  c: {image: x, tmpfs: '/run:size=1m', volumes: [./a:/a]}\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, tc.files)
			file := filepath.Join(dir, "compose.yaml")
			want, err := byLoader(t.Context(), file, []byte(tc.file), tc.env)
			if err != nil {
				t.Fatal(err)
			}
			got, err := composefile.Read(t.Context(), file, []byte(tc.file), tc.env)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, asLoader); diff != "" {
				t.Errorf("(-Compose +read):\n%s", diff)
			}
		})
	}
}

// A Compose file of random settings, in random forms, with random ways to get at them.
func TestAsComposeReadsAnything(t *testing.T) {
	settings := map[string][]string{
		"scale":           {"0", "3", `"2"`, "${N}", "${NONE:-4}"},
		"mem_limit":       {"512m", "1073741824", `"2147483648"`, "${MEM}", "1.5g", "64MiB", "1 gb"},
		"mem_reservation": {"16m", "${NONE:-1048576}"},
		"pids_limit":      {"100", `"200"`, "$N"},
		"cpus":            {"1.5", `"0.25"`, "2", "${N}"},
		"tmpfs":           {"/run", `"/tmp:size=64m"`, `["/tmp:size=${N}m,mode=1777", /run]`, "[]", `["/t3:size=1k"]`},
		"ulimits":         {"{nofile: 1024}", "{nproc: {soft: 10, hard: 20}, nofile: {hard: 9, soft: 8}}", `{nproc: "${N}", memlock: -1}`, "{}"},
		"volumes":         {"[./src:/src]", "[/a, /b:/b:ro]", "[{type: bind, source: ./x, target: /src}, ./y:/y/]", "[{type: tmpfs, target: /z, tmpfs: {size: 5m}}]", "[{type: tmpfs, target: /z}, /var/run/docker.sock:/docker.sock]"},
		"environment":     {"{NODE_OPTIONS: --max-old-space-size=5, A: 1}", "[NODE_OPTIONS=--max-old-space-size=${N}]", "[B=c]", "[NODE_OPTIONS]", "{NODE_OPTIONS: , C: true}", "{}"},
		"profiles":        {"[]", "[debug]", "[a, b]"},
		"deploy": {
			"{replicas: 2}", "{resources: {limits: {memory: 1g, cpus: '1.5', pids: 9}}}", "{resources: {reservations: {memory: 5m}}}", "{labels: [a=b]}", "{}",
			"{replicas: '${N}', resources: {limits: {memory: '${MEM}'}, reservations: {memory: 7m, cpus: '1'}}}",
		},
		"command": {"echo $$x", "[a, b]"},
	}
	keys := slices.Sorted(maps.Keys(settings))
	dir, ctx, read := t.TempDir(), t.Context(), 0
	rapid.Check(t, func(t *rapid.T) {
		body := func(label string, own ...string) string {
			lines := own
			for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, 4, rapid.ID[string]).Draw(t, label) {
				tag := ""
				// Compose heeds one that "<<" brings even where it does not count.
				if len(own) > 0 && rapid.IntRange(0, 4).Draw(t, "override") == 0 {
					tag = "!override "
				}
				lines = append(lines, k+": "+tag+quoted(rapid.SampledFrom(settings[k]).Draw(t, k)))
			}
			return "{" + strings.Join(lines, ", ") + "}"
		}
		services := func(label string, names []string, extends ...string) string {
			b := &strings.Builder{}
			fmt.Fprintf(b, "x-%s: &base %s\nservices:\n", label, body(label))
			for i, name := range names {
				own := []string{"image: x"}
				if rapid.Bool().Draw(t, "merge") {
					own = append(own, "<<: *base")
				}
				if from := slices.Concat([]string{""}, names[:i], extends); len(from) > 1 {
					if e := rapid.SampledFrom(from).Draw(t, "extends"); e != "" {
						own = append(own, "extends: "+e)
					}
				}
				fmt.Fprintf(b, "  %s: %s\n", name, body(name, own...))
			}
			return b.String()
		}
		names := []string{"a", "b", "c"}
		files := map[string]string{
			"other.yaml":   services("other", []string{"d", "a"}),
			"sub/inc.yaml": services("included", []string{"e", "b"}, "{file: ../other.yaml, service: d}"),
			"sub/.env":     "N=8\nMEM=9g\n",
		}
		file := rapid.SampledFrom([]string{"", "include: [sub/inc.yaml]\n", "include: [{path: [other.yaml, sub/inc.yaml]}]\n"}).Draw(t, "include") +
			services("first", names, "{file: other.yaml, service: d}", "{file: sub/inc.yaml, service: e}")
		if rapid.Bool().Draw(t, "documents") {
			file += "---\n" + services("second", names[:2])
		}
		env := map[string]string{"N": "5", "MEM": "3g"}
		if rapid.Bool().Draw(t, "options") {
			env["NODE_OPTIONS"] = "--max-old-space-size=77"
		}
		writeFiles(t, dir, files)
		path := filepath.Join(dir, "compose.yaml")
		want, err := byLoader(ctx, path, []byte(file), env)
		got, gotErr := composefile.Read(ctx, path, []byte(file), env)
		switch {
		case err != nil && gotErr != nil:
			return
		case err != nil && strings.Contains(err.Error(), "already mounted"): // which is not judged here
			return
		case err != nil || gotErr != nil:
			t.Fatalf("%s\n%v\nCompose: %v\nread: %v", file, files, err, gotErr)
		}
		read++
		if diff := cmp.Diff(want, got, asLoader); diff != "" {
			t.Fatalf("%s\n%v\n(-Compose +read):\n%s", file, files, diff)
		}
	})
	if read == 0 {
		t.Error("Compose refused every file")
	}
	t.Logf("%d files", read)
}

// quoted is a text of YAML's flow style that its variables do not break.
func quoted(s string) string {
	if strings.HasPrefix(s, "$") {
		return `"` + s + `"`
	}
	return s
}

// TestMountsAsComposeReads: the short form of a mount has many corners.
func TestMountsAsComposeReads(t *testing.T) {
	dir, ctx, read := t.TempDir(), t.Context(), 0
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "/", ".", "~", "C", `\\x`, "ro", "/a/../b/", "./x", "data", "1", "éa", "/c d"}), 1, 4).Draw(t, "parts")
		file := fmt.Sprintf("services: {a: {image: x, volumes: ['%s']}}\nvolumes: {data: , a: , ro: , '1': }\n", strings.Join(parts, ":"))
		path := filepath.Join(dir, "compose.yaml")
		want, err := byLoader(ctx, path, []byte(file), nil)
		if err != nil && strings.Contains(err.Error(), "undefined volume") { // which is not judged here
			return
		}
		got, gotErr := composefile.Read(ctx, path, []byte(file), nil)
		if (err == nil) != (gotErr == nil) {
			t.Fatalf("%s\nCompose: %v\nread: %v", file, err, gotErr)
		}
		if read++; err == nil {
			if diff := cmp.Diff(want, got, asLoader); diff != "" {
				t.Fatalf("%s\n(-Compose +read):\n%s", file, diff)
			}
		}
	})
	if read == 0 {
		t.Error("Compose refused every mount")
	}
}
