// Package lazyregexp compiles regular expressions when they are first used. The
// program is started several times in every plan, and most of its expressions
// belong to one command: compiling all of them took as long as everything else
// of ours that happens at its start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that gives the compiled pattern, always the same. It
// panics where the pattern does not compile, on first use: a test has to use it.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
