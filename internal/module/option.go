package module

import (
	"fmt"
	"math"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
)

// OptionError says that a setting cannot be used, in one line.
type OptionError struct {
	// Option is the flag's name without dashes.
	Option string
	// Message says what would do: "must be 1 or more".
	Message string
}

func (e *OptionError) Error() string { return "--" + e.Option + ": " + e.Message }

// wrong is an OptionError with its values in place.
func wrong(option, format string, args ...any) error {
	return &OptionError{Option: option, Message: fmt.Sprintf(format, args...)}
}

// namePattern is what every AWS name that is derived from a module's accepts:
// of launch templates, roles, alarms, resource groups, DNS labels and buckets.
var namePattern = lazyregexp.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// maxName leaves room for what the names of resources add: a role's prefix,
// which AWS completes itself, has 38 characters at most.
const maxName = 24

// checkName checks the name that all resources of a module begin with. AWS
// keeps "aws" for itself at the start of the names of resource groups.
func checkName(name string) error {
	const option = "name"
	switch {
	case name == "":
		return wrong(option, "must not be empty")
	case len(name) > maxName:
		return wrong(option, "must have at most %d characters, so that the names of all resources fit AWS's limits", maxName)
	case !namePattern().MatchString(name):
		return wrong(option, "must be lower-case letters, digits and single hyphens, and begin with a letter, because it becomes part of AWS names")
	case strings.HasPrefix(name, "aws"):
		return wrong(option, "must not begin with \"aws\", which AWS keeps for itself")
	}
	return nil
}

// checkRange checks a whole number.
func checkRange(option string, n, least, most int) error {
	switch {
	case n < least && least == 1:
		return wrong(option, "must be 1 or more")
	case n < least, n > most && most != math.MaxInt:
		return wrong(option, "must be %d to %d", least, most)
	}
	return nil
}

// checkNumber checks a number that may have decimals.
func checkNumber(option string, n, above, most float64) error {
	if math.IsNaN(n) || n <= above || n > most {
		return wrong(option, "must be more than %g and at most %g", above, most)
	}
	return nil
}

// checkInstanceType finds an instance type in the catalogue.
func checkInstanceType(option, typ string) (catalog.Instance, error) {
	cat := catalog.Embedded()
	i, ok := cat.Instance(typ)
	if !ok {
		return i, wrong(option, "no such instance type in the table of %s; the closest are %s",
			cat.InstanceSource().AsOf, strings.Join(cat.ClosestInstances(typ, 3), ", "))
	}
	return i, nil
}

// checkMacType finds an EC2 Mac type in the catalogue.
func checkMacType(option, typ string) (catalog.Mac, error) {
	cat := catalog.Embedded()
	if m, ok := cat.Mac(typ); ok {
		return m, nil
	}
	if i, ok := cat.Instance(typ); ok && !i.IsMac() {
		return catalog.Mac{}, wrong(option, "%s is not a Mac; EC2 Mac types are %s", typ, strings.Join(macTypes(cat), ", "))
	}
	_, err := checkInstanceType(option, typ)
	if err == nil { // a Mac type of the table without the facts of its host
		err = wrong(option, "nothing is known of the hosts of %s", typ)
	}
	return catalog.Mac{}, err
}

func macTypes(cat *catalog.Catalog) []string {
	var out []string
	for _, m := range cat.Macs() {
		out = append(out, m.Type)
	}
	return out
}
