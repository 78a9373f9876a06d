variable "region" {
  description = "AWS Region of the fleet."
  type        = string
  default     = "us-east-1"
}

variable "image_id" {
  description = "macOS image with your runner on it. The default is nobody's; an apply on AWS needs yours."
  type        = string
  default     = "ami-0123456789abcdef0"
}

variable "subnet_ids" {
  description = "Subnets in availability zones that have the instance type. The defaults are nobody's; an apply on AWS needs yours."
  type        = list(string)
  default     = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
}

variable "hosts" {
  description = "Macs that run when all is well."
  type        = number
  default     = 4
}

variable "host_quota" {
  description = "The account's quota of dedicated hosts of this family in the Region."
  type        = number
  default     = 10
}
