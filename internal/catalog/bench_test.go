package catalog

import "testing"

// The first look-up of a process, which is what a plan waits for.
func BenchmarkInstanceCold(b *testing.B) {
	for b.Loop() {
		if _, ok := (&Catalog{facts: newFacts()}).Instance("mac2-m2pro.metal"); !ok {
			b.Fatal("not known")
		}
	}
}

// Everything that the check of a Mac host looks up, in a new process.
func BenchmarkMacHostCold(b *testing.B) {
	for b.Loop() {
		c := &Catalog{facts: newFacts()}
		_, instance := c.Instance("mac2-m2pro.metal")
		_, mac := c.Mac("mac2-m2pro.metal")
		_, prices := c.VolumePrices("us-east-1")
		if !instance || !mac || !prices || c.GP3(CurrentLimits).IOPSPerMiB != 4 {
			b.Fatal("not known")
		}
	}
}

func BenchmarkInstance(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := Embedded().Instance("mac2-m2pro.metal"); !ok {
			b.Fatal("not known")
		}
	}
}

func BenchmarkUnknownInstance(b *testing.B) {
	for b.Loop() {
		if _, ok := Embedded().Instance("mac9.metal"); ok {
			b.Fatal("known")
		}
	}
}

func BenchmarkInstances(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range Embedded().Instances() {
			n++
		}
		if n != Embedded().InstanceCount() {
			b.Fatal(n)
		}
	}
}

func BenchmarkClosestInstances(b *testing.B) {
	for b.Loop() {
		if got := Embedded().ClosestInstances("mac2-m2por.metal", 3); got[0] != "mac2-m2pro.metal" {
			b.Fatal(got)
		}
	}
}

func BenchmarkVolumePrices(b *testing.B) {
	for b.Loop() {
		if _, ok := Embedded().VolumePrices("us-east-1"); !ok {
			b.Fatal("not known")
		}
	}
}

func BenchmarkInstancePrice(b *testing.B) {
	for b.Loop() {
		if _, ok := Embedded().InstancePrice("eu-west-1", "m8g.4xlarge"); !ok {
			b.Fatal("not known")
		}
	}
}
