package awsstandin

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// query is what a data source is asked.
type query struct {
	// obj is the configuration.
	obj object
	// filters are the values of the filter blocks by name.
	filters map[string][]string
	region  string
	tags    map[string]string
}

func (s *server) query(config tftypes.Value) query {
	q := query{obj: fields(config), filters: map[string][]string{}, region: s.region, tags: s.defaultTags}
	for _, e := range elements(q.obj["filter"]) {
		filter := fields(e)
		q.filters[text(filter["name"])] = texts(filter["values"])
	}
	q.region = q.text("region", q.region)
	return q
}

// text is a configured string, or another if there is none.
func (q query) text(name, otherwise string) string {
	return first([]string{text(q.obj[name])}, otherwise)
}

// filter is the first value of a filter, or another if there is none.
func (q query) filter(name, otherwise string) string { return first(q.filters[name], otherwise) }

// arn is the ARN of something in the account and region.
func (q query) arn(service, resource string) string {
	return "arn:aws:" + service + ":" + q.region + ":" + accountID + ":" + resource
}

// zones are the availability zones of the region, and their ids.
func (q query) zones() []string { return []string{q.region + "a", q.region + "b", q.region + "c"} }

func zoneIDs() []string { return []string{"use1-az1", "use1-az2", "use1-az3"} }

func first(list []string, otherwise string) string {
	if len(list) > 0 && list[0] != "" {
		return list[0]
	}
	return otherwise
}

// answers are what data sources find. Attributes that are left out are made up
// as those of resources are.
var answers = map[string]func(query) map[string]any{
	"aws_ami":                         answerAMI,
	"aws_availability_zones":          answerAvailabilityZones,
	"aws_caller_identity":             answerCallerIdentity,
	"aws_default_tags":                answerDefaultTags,
	"aws_ebs_snapshot":                answerEBSSnapshot,
	"aws_ebs_volumes":                 answerEBSVolumes,
	"aws_ec2_host":                    answerEC2Host,
	"aws_ec2_instance_type":           answerInstanceType,
	"aws_ec2_instance_type_offerings": answerInstanceTypeOfferings,
	"aws_iam_policy_document":         answerPolicyDocument,
	"aws_kms_key":                     answerKMSKey,
	"aws_partition":                   answerPartition,
	"aws_region":                      answerRegion,
	"aws_s3_bucket":                   answerS3Bucket,
	"aws_servicequotas_service_quota": answerServiceQuota,
	"aws_ssm_parameter":               answerSSMParameter,
	"aws_subnet":                      answerSubnet,
	"aws_subnets":                     answerSubnets,
	"aws_vpc":                         answerVPC,
}

func answerCallerIdentity(query) map[string]any {
	return map[string]any{
		"id": accountID, "account_id": accountID, "user_id": "AIDA0123456789ABCDEF0",
		"arn": "arn:aws:iam::" + accountID + ":user/standin",
	}
}

func answerPartition(query) map[string]any {
	return map[string]any{"id": "aws", "partition": "aws", "dns_suffix": "amazonaws.com", "reverse_dns_prefix": "com.amazonaws"}
}

func answerRegion(q query) map[string]any {
	name := q.text("name", q.region)
	return map[string]any{
		"id": name, "name": name, "region": name,
		"description": "Stand-in (" + name + ")", "endpoint": "ec2." + name + ".amazonaws.com",
	}
}

func answerAvailabilityZones(q query) map[string]any {
	return map[string]any{"id": q.region, "names": q.zones(), "zone_ids": zoneIDs(), "group_names": []string{q.region}}
}

func answerDefaultTags(q query) map[string]any {
	return map[string]any{"id": "aws", "tags": q.tags}
}

func answerServiceQuota(q query) map[string]any {
	code, service := q.text("quota_code", "L-00000000"), q.text("service_code", "")
	arn := q.arn("servicequotas", service+"/"+code)
	return map[string]any{
		"id": arn, "arn": arn, "quota_code": code, "quota_name": "standin quota", "service_name": service,
		"value": 10, "default_value": 10, "adjustable": true, "global_quota": false,
	}
}

// answerSSMParameter gives an image's id where the name speaks of one, as the
// public parameters of images do.
func answerSSMParameter(q query) map[string]any {
	name, value := q.text("name", ""), "standin-value"
	if strings.Contains(name, "image_id") || strings.Contains(name, "ami") {
		value = imageID
	}
	return map[string]any{
		"id": name, "arn": q.arn("ssm", "parameter/"+strings.TrimPrefix(name, "/")),
		"type": "String", "value": value, "insecure_value": value, "version": 1,
	}
}

// answerKMSKey takes a key's id, its ARN or an alias.
func answerKMSKey(q query) map[string]any {
	id := q.text("key_id", "alias/")
	if strings.HasPrefix(id, "arn:") {
		id = id[strings.LastIndexByte(id, '/')+1:]
	}
	if strings.HasPrefix(id, "alias/") {
		id = "01234567-89ab-4cde-8f01-23456789abcd"
	}
	return map[string]any{
		"id": id, "arn": q.arn("kms", "key/"+id), "aws_account_id": accountID, "enabled": true,
		"key_state": "Enabled", "key_usage": "ENCRYPT_DECRYPT", "key_spec": "SYMMETRIC_DEFAULT", "customer_master_key_spec": "SYMMETRIC_DEFAULT",
		"key_manager": "CUSTOMER", "origin": "AWS_KMS", "multi_region": false,
	}
}

func answerS3Bucket(q query) map[string]any {
	name := q.text("bucket", "")
	return map[string]any{
		"id": name, "arn": "arn:aws:s3:::" + name, "bucket_domain_name": name + ".s3.amazonaws.com",
		"bucket_regional_domain_name": name + ".s3." + q.region + ".amazonaws.com", "bucket_region": q.region,
		"hosted_zone_id": "Z3AQBSTGFYJSTF",
	}
}
