package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
)

// terminal is a pseudo-terminal: what is written to user is read from its line.
func terminal(t *testing.T) (user, line *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here: ", err)
	}
	t.Cleanup(func() { _ = user.Close() })
	if err := unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	line, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = line.Close() })
	return user, line
}

func TestModuleInteractive(t *testing.T) {
	user, line := terminal(t)
	dir := filepath.Join(t.TempDir(), "out")
	if _, err := fmt.Fprintf(user, "%s\nios\n\n3\n\n4\n", dir); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := cli.Run(t.Context(), "test", []string{"module", "mac-fleet", "--interactive"}, line, &stdout, &stderr); code != cli.ExitOK {
		t.Fatalf("exit %d, stderr %q", code, &stderr)
	}
	contains(t, stderr.String(), "Macs that run when all is well [2]: ")
	contains(t, read(t, filepath.Join(dir, "variables.tf")), "default     = \"ios\"\n", "default     = 4\n", "default     = 3\n")
}
