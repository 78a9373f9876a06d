package dockerhost

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/template"
	"github.com/compose-spec/compose-go/v2/types"
	yaml "go.yaml.in/yaml/v4"
)

// maxFiles is how many files a Compose file may bring with it.
const maxFiles = 100

// The library opens what "include" and "extends" name and reads it to its end,
// which never comes for a pipe or a device. otherFiles goes ahead of it and
// looks at each such file, and at those that they name, before it is opened.
type otherFiles struct {
	// seen are the files that were read, by the folder their own names are relative to.
	seen map[[2]string]bool
}

// checkFiles checks the files that a Compose file in a folder names. It returns
// a *ComposeError for the first that is not an ordinary file of a sane size.
func checkFiles(dir string, content []byte, env types.Mapping) error {
	o := &otherFiles{seen: map[[2]string]bool{}}
	return o.named(content, []string{dir}, env)
}

// named checks what a file names. Paths are relative to one of the folders:
// which one it is depends on how the file was reached, so each is tried.
func (o *otherFiles) named(content []byte, dirs []string, env types.Mapping) error {
	models, err := composeModels(content)
	if err != nil {
		return &ComposeError{}
	}
	for _, model := range models {
		for _, i := range several(model["include"]) {
			if err := o.include(i, dirs, env); err != nil {
				return err
			}
		}
		services, _ := model["services"].(map[string]any)
		for _, s := range services {
			service, _ := s.(map[string]any)
			extends, _ := service["extends"].(map[string]any)
			for _, file := range texts(extends["file"], env) {
				for _, dir := range dirs {
					path := in(dir, file)
					if err := o.file(path, []string{filepath.Dir(path)}, env); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// include checks one entry of "include": a path, or an object of paths, a
// folder and files of variables.
func (o *otherFiles) include(entry any, dirs []string, env types.Mapping) error {
	object, ok := entry.(map[string]any)
	if !ok {
		object = map[string]any{"path": entry}
	}
	for _, dir := range dirs {
		paths := texts(object["path"], env)
		if len(paths) == 0 {
			continue
		}
		project := filepath.Dir(in(dir, paths[0]))
		if own := texts(object["project_directory"], env); len(own) > 0 {
			project = in(dir, own[0])
		}
		envFiles := texts(object["env_file"], env)
		if len(envFiles) == 0 {
			envFiles = []string{filepath.Join(project, ".env")}
		}
		merged := env.Clone()
		for _, f := range envFiles {
			b, err := ordinary(in(dir, f))
			if err != nil {
				return err
			}
			// What it gets wrong is for the library to say.
			if more, err := dotenv.UnmarshalWithLookup(string(b), env.Resolve); err == nil {
				merged = merged.Merge(more)
			}
		}
		for _, p := range paths {
			path := in(dir, p)
			if err := o.file(path, []string{project, filepath.Dir(path)}, merged); err != nil {
				return err
			}
		}
	}
	return nil
}

// file checks one file and what it names.
func (o *otherFiles) file(path string, dirs []string, env types.Mapping) error {
	key := [2]string{path, dirs[0]}
	if o.seen[key] {
		return nil
	}
	if o.seen[key] = true; len(o.seen) > maxFiles {
		return &ComposeError{Problem: fmt.Sprintf("names more than %d other files (include, extends)", maxFiles)}
	}
	content, err := ordinary(path)
	if err != nil || content == nil {
		return err
	}
	return o.named(content, dirs, env)
}

// ordinary reads an ordinary file of a sane size; nil if there is none.
func ordinary(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil || info.IsDir():
		return nil, nil // the library says that it is not there
	case !info.Mode().IsRegular():
		return nil, &ComposeError{Problem: "names another file (include, extends) that is a pipe or a device and no file"}
	case info.Size() > MaxComposeBytes:
		return nil, &ComposeError{Problem: fmt.Sprintf("names another file (include, extends) that is larger than %d MiB", MaxComposeBytes>>20)}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil // the library says so
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxComposeBytes+1))
	switch {
	case err != nil:
		return nil, nil // the library says so
	case len(b) > MaxComposeBytes: // a file of /proc says that it has no bytes
		return nil, &ComposeError{Problem: fmt.Sprintf("names another file (include, extends) that is larger than %d MiB", MaxComposeBytes>>20)}
	}
	return b, nil
}

// composeModels are the documents of a Compose file that are objects.
func composeModels(content []byte) ([]map[string]any, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	var out []map[string]any
	for {
		var v any
		switch err := loader.Load(&v); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
}

// HasIncludes says whether a Compose file includes others; false for one that
// cannot be read.
func HasIncludes(content []byte) bool {
	models, err := composeModels(content)
	if err != nil {
		return false
	}
	for _, m := range models {
		if len(several(m["include"])) > 0 {
			return true
		}
	}
	return false
}

// several is a value that may be one or several.
func several(v any) []any {
	switch l := v.(type) {
	case nil:
		return nil
	case []any:
		return l
	}
	return []any{v}
}

// texts are the texts of a value with their variables filled in.
func texts(v any, env types.Mapping) []string {
	var out []string
	for _, e := range several(v) {
		s, ok := e.(string)
		if !ok {
			continue
		}
		if filled, err := template.Substitute(s, env.Resolve); err == nil {
			s = filled
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// in is a path as seen from a folder.
func in(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// notThere says that a file that is named is missing.
func notThere(err error) bool { return errors.Is(err, fs.ErrNotExist) }
