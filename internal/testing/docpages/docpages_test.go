// Package docpages checks the documentation: that nothing is missing on a page,
// that links lead somewhere, and that what pages show of a terminal is what
// comes out.
package docpages

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

// root is the repository, seen from here.
var root = filepath.Join("..", "..", "..")

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func exists(file string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
	return err == nil
}

// under lists the Markdown files and templates in a folder of the repository.
func under(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(root, folder), func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.Type().IsRegular() && (strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".md.tmpl")) {
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// written are the pages that people write, published those that people read.
func written(t *testing.T) []string {
	t.Helper()
	return append(inTheRoot(t), under(t, "templates")...)
}

func published(t *testing.T) []string { t.Helper(); return append(inTheRoot(t), under(t, "docs")...) }

func inTheRoot(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no README: %v", err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	return files
}

func schema(t *testing.T) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	server, err := provider.NewServer("test")()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(s.Diagnostics) > 0 {
		t.Fatal(err, s.Diagnostics)
	}
	return s
}

// Every object, attribute, block, function and parameter says what it is.
func TestDescriptions(t *testing.T) {
	s := schema(t)
	describe(t, "provider", s.Provider)
	for name, r := range s.ResourceSchemas {
		describe(t, name, r)
	}
	for name, d := range s.DataSourceSchemas {
		describe(t, "data."+name, d)
	}
	for name, f := range s.Functions {
		sentence(t, name+"()", f.Description)
		if f.Summary == "" {
			t.Errorf("%s() has no summary", name)
		}
		for _, p := range f.Parameters {
			sentence(t, name+"("+p.Name+")", p.Description)
		}
		if v := f.VariadicParameter; v != nil {
			sentence(t, name+"("+v.Name+"…)", v.Description)
		}
	}
}

// sentence wants a text that is there, and ends like one.
func sentence(t *testing.T, what, text string) {
	t.Helper()
	switch text = strings.TrimSpace(text); {
	case text == "":
		t.Errorf("%s has no description", what)
	case !strings.HasSuffix(text, "."):
		t.Errorf("the description of %s does not end in a full stop: %q", what, text)
	}
}

func describe(t *testing.T, at string, s *tfprotov6.Schema) {
	t.Helper()
	var block func(at string, b *tfprotov6.SchemaBlock)
	var attributes func(at string, as []*tfprotov6.SchemaAttribute)
	attributes = func(at string, as []*tfprotov6.SchemaAttribute) {
		for _, a := range as {
			sentence(t, at+"."+a.Name, a.Description)
			if a.NestedType != nil {
				attributes(at+"."+a.Name, a.NestedType.Attributes)
			}
		}
	}
	block = func(at string, b *tfprotov6.SchemaBlock) {
		sentence(t, at, b.Description)
		attributes(at, b.Attributes)
		for _, n := range b.BlockTypes {
			block(at+"."+n.TypeName, n.Block)
		}
	}
	block(at, s.Block)
}

// page is what a test looks at of a published page.
type page struct {
	file, text string
	// meta is the frontmatter, one line a member.
	meta map[string]string
	// sections are the texts under the headings of the second level.
	sections map[string]string
}

func parse(t *testing.T, file string) page {
	t.Helper()
	p := page{file: file, text: read(t, file), meta: map[string]string{}, sections: map[string]string{}}
	front, body, ok := strings.Cut(strings.TrimPrefix(p.text, "---\n"), "\n---\n")
	if !ok || !strings.HasPrefix(p.text, "---\n") {
		t.Errorf("%s has no frontmatter", file)
		return p
	}
	last := ""
	for l := range strings.SplitSeq(front, "\n") {
		if key, value, ok := strings.Cut(l, ": "); ok && !strings.HasPrefix(l, " ") {
			last = key
			p.meta[key] = strings.TrimPrefix(value, "|-")
			continue
		}
		p.meta[last] = strings.TrimSpace(p.meta[last] + " " + strings.TrimSpace(l))
	}
	heading := ""
	for l := range strings.SplitSeq(body, "\n") {
		if h, ok := strings.CutPrefix(l, "## "); ok {
			heading = h
			continue
		}
		p.sections[heading] += l + "\n"
	}
	return p
}

// require fails unless the page has the sections, with something in them.
func (p page) require(t *testing.T, sections ...string) {
	t.Helper()
	for _, s := range sections {
		if strings.TrimSpace(p.sections[s]) == "" {
			t.Errorf("%s has no section %q, or an empty one", p.file, s)
		}
	}
}

// sayWhereToWrite ends a message about a missing page.
const sayWhereToWrite = "write %s and %s, then make generate"

// Every object has a page of its own with an example, and every function says
// what it returns and when it fails.
func TestPages(t *testing.T) {
	s := schema(t)
	has := func(kind, name, example string) (page, bool) {
		short := strings.TrimPrefix(name, "runnerfit_")
		file, template := path.Join("docs", kind, short+".md"), path.Join("templates", kind, short+".md.tmpl")
		example = path.Join("examples", kind, name, example)
		if !exists(template) || !exists(example) || !exists(file) {
			t.Errorf("%s has no page, or one without words of its own or without an example: "+sayWhereToWrite, name, template, example)
			return page{}, false
		}
		p := parse(t, file)
		p.require(t, "Example Usage")
		if !strings.Contains(p.text, strings.TrimSpace(read(t, example))) {
			t.Errorf("%s does not show %s", file, example)
		}
		if !strings.Contains(p.text, "\n~> **") {
			t.Errorf("%s has no callout (\"~> **…**\") for its sharp edge", file)
		}
		return p, true
	}
	for _, name := range slices.Sorted(maps.Keys(s.ResourceSchemas)) {
		if p, ok := has("resources", name, "resource.tf"); ok {
			p.require(t, "Schema")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.DataSourceSchemas)) {
		if p, ok := has("data-sources", name, "data-source.tf"); ok {
			p.require(t, "Schema")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Functions)) {
		p, ok := has("functions", name, "function.tf")
		if !ok {
			continue
		}
		p.require(t, "Signature", "Return", "Errors")
		errors := strings.Join(strings.Fields(p.sections["Errors"]), " ")
		for what, words := range map[string]*regexp.Regexp{"null": regexp.MustCompile(`\b[Nn]ull\b`), "known only after apply": regexp.MustCompile(`after apply|unknown`)} {
			if !words.MatchString(errors) {
				t.Errorf("the errors of %s do not speak of values that are %s", p.file, what)
			}
		}
		for _, member := range members(s.Functions[name].Return.Type) {
			if !strings.Contains(p.sections["Return"], "`"+member+"`") {
				t.Errorf("%s does not say what the member %s of its result is", p.file, member)
			}
		}
	}
}

// members are the attributes of an object, or of the objects in a list.
func members(t tftypes.Type) []string {
	switch t := t.(type) {
	case tftypes.Object:
		return slices.Sorted(maps.Keys(t.AttributeTypes))
	case tftypes.List:
		return members(t.ElementType)
	}
	return nil
}

// No page is left of an object that is gone.
func TestNoPageWithoutAnObject(t *testing.T) {
	s := schema(t)
	known := map[string]bool{}
	for _, names := range []struct {
		kind string
		all  []string
	}{
		{"resources", slices.Collect(maps.Keys(s.ResourceSchemas))},
		{"data-sources", slices.Collect(maps.Keys(s.DataSourceSchemas))},
		{"functions", slices.Collect(maps.Keys(s.Functions))},
	} {
		for _, name := range names.all {
			known[path.Join("templates", names.kind, strings.TrimPrefix(name, "runnerfit_")+".md.tmpl")] = true
			known[path.Join("docs", names.kind, strings.TrimPrefix(name, "runnerfit_")+".md")] = true
		}
	}
	for _, file := range append(under(t, "docs"), under(t, "templates")...) {
		if kind := path.Base(path.Dir(file)); slices.Contains([]string{"resources", "data-sources", "functions"}, kind) && !known[file] {
			t.Errorf("%s is about nothing that the provider has", file)
		}
	}
}

// What the registries show of a page: a title, and one sentence. They list
// guides by their title, so that must be unique.
func TestFrontmatter(t *testing.T) {
	titles := map[string]string{}
	for _, file := range under(t, "docs") {
		p := parse(t, file)
		title, description := p.meta["page_title"], p.meta["description"]
		if title == "" || titles[title] != "" {
			t.Errorf("%s: the title %s is empty or that of %s", file, title, titles[title])
		}
		titles[title] = file
		if description == "" || !strings.HasSuffix(description, ".") {
			t.Errorf("%s: the description is no sentence: %q", file, description)
		}
	}
}

// Every rule has a page and an entry in the index to link to.
func TestRules(t *testing.T) {
	index := read(t, "docs/guides/rules.md")
	for _, r := range rulebook.Registry().All() {
		if !strings.Contains(index, fmt.Sprintf("<a id=%q></a>", r.ID)) {
			t.Errorf("docs/guides/rules.md has no anchor for %s; run make generate", r.ID)
		}
		if !exists("docs/guides/rule-" + r.ID + ".md") {
			t.Errorf("%s has no published page; run make generate", r.ID)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Links within the repository lead to a file, and to a heading or an anchor in it.
func TestLinks(t *testing.T) {
	for _, file := range published(t) {
		for _, m := range link.FindAllStringSubmatch(withoutCode(read(t, file)), -1) {
			to := m[1]
			if strings.HasPrefix(to, "https://") {
				continue
			}
			name, fragment, _ := strings.Cut(to, "#")
			target := file
			if name != "" {
				target = path.Join(path.Dir(file), name)
			}
			if !exists(target) {
				t.Errorf("%s links to %s, which does not exist", file, to)
				continue
			}
			if fragment != "" && !anchors(read(t, target))[fragment] {
				t.Errorf("%s links to %s; there is no such heading or anchor", file, to)
			}
		}
	}
}

var (
	codeBlock    = regexp.MustCompile("(?ms)^```.*?^```$")
	inlineCode   = regexp.MustCompile("`[^`\n]*`")
	headingLine  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchorTag    = regexp.MustCompile(`<a id="([^"]+)">`)
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func withoutCode(text string) string {
	return inlineCode.ReplaceAllString(codeBlock.ReplaceAllString(text, ""), "`code`")
}

// anchors are what can be linked to in a page, made of headings as GitHub and
// the registries do.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range anchorTag.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	for _, m := range headingLine.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		out[strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return out
}

// machinePath is a path of somebody's machine, or what is left of a template.
var machinePath = regexp.MustCompile(`(?:^|[\s"'(=])/(?:work|tmp|root|home|Users)/\S*|(?:^|[^$])\{\{|<no value>`)

// Pages are the same wherever they are generated.
func TestNothingOfAMachine(t *testing.T) {
	for _, file := range published(t) {
		if m := machinePath.FindString(read(t, file)); m != "" {
			t.Errorf("%s mentions %q", file, strings.TrimSpace(m))
		}
	}
}

// The tables that say how old the embedded facts are say what the catalogue says.
func TestDates(t *testing.T) {
	cat := catalog.Embedded()
	prices, _ := cat.VolumePrices(catalog.DefaultRegion)
	mac, _ := cat.MacHostPrice(catalog.DefaultRegion, "mac2-m2pro.metal")
	linux, _ := cat.InstancePrice(catalog.DefaultRegion, "m8a.xlarge")
	for _, file := range []string{"README.md", "templates/index.md.tmpl"} {
		text := read(t, file)
		for what, date := range map[string]string{
			"instance types": cat.InstanceSource().AsOf, "Mac": cat.MacHostRules().Source.AsOf,
			"gp3": cat.GP3(catalog.CurrentLimits).Source.AsOf, "volume prices in": prices.Source.AsOf,
			"dedicated Mac hosts": mac.Source.AsOf, "on-demand prices": linux.Source.AsOf,
		} {
			if !regexp.MustCompile(`(?m)^\|.*` + what + `.*\| ` + date + ` \|`).MatchString(text) {
				t.Errorf("%s: no row of a table says that %s are as of %s", file, what, date)
			}
		}
	}
}

// The contributor guide's picture of the house has every room.
func TestEveryPackageIsInThePicture(t *testing.T) {
	text := read(t, "CONTRIBUTING.md")
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.Contains(text, "internal/"+e.Name()) {
			t.Errorf("CONTRIBUTING.md does not say what internal/%s is for", e.Name())
		}
	}
}

// imageBase is where the registries get pictures from: they show no relative
// ones.
const imageBase = "https://raw.githubusercontent.com/runnerfit/terraform-provider-runnerfit/main/"

var image = regexp.MustCompile(`!\[([^\]]*)\]\(([^)\s]+)\)`)

// Pictures are there, can be shown by the registries, and say in words what they
// show; and no picture is drawn that no page shows.
func TestPictures(t *testing.T) {
	shown := map[string]bool{}
	for _, file := range published(t) {
		for _, m := range image.FindAllStringSubmatch(withoutCode(read(t, file)), -1) {
			name, ok := strings.CutPrefix(m[2], imageBase)
			if !ok {
				t.Errorf("%s shows %s, which the registries do not; write %sdocs/images/…", file, m[2], imageBase)
				continue
			}
			shown[name] = true
			if !exists(name) {
				t.Errorf("%s shows %s, which does not exist; run make generate", file, name)
			}
			if !strings.HasSuffix(m[1], ".") {
				t.Errorf("%s: the picture %s is not told in a sentence: %q", file, name, m[1])
			}
		}
	}
	pictures, err := filepath.Glob(filepath.Join(root, "docs", "images", "*"))
	if err != nil || len(pictures) == 0 {
		t.Fatalf("no pictures: %v", err)
	}
	for _, p := range pictures {
		if name := path.Join("docs", "images", filepath.Base(p)); !shown[name] {
			t.Errorf("no page shows %s", name)
		}
	}
}
