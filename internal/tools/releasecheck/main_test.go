package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// That a right release passes is seen with a real one, by make release-check;
// here is that wrong ones do not.

const platform = runtime.GOOS + "_" + runtime.GOARCH

func archive(t *testing.T, mode os.FileMode, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		h := &zip.FileHeader{Name: name}
		h.SetMode(mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchive(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	test, err := os.ReadFile(self) // A Go program for this platform, but no release.
	if err != nil {
		t.Fatal(err)
	}
	name := "p_v1.0.0"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	other := "plan9_amd64"
	for what, tc := range map[string]struct {
		archive        []byte
		platform, want string
	}{
		"no archive":       {[]byte("x"), platform, "not a valid zip file"},
		"too little":       {archive(t, 0o755, map[string]string{name: "x"}), platform, "has [" + name + "], not [CHANGELOG.md LICENSE"},
		"other version":    {archive(t, 0o755, map[string]string{"LICENSE": "", "CHANGELOG.md": "", "p_v1.0.1": "x"}), platform, "p_v1.0.1], not"},
		"cannot start":     {archive(t, 0o644, map[string]string{"LICENSE": "", "CHANGELOG.md": "", name: "x"}), platform, "cannot be started"},
		"no program":       {archive(t, 0o755, map[string]string{"LICENSE": "", "CHANGELOG.md": "", name: "x"}), platform, "is no Go program"},
		"other platform":   {archive(t, 0o755, map[string]string{"LICENSE": "", "CHANGELOG.md": "", "p_v1.0.0": string(test)}), other, "is built for " + platform},
		"not reproducible": {archive(t, 0o755, map[string]string{"LICENSE": "", "CHANGELOG.md": "", name: string(test)}), platform, "not built the reproducible way"},
	} {
		t.Run(what, func(t *testing.T) {
			err := checkArchive(t.Context(), "a.zip", tc.archive, "p_v1.0.0", tc.platform, "1.0.0")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

func TestBill(t *testing.T) {
	for bill, ok := range map[string]bool{
		`{"bomFormat":"CycloneDX","components":[{"name":"github.com/hashicorp/terraform-plugin-framework"}]}`: true,
		`{"bomFormat":"CycloneDX","components":[]}`:                                                           false,
		`{"components":[{"name":"github.com/hashicorp/terraform-plugin-framework"}]}`:                         false,
		`nonsense`: false,
	} {
		if err := checkBill([]byte(bill)); (err == nil) != ok {
			t.Errorf("%s: %v", bill, err)
		}
	}
}

// A folder with everything missing but one file names each of what is missing.
func TestCheck(t *testing.T) {
	root := t.TempDir()
	dist := filepath.Join(root, "dist")
	manifest := `{"version":1,"metadata":{"protocol_versions":["6.0"]}}`
	digest := sha256.Sum256([]byte(manifest))
	for name, text := range map[string]string{
		filepath.Join(root, "terraform-registry-manifest.json"):              manifest,
		filepath.Join(dist, "homebrew", "Casks", "runnerfit.rb"):             "cask \"runnerfit\" do\n  version \"0.9.0\"\nend\n",
		filepath.Join(dist, "terraform-provider-runnerfit_1.0.0_SHA256SUMS"): hex.EncodeToString(digest[:]) + "  terraform-provider-runnerfit_1.0.0_manifest.json\n00  stray.zip\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	problems := check(t.Context(), dist, "1.0.0", []string{"linux_amd64"})
	var text strings.Builder
	for _, p := range problems {
		text.WriteString(p.Error() + "\n")
	}
	for _, part := range []string{
		"terraform-provider-runnerfit_1.0.0_linux_amd64.zip: no such file", "runnerfit_1.0.0_linux_amd64.tar.gz: no such file",
		"bill of materials of linux_amd64", `the cask does not have "version \"1.0.0\""`, "the checksums have stray.zip",
	} {
		if runtime.GOOS != "windows" && !strings.Contains(text.String(), part) {
			t.Errorf("%q is not among the problems:\n%s", part, &text)
		}
	}
	if len(problems) != 5 {
		t.Errorf("%d problems:\n%s", len(problems), &text)
	}
}

// A tag of an action can be moved, a commit cannot.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob("../../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.*)$`)
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	commits := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range uses.FindAllStringSubmatch(string(b), -1) {
			action, _, _ := strings.Cut(m[1], "@")
			switch {
			case !pinned.MatchString(m[1]):
				t.Errorf("%s: %s is not pinned by a commit with its version behind it", file, m[1])
			case commits[action] != "" && commits[action] != m[1]:
				t.Errorf("%s: %s here, %s elsewhere", file, m[1], commits[action])
			}
			commits[action] = m[1]
		}
	}
}
