package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Expressions that would need more stack than there is are a problem of their
// file; the others are read.
func TestExpressionDepth(t *testing.T) {
	t.Parallel()
	const n = 100_000
	for name, expression := range map[string]string{
		"not":         strings.Repeat("!", n) + "true",
		"minus":       strings.Repeat("-", n) + "1",
		"comments":    strings.Repeat("!/*}*/", n) + "true",
		"conditional": strings.Repeat("true ? 1 : ", n) + "1",
		"sum":         strings.Repeat("1 + ", n) + "1",
		"index":       "[0]" + strings.Repeat("[0]", n),
		"template":    `"` + strings.Repeat("%{if true}", n) + `"`,
		"lines":       "(" + strings.Repeat("!\n", n) + "true)",
		"mixed":       strings.Repeat(strings.Repeat("!", 9_000)+"(", 900) + "true" + strings.Repeat(")", 900),
		"nested":      strings.Repeat("abs(", n) + "1" + strings.Repeat(")", n),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{
				"bad.tf":  "locals {\n  b = " + expression + "\n}\n",
				"good.tf": "resource \"aws_ebs_volume\" \"v\" {\n  size = -" + "1\n}\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f, err := ReadFolders(t.Context(), []string{dir}, Options{})
			if err != nil || len(f.Problems) != 1 || !strings.HasSuffix(f.Problems[0].File, "bad.tf") {
				t.Fatalf("%v %v", err, f.Problems)
			}
			if len(f.Roots) != 1 || len(f.Roots[0].Volumes) != 1 {
				t.Error("the other file is not read")
			}
		})
	}
	many := &File{Name: "x.tf", Source: []byte("locals {\n" + strings.Repeat("  a = [-1, 2 * 3]\n", n/10) + "}\n")}
	if at, found := tooManyOperators(many); found {
		t.Errorf("many short expressions are refused at %v", at)
	}
}
