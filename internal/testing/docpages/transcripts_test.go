package docpages

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/tfrun"
)

// What a page shows of a terminal is what really comes out. A console block
//
//	$ terraform plan
//	…
//	Error: …
//
// is run on the terraform block before it, or by the command line where the
// command is runnerfit, and must print what stands there; a line "…" stands for
// any lines, and commands other than these two are not run. runnerfit runs in
// the repository, runnerfit audit in a folder with the terraform block in it.
// With -update, a console block without a "…", or with one at its start only, is
// written anew.

var update = flag.Bool("update", false, "write the output in the pages anew")

// fence is a code block of a page.
type fence struct {
	language, text string
	// from and to are the lines of the text, "to" not included.
	from, to int
}

func fencesOf(t *testing.T, path string, lines []string) []fence {
	t.Helper()
	var out []fence
	open := -1
	for i, l := range lines {
		switch {
		case open >= 0 && strings.TrimSpace(l) == "```":
			f := &out[len(out)-1]
			f.to, f.text = i, strings.Join(lines[f.from:i], "\n")+"\n"
			open = -1
		case open < 0 && strings.HasPrefix(l, "```"):
			open = i
			out = append(out, fence{language: strings.TrimPrefix(l, "```"), from: i + 1})
			if out[len(out)-1].language == "" {
				t.Errorf("%s:%d: the code block does not say its language", path, i+1)
			}
		}
	}
	if open >= 0 {
		t.Fatalf("%s:%d: the code block is not closed", path, open+1)
	}
	return out
}

func TestTranscripts(t *testing.T) {
	r := runner{t: t}
	for _, page := range written(t) {
		text := read(t, page)
		lines := strings.Split(text, "\n")
		config := ""
		fences := fencesOf(t, page, lines)
		for i, f := range fences {
			switch f.language {
			case "terraform":
				if _, diags := hclsyntax.ParseConfig([]byte(f.text), page, hcl.InitialPos); diags.HasErrors() {
					t.Errorf("%s:%d: %s", page, f.from, diags)
				}
				config = f.text
			case "console":
				fences[i].text = r.check(fmt.Sprintf("%s:%d", page, f.from), f.text, config)
			}
		}
		if !*update {
			continue
		}
		for _, f := range slices.Backward(fences) { // the last first, so that line numbers stay right
			lines = slices.Replace(lines, f.from, f.to, strings.Split(strings.TrimSuffix(f.text, "\n"), "\n")...)
		}
		if now := strings.Join(lines, "\n"); now != text {
			if err := os.WriteFile(filepath.Join(root, page), []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r.ran == 0 {
		t.Error("no page shows a command")
	}
}

// runner runs the commands of console blocks.
type runner struct {
	t    *testing.T
	tool *tfrun.Tool
	ran  int
}

// check compares a console block with what its command prints, and returns the
// block as it should be.
func (r *runner) check(at, block, config string) string {
	r.t.Helper()
	command, shown, _ := strings.Cut(block, "\n")
	args := strings.Fields(command)
	if len(args) < 2 || args[0] != "$" {
		r.t.Errorf("%s: a console block begins with a command, \"$ …\"", at)
		return block
	}
	var got string
	switch args[1] {
	case "terraform":
		if r.tool == nil {
			r.tool = tfrun.New(r.t, provider.NewServer("test"))
		}
		got = runTerraform(r.t, r.tool, config, args[2:])
	case "runnerfit":
		got = runCLI(r.t, config, args[2:])
	default:
		return block
	}
	r.ran++
	switch {
	case like(shown, got):
	case *update && !hasElision(shown):
		return command + "\n" + got
	case *update && !hasElision(strings.TrimPrefix(shown, elision+"\n")):
		first, _, _ := strings.Cut(strings.TrimPrefix(shown, elision+"\n"), "\n")
		if _, after, ok := strings.Cut("\n"+got, "\n"+first+"\n"); ok {
			return command + "\n" + elision + "\n" + first + "\n" + after
		}
		r.t.Errorf("%s: %s prints no line %q:\n%s", at, command, first, got)
	default:
		r.t.Errorf("%s: %s prints something else (-page +now):\n%s", at, command, cmp.Diff(shown, got))
	}
	return block
}

const elision = "…"

func hasElision(s string) bool {
	for l := range strings.Lines(s) {
		if strings.TrimSpace(l) == elision {
			return true
		}
	}
	return false
}

// like compares two texts, of which the first may have elisions.
func like(shown, got string) bool {
	var pattern strings.Builder
	pattern.WriteString(`^`)
	for l := range strings.Lines(shown) {
		if strings.TrimSpace(l) == elision {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(l))
	}
	pattern.WriteString(`$`)
	return regexp.MustCompile(pattern.String()).MatchString(got)
}

// declaration is what the snippets of a page leave out.
const declaration = `terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}
`

func runTerraform(t *testing.T, tool *tfrun.Tool, config string, args []string) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{"main.tf": config}
	if !strings.Contains(config, "required_providers") {
		files["versions.tf"] = declaration
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := tool.Run(t, folder, append(args, "-no-color")...)
	return tidy(strings.ReplaceAll(r.Stdout+"\n"+r.Stderr, "OpenTofu", "Terraform"))
}

func runCLI(t *testing.T, config string, args []string) string {
	t.Helper()
	version := strings.TrimSpace(read(t, filepath.Join("tools", "version.txt")))
	folder := root
	if args[0] == "audit" || args[0] == "report" {
		folder = t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "main.tf"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	// A test of its own comes back from the folder at its end.
	t.Run(strings.Join(args, " "), func(t *testing.T) {
		t.Chdir(folder)
		// The engine of whoever runs the test is not to be asked.
		t.Setenv("DOCKER_HOST", "unix://"+noSocket)
		cli.Run(t.Context(), version, args, strings.NewReader(""), &stdout, &stderr)
	})
	return tidy(strings.NewReplacer(
		runtime.GOOS+"/"+runtime.GOARCH, "linux/amd64", // The pages show one platform's.
		// What somebody reads who has no engine, and no DOCKER_HOST either.
		noSocket+": no socket of an engine is there", "no socket of an engine is where one usually is",
	).Replace(stdout.String() + stderr.String()))
}

const noSocket = "/nowhere/docker.sock"

// tidy removes what nobody sees: spaces at the ends of lines, blank lines around
// the whole, and more than one of them in a row.
func tidy(s string) string {
	var out []string
	for l := range strings.SplitSeq(strings.TrimSpace(s), "\n") {
		l = strings.TrimRight(l, " ")
		if l == "" && len(out) > 0 && out[len(out)-1] == "" {
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n") + "\n"
}
