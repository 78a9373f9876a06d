package main

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// TestMain lets the test's program watch, as the benchmark's does.
func TestMain(m *testing.M) {
	if file, target := os.Getenv(peakFile), os.Getenv(peakTarget); file != "" && target != "" {
		os.Exit(runWatched(target, file))
	}
	os.Exit(m.Run())
}

// What the program that measures holds is not taken for the memory of what it
// starts.
func TestCommandPeak(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	const held = 128 << 20
	ballast := make([]byte, held)
	for i := 0; i < len(ballast); i += 1 << 10 {
		ballast[i] = 1
	}
	b := &bench{dir: t.TempDir()}
	m, err := b.command(t.Context(), []int{2}, sh, "-c", "exit 2")
	runtime.KeepAlive(ballast)
	if err != nil {
		t.Fatal(err)
	}
	if m.wall <= 0 || m.peak <= 0 || m.peak >= held/2 {
		t.Errorf("got %+v; a shell that does nothing takes a few megabytes", m)
	}
	if _, err := b.command(t.Context(), nil, sh, "-c", "exit 2"); err == nil {
		t.Error("an exit code that is a failure is none")
	}
}
