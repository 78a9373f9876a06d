package catalog

import "github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"

// The shapes are wider than what AWS uses today, so that a type or Region of
// tomorrow passes, and narrow enough that neither free text nor a secret does.
var (
	typeName   = lazyregexp.New(`\A[a-z][a-z0-9-]{0,30}\.[a-z0-9-]{1,20}\z`)
	regionName = lazyregexp.New(`\A[a-z]{2,4}(-[a-z]{2,10}){1,2}-[0-9]{1,2}\z`)
	// Local zones are priced under their zone id, "usw2-lax1-az1".
	zoneID = lazyregexp.New(`\A[a-z]{2,8}[0-9]{1,2}(-[a-z]{3}[0-9]{1,2})?-az[0-9]{1,2}\z`)
)

// IsTypeName says whether a string has the shape of an instance type's name,
// "m8a.xlarge". Only names of this shape may be repeated in messages; whether
// there is such a type is another question.
func IsTypeName(s string) bool { return typeName().MatchString(s) }

// IsRegionName says whether a string has the shape of a Region's name,
// "us-east-1", or of a zone id, "usw2-lax1-az1", under which local zones are
// priced. It is false for the name of an availability zone, "us-east-1a". Only
// names of this shape may be repeated in messages.
func IsRegionName(s string) bool { return regionName().MatchString(s) || zoneID().MatchString(s) }
