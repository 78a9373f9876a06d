package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestAsk(t *testing.T) {
	for name, tt := range map[string]struct {
		given   []string
		answers string
		// want are the values of output, hosts and type.
		want, asked, failure string
	}{
		"all answered":         {nil, "out\n4\nmac1.metal\n", "out 4 mac1.metal", "Folder: Hosts [2]: Type [mac2.metal]: ", ""},
		"defaults":             {nil, "out\n\n\n", "out 2 mac2.metal", "Folder: Hosts [2]: Type [mac2.metal]: ", ""},
		"given as flags":       {[]string{"--hosts=7", "-o", "x"}, "\n", "x 7 mac2.metal", "Type [mac2.metal]: ", ""},
		"asked again":          {nil, "\n \nout\nmany\n3\n\n", "out 3 mac2.metal", strings.Repeat("Folder: ", 3) + "Hosts [2]: Not a value for --hosts.\nHosts [2]: Type [mac2.metal]: ", ""},
		"no last line break":   {nil, "out\n4\nmac1.metal", "out 4 mac1.metal", "Folder: Hosts [2]: Type [mac2.metal]: ", ""},
		"the answers end":      {nil, "out\n4\n", "", "Folder: Hosts [2]: Type [mac2.metal]: ", "the answers ended"},
		"there are no answers": {nil, "", "", "Folder: ", "the answers ended"},
	} {
		t.Run(name, func(t *testing.T) {
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			out := flags.StringP("output", "o", "", "folder")
			hosts := flags.Int("hosts", 2, "hosts")
			typ := flags.String("type", "mac2.metal", "type")
			if err := flags.Parse(tt.given); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			a := &app{stdout: io.Discard, stderr: &stderr}
			err := a.askOn(bufio.NewReader(strings.NewReader(tt.answers)), []string{"hosts", "type"}, flags)
			if tt.failure != "" {
				if err == nil || !strings.Contains(err.Error(), tt.failure) {
					t.Errorf("got %v", err)
				}
			} else if got := fmt.Sprint(*out, " ", *hosts, " ", *typ); err != nil || got != tt.want {
				t.Errorf("got %q, %v", got, err)
			}
			if stderr.String() != tt.asked {
				t.Errorf("asked %q", stderr.String())
			}
		})
	}
}
