terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# Two VMs on a volume of 16,000 IOPS.
data "runnerfit_vm_disk" "two" {
  provisioned_iops = 16000
  vms              = 2
}

output "two_guests" {
  value = {
    read  = data.runnerfit_vm_disk.two.guest_read_iops
    write = data.runnerfit_vm_disk.two.guest_write_iops
  }
  # => {
  #   read  = 14200
  #   write = 7010
  # }
}

# IOPS above this are paid for and never seen.
output "useful_iops" {
  value = data.runnerfit_vm_disk.two.useful_iops
  # => 14200
}

# One VM alone does not get all of it.
data "runnerfit_vm_disk" "one" {
  provisioned_iops = 16000
  vms              = 1
}

output "one_guest" {
  value = {
    read     = data.runnerfit_vm_disk.one.guest_read_iops
    write    = data.runnerfit_vm_disk.one.guest_write_iops
    bound_by = data.runnerfit_vm_disk.one.bound_by
  }
  # => {
  #   read     = 9790
  #   write    = 3595
  #   bound_by = "virtualization"
  # }
}
