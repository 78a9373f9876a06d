// Package module writes Terraform modules for runner fleets: one Go type for
// each kind, whose fields are the settings that a person chooses and whose
// result is a set of files. What is generated is plain HCL in which every
// number that the provider can judge comes from one of its guards.
//
// The files are made in memory (Generate) and reach the disk in one place
// (Plan and Change.Write). HCL is built with hclwrite, through the helpers in
// hcl.go; text that is not HCL, such as scripts, is embedded from files/KIND.
package module

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Kind is a kind of module with its settings. A pointer to a zero value is not
// usable; each kind has a constructor with its defaults.
type Kind interface {
	// Kind is the name on the command line, such as "mac-fleet".
	Kind() string
	// Check says what is wrong with the settings: an *OptionError, or nil.
	Check() error
	// files are the module's files, of settings that were checked.
	files() ([]File, error)
}

// File is one file of a module.
type File struct {
	// Name is the path in the module, with slashes.
	Name    string
	Content []byte
	// Executable files are scripts that people start by hand.
	Executable bool
}

func (f File) mode() fs.FileMode {
	if f.Executable {
		return 0o755
	}
	return 0o644
}

// Generate makes the files of a module, by name. The error is an *OptionError
// where a setting cannot be used.
func Generate(k Kind) ([]File, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	files, err := k.files()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	for i, f := range files {
		if !fs.ValidPath(f.Name) || i > 0 && f.Name == files[i-1].Name {
			return nil, fmt.Errorf("the module %s has a file %q twice or in a place that does not exist", k.Kind(), f.Name)
		}
	}
	return files, nil
}

// Tree draws the files below the name of their folder, as `tree` does.
func Tree(root string, files []File) string {
	var b strings.Builder
	b.WriteString(root + "\n")
	type node struct {
		name     string
		children []*node
	}
	top := &node{}
	for _, f := range files {
		at := top
		for part := range strings.SplitSeq(f.Name, "/") {
			i := slices.IndexFunc(at.children, func(n *node) bool { return n.name == part })
			if i < 0 {
				at.children = append(at.children, &node{name: part})
				i = len(at.children) - 1
			}
			at = at.children[i]
		}
	}
	var draw func(n *node, indent string)
	draw = func(n *node, indent string) {
		for i, c := range n.children {
			branch, below := "├── ", "│   "
			if i == len(n.children)-1 {
				branch, below = "└── ", "    "
			}
			b.WriteString(indent + branch + c.name + "\n")
			draw(c, indent+below)
		}
	}
	draw(top, "")
	return b.String()
}
