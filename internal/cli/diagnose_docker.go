package cli

import (
	"errors"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/dockerdiag"
)

func (a *app) diagnoseDockerCommand() *cobra.Command {
	var o dockerdiag.Options
	var format string
	c := &cobra.Command{
		Use:   "docker",
		Short: "Check Docker Desktop, the engine and a Compose file of runners",
		Long: `Reads Docker Desktop's settings file, asks the engine on its socket (Docker, or
Podman's compatible API) and reads a Compose file if one is named. It prints a
list of checks: ✓ right, ✗ wrong and what to do, ? not to be seen from here, or
a matter of advice. Then the limits of each service, what is used at this
moment, and what to try when a vitest run fails in a container.

It changes nothing, and shows names and numbers only: no environment, no secrets.
The exit code is 2 if there is a ✗.`,
		Example: "  runnerfit diagnose docker\n  runnerfit diagnose docker --compose compose.yaml --format json",
		Args:    takesNone("; --compose names a Compose file, --socket an engine"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			if o.Timeout <= 0 {
				return errors.New("--timeout: must be more than 0")
			}
			home, _ := os.UserHomeDir() // without one, its paths are left out
			o.SettingsPaths = dockerdiag.SettingsPaths(runtime.GOOS, home, os.Getenv("APPDATA"))
			if o.Socket == "" {
				var ok bool
				if o.SocketPaths, ok = dockerdiag.SocketPaths(os.Getenv("DOCKER_HOST"), home, os.Getenv("XDG_RUNTIME_DIR")); !ok {
					return errors.New("DOCKER_HOST: only a unix:// socket of this machine can be asked; name one with --socket")
				}
			}
			report, err := dockerdiag.Diagnose(c.Context(), o)
			if err != nil {
				return err
			}
			write := report.Text
			if format == formatJSON {
				write = report.JSON
			}
			if err := write(a.stdout); err != nil {
				return err
			}
			if report.Faults() > 0 {
				return ErrFindings
			}
			return nil
		},
	}
	c.Flags().StringVar(&o.Settings, "settings", "", "Docker Desktop's settings file (default: where it usually is)")
	c.Flags().StringVar(&o.Socket, "socket", "", "socket of the engine (default: DOCKER_HOST, or where it usually is)")
	c.Flags().StringVar(&o.Compose, "compose", "", "Compose file to check; its .env is read, too")
	c.Flags().DurationVar(&o.Timeout, "timeout", dockerdiag.DefaultTimeout.Round(time.Second), "how long one answer of the engine may take")
	formatFlag(c, &format)
	return c
}
