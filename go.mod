module github.com/runnerfit/terraform-provider-runnerfit

go 1.26

require (
	github.com/agnivade/levenshtein v1.2.2
	github.com/shopspring/decimal v1.6.0
)
