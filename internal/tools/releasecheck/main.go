// Command releasecheck looks at what GoReleaser built: that the registries and
// people find every file, under its name, with the right program in it.
// tools/release-check.sh runs it.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	project = "terraform-provider-runnerfit"
	program = "runnerfit"
)

// platforms are those that a release has, as GOOS_GOARCH.
var platforms = []string{
	"darwin_amd64", "darwin_arm64", "freebsd_386", "freebsd_amd64", "freebsd_arm64", "linux_386", "linux_amd64", "linux_arm64",
	"windows_386", "windows_amd64", "windows_arm64",
}

func main() {
	version := flag.String("version", "", "version that was built, without a v")
	all := flag.Bool("all", false, "all platforms were built, not only this machine's")
	flag.Parse()
	if *version == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: releasecheck -version VERSION [-all] DIST")
		os.Exit(2)
	}
	want := []string{runtime.GOOS + "_" + runtime.GOARCH}
	if *all {
		want = platforms
	}
	problems := check(context.Background(), flag.Arg(0), *version, want)
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, "releasecheck:", p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
	fmt.Printf("ok: the archives of %d platforms, %s, the manifest, checksums and bills of materials are right.\n", len(want), *version)
}

// check returns what is wrong with a release.
func check(ctx context.Context, dist, version string, want []string) []error {
	prefix := project + "_" + version
	var problems []error
	sums, err := readSums(filepath.Join(dist, prefix+"_SHA256SUMS"))
	if err != nil {
		return []error{err}
	}
	listed := map[string]bool{}
	// file reads a file that has to be in the release, and in the checksums.
	file := func(name string) ([]byte, error) {
		b, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			return nil, err
		}
		listed[name] = true
		digest := sha256.Sum256(b)
		if sums[name] != hex.EncodeToString(digest[:]) {
			return b, fmt.Errorf("%s: the checksum is %q", name, sums[name])
		}
		return b, nil
	}
	for _, platform := range want {
		for _, archive := range []struct{ name, binary string }{
			{prefix + "_" + platform + ".zip", project + "_v" + version},
			{program + "_" + version + "_" + platform + extension(platform), program},
		} {
			b, err := file(archive.name)
			if err == nil {
				err = checkArchive(ctx, archive.name, b, archive.binary, platform, version)
			}
			problems = append(problems, err)
		}
		b, err := file(prefix + "_" + platform + ".cdx.json")
		if err == nil {
			err = checkBill(b)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("bill of materials of %s: %w", platform, err))
		}
	}
	problems = append(problems, checkManifest(dist, prefix, sums), checkCask(dist, version, want, sums))
	listed[prefix+"_manifest.json"] = true
	for name := range sums {
		if !listed[name] {
			problems = append(problems, fmt.Errorf("the checksums have %s, which no platform needs", name))
		}
	}
	problems = slices.DeleteFunc(problems, func(err error) bool { return err == nil })
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return problems
}

// extension is that of the command line's archive.
func extension(platform string) string {
	if strings.HasPrefix(platform, "windows_") {
		return ".zip"
	}
	return ".tar.gz"
}

// readSums reads lines of a digest and a name.
func readSums(path string) (map[string]string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for l := range strings.Lines(string(b)) {
		digest, name, ok := strings.Cut(strings.TrimSpace(l), "  ")
		if !ok {
			return nil, fmt.Errorf("%s: no checksum: %q", path, l)
		}
		out[name] = digest
	}
	return out, nil
}

// entry is a file in an archive.
type entry struct {
	name    string
	mode    os.FileMode
	content []byte
}

// checkArchive looks at the names in an archive, and at the program.
func checkArchive(ctx context.Context, name string, b []byte, binary, platform, version string) error {
	if strings.HasPrefix(platform, "windows_") {
		binary += ".exe"
	}
	read := unzip
	if strings.HasSuffix(name, ".tar.gz") {
		read = untar
	}
	entries, err := read(b)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.name)
	}
	slices.Sort(names)
	want := []string{"CHANGELOG.md", "LICENSE", binary}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		return fmt.Errorf("%s has %v, not %v", name, names, want)
	}
	e := entries[slices.IndexFunc(entries, func(e entry) bool { return e.name == binary })]
	if e.mode&0o111 == 0 {
		return fmt.Errorf("%s: %s cannot be started, its mode is %s", name, e.name, e.mode)
	}
	info, err := buildinfo.Read(bytes.NewReader(e.content))
	if err != nil {
		return fmt.Errorf("%s: %s is no Go program: %w", name, e.name, err)
	}
	got := map[string]string{}
	for _, s := range info.Settings {
		got[s.Key] = s.Value
	}
	if is := got["GOOS"] + "_" + got["GOARCH"]; is != platform {
		return fmt.Errorf("%s: %s is built for %s", name, e.name, is)
	}
	if got["-trimpath"] != "true" || got["CGO_ENABLED"] != "0" {
		return fmt.Errorf("%s: %s is not built the reproducible way: -trimpath %q, CGO_ENABLED %q", name, e.name, got["-trimpath"], got["CGO_ENABLED"])
	}
	if platform != runtime.GOOS+"_"+runtime.GOARCH {
		return nil
	}
	printed, err := run(ctx, e.content)
	if want := "runnerfit " + version + "\n"; err != nil || printed != want {
		return fmt.Errorf("%s: %s --version prints %q (%w)", name, e.name, printed, err)
	}
	return nil
}

// run starts a program with --version and returns what it prints.
func run(ctx context.Context, content []byte) (string, error) {
	dir, err := os.MkdirTemp("", "releasecheck")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "program.exe")
	if err := os.WriteFile(path, content, 0o700); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output() //nolint:gosec // It is what this is about.
	return string(out), err
}

func unzip(b []byte) ([]entry, error) {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(in)
		if err = errors.Join(err, in.Close()); err != nil {
			return nil, err
		}
		out = append(out, entry{f.Name, f.Mode(), content})
	}
	return out, nil
}

func untar(b []byte) ([]entry, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var out []entry
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{h.Name, h.FileInfo().Mode(), content})
	}
}

// checkBill wants a CycloneDX document that names the modules of the program.
func checkBill(b []byte) error {
	var bill struct {
		Format     string `json:"bomFormat"`
		Components []struct {
			Name string `json:"name"`
		} `json:"components"`
	}
	if err := json.Unmarshal(b, &bill); err != nil {
		return err
	}
	const needed = "github.com/hashicorp/terraform-plugin-framework"
	for _, c := range bill.Components {
		if c.Name == needed && bill.Format == "CycloneDX" {
			return nil
		}
	}
	return fmt.Errorf("%s is not among the %d components of a %q document", needed, len(bill.Components), bill.Format)
}

// checkManifest wants the registry's manifest in both places: the repository,
// and the checksums of the release under the name of the release.
func checkManifest(dist, prefix string, sums map[string]string) error {
	b, err := os.ReadFile(filepath.Join(dist, "..", "terraform-registry-manifest.json"))
	if err != nil {
		return err
	}
	var manifest struct {
		Version  int `json:"version"`
		Metadata struct {
			Protocols []string `json:"protocol_versions"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(b, &manifest); err != nil {
		return fmt.Errorf("the registry's manifest: %w", err)
	}
	if manifest.Version != 1 || !slices.Equal(manifest.Metadata.Protocols, []string{"6.0"}) {
		return fmt.Errorf("the registry's manifest says version %d, protocols %v", manifest.Version, manifest.Metadata.Protocols)
	}
	digest := sha256.Sum256(b)
	if name := prefix + "_manifest.json"; sums[name] != hex.EncodeToString(digest[:]) {
		return fmt.Errorf("%s has the checksum %q, which is not that of terraform-registry-manifest.json", name, sums[name])
	}
	return nil
}

// checkCask wants Homebrew to be told the version and the checksums of the
// archives for macOS and Linux.
func checkCask(dist, version string, want []string, sums map[string]string) error {
	b, err := os.ReadFile(filepath.Join(dist, "homebrew", "Casks", program+".rb"))
	if err != nil {
		return err
	}
	text := string(b)
	parts := []string{`cask "` + program + `"`, `version "` + version + `"`}
	for _, platform := range want {
		goos, goarch, _ := strings.Cut(platform, "_")
		if (goos == "darwin" || goos == "linux") && goarch != "386" {
			parts = append(parts, sums[program+"_"+version+"_"+platform+extension(platform)])
		}
	}
	for _, part := range parts {
		if part == "" || !strings.Contains(text, part) {
			return fmt.Errorf("the cask does not have %q", part)
		}
	}
	return nil
}
