package module

import "math"

// MacFleet is a fleet of EC2 Macs that run VM images.
type MacFleet struct {
	Name         string
	InstanceType string
	// Images are pulled by every host before it takes jobs, one pipeline each.
	Images       int
	ImageSizeGiB float64
	Hosts        int
}

// NewMacFleet returns a fleet with the defaults.
func NewMacFleet() *MacFleet {
	return &MacFleet{Name: "mac-runners", InstanceType: "mac2-m2pro.metal", Images: 2, ImageSizeGiB: 75, Hosts: 2}
}

// Kind is "mac-fleet".
func (*MacFleet) Kind() string { return "mac-fleet" }

// Check checks the settings.
func (m *MacFleet) Check() error {
	if err := checkName("name", m.Name); err != nil {
		return err
	}
	if _, err := checkMacType("instance-type", m.InstanceType); err != nil {
		return err
	}
	if err := checkRange("images", m.Images, 1, math.MaxInt); err != nil {
		return err
	}
	return checkRange("hosts", m.Hosts, 1, math.MaxInt)
}

func (m *MacFleet) files() ([]File, error) {
	return []File{versions(true)}, nil
}
