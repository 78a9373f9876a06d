package awslive

import "slices"

// Call is an operation of AWS's API.
type Call struct {
	// Service as IAM names it: "ec2".
	Service   string
	Operation string
}

// Action is the IAM action that allows the call: "ec2:DescribeVolumes".
func (c Call) Action() string { return c.Service + ":" + c.Operation }

// Every operation that is ever called. A test holds this list against the
// methods of the clients, so that a call cannot be added without its permission.
var (
	callInstanceTypes = Call{"ec2", "DescribeInstanceTypes"}
	callVolumes       = Call{"ec2", "DescribeVolumes"}
	callInstances     = Call{"ec2", "DescribeInstances"}
	callHosts         = Call{"ec2", "DescribeHosts"}
	callMetricData    = Call{"cloudwatch", "GetMetricData"}
	callProducts      = Call{"pricing", "GetProducts"}
)

// Feature is something that a user asks for, and the calls that it makes.
type Feature struct {
	// Name as it is written in a configuration or on the command line.
	Name  string
	Calls []Call
}

// Features are all live features, for the page about permissions. Reading a
// price of today on top of a feature needs the price list.
func Features() []Feature {
	return []Feature{
		{`catalog = "aws"`, []Call{callInstanceTypes, callProducts}},
		{"data.runnerfit_volume_usage", []Call{callVolumes, callInstances, callMetricData}},
		{"data.runnerfit_volumes", []Call{callVolumes, callInstances}},
		{"data.runnerfit_mac_hosts", []Call{callHosts, callInstances}},
		{"runnerfit usage", []Call{callVolumes, callInstances, callMetricData}},
		{"runnerfit usage --live-prices", []Call{callVolumes, callInstances, callMetricData, callInstanceTypes, callProducts}},
		{"runnerfit catalog refresh", []Call{callInstanceTypes, callProducts}},
	}
}

// Actions are the IAM actions of all features, sorted.
func Actions() []string {
	var out []string
	for _, f := range Features() {
		for _, c := range f.Calls {
			out = append(out, c.Action())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
