// Package gc says how much garbage may lie about before it is collected.
//
// Terraform starts a provider three times in a plan, for a fraction of a second
// each. A collection while the packages initialise took a quarter of the time
// until the provider answered, and found next to nothing that was free.
package gc

import (
	"os"
	"runtime/debug"
)

const (
	// startPercent lets the heap grow to 16 MB before it is collected for the first
	// time: four times the least goal, 4 MB. A plan of 1,000 guards then takes 57 MB
	// instead of 42, and 5 % less time.
	startPercent = 400
	// usualPercent is what Go itself starts with.
	usualPercent = 100
)

// Go initialises packages without dependencies before others, in the order of
// their names: at this point little has been allocated.
func init() { set(startPercent) }

// Usual goes back to Go's own setting, for work that reads more than it answers.
func Usual() { set(usualPercent) }

// set leaves alone what the environment asks for.
func set(percent int) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(percent)
	}
}
