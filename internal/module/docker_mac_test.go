package module

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	placeScript = "docker-mac/place.sh"
	startScript = "docker-mac/start.sh"
	checkScript = "docker-mac/check.sh"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	const content = "a: 'b' $c\n\n"
	place := func(action, content string) (string, int) {
		printed, _, code := b.run(placeScript, "PLACE_ACTION="+action, "PLACE_PATH="+b.path("new folder/compose.yaml"), "PLACE_MODE=0640", "PLACE_CONTENT="+content)
		return printed, code
	}
	if printed, code := place("write", content); code != 0 || b.read("new folder/compose.yaml") != content {
		t.Fatalf("exit code %d, written %q: %s", code, b.read("new folder/compose.yaml"), printed)
	}
	if info, err := os.Stat(b.path("new folder/compose.yaml")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if _, code := place("write", content); code != 0 {
		t.Errorf("the same again: exit code %d", code)
	}
	if printed, code := place("write", "other"); code != 1 || b.read("new folder/compose.yaml") != content || !strings.Contains(printed, "changed by hand; move it away") {
		t.Errorf("over somebody's: exit code %d, %s", code, printed)
	}
	if printed, code := place("remove", "other"); code != 0 || b.read("new folder/compose.yaml") != content || !strings.Contains(printed, "so it stays") {
		t.Errorf("removing somebody's: exit code %d, %s", code, printed)
	}
	if _, code := place("remove", content); code != 0 || b.read("new folder/compose.yaml") != "" {
		t.Errorf("removing: exit code %d", code)
	}
	if _, code := place("remove", content); code != 0 {
		t.Errorf("removing what is gone: exit code %d", code)
	}
	// A dangling link is somebody's, too.
	if err := os.Symlink("nowhere", b.path("new folder/compose.yaml")); err != nil {
		t.Fatal(err)
	}
	if printed, code := place("write", content); code != 1 || !strings.Contains(printed, "move it away") {
		t.Errorf("over a link: exit code %d, %s", code, printed)
	}
	if left, _ := filepath.Glob(b.path("new folder", "*.new.*")); len(left) != 0 { // The pattern is fine.
		t.Errorf("left behind: %q", left)
	}
	if _, code := place("look", content); code != 1 {
		t.Errorf("an unknown action: exit code %d", code)
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		// answers is after how many questions Docker answers.
		answers int
		want    []string
		code    int
	}{
		"Docker runs":    {1, []string{"docker info", "docker compose up --detach --no-recreate"}, 0},
		"Docker is slow": {3, []string{"docker info", "open -g -a Docker", "docker info", "sleep 5", "docker info", "docker compose up --detach --no-recreate"}, 0},
		"Docker is gone": {99, []string{"docker info", "open -g -a Docker", "docker info", "sleep 5", "docker info", "sleep 5", "docker info"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{
				"docker": `[ "$1" != info ] || [ "$(grep -c "docker info" "$BENCH/calls")" -ge "$ANSWERS" ]`,
				"open":   "exit 1", // Where there is no desktop, one waits all the same.
				"sleep":  "",
			})
			printed, calls, code := b.run(startScript, "START_WAIT_SECONDS=10", "ANSWERS="+strconv.Itoa(tt.answers))
			if !slices.Equal(calls, tt.want) || code != tt.code {
				t.Errorf("exit code %d, calls %q\n%s", code, calls, printed)
			}
		})
	}
}

// Only who asks for it ends jobs.
func TestStartArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"docker": ""})
	if _, calls, code := b.runWith(startScript, []string{"apply"}); code != 0 || calls[1] != "docker compose up --detach --remove-orphans" {
		t.Errorf("exit code %d, calls %q", code, calls)
	}
	if printed, calls, code := b.runWith(startScript, []string{"aply"}); code != 1 || len(calls) != 0 || !strings.Contains(printed, "no such argument: aply") {
		t.Errorf("exit code %d, calls %q, %s", code, calls, printed)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const planned = "COMPOSE_PROJECT_NAME=ci\nREPLICAS=2\nVM_MEMORY_GIB=20\nRUNNERS=2\n"
	good := map[string]string{"a": "/ci-1 true 3221225472 false 0", "b": "/ci-2 true 3221225472 false 3"}
	for name, tt := range map[string]struct {
		info, env  string
		containers map[string]string
		code       int
		want       []string
	}{
		"all is well":      {"20900000000 16", planned + "VM_CPUS=16\n", good, 0, []string{"2 runners in 19931 MiB"}},
		"CPUs not judged":  {"20900000000 2", planned, good, 0, []string{"2 runners"}},
		"the VM is small":  {"8000000000 8", planned + "VM_CPUS=16\n", good, 2, []string{"has 7629 MiB of memory, and the runners are planned for 20480", "has 8 CPUs, and the runners are planned for 16"}},
		"decimals":         {"8000000000 8", strings.Replace(planned, "GIB=20", "GIB=7.5", 1), good, 0, []string{"2 runners in 7629 MiB"}},
		"one does not run": {"20900000000 16", planned, map[string]string{"a": good["a"], "b": "/ci-2 false 3221225472 false 0"}, 2, []string{"1 of 2 runners run"}},
		"no container":     {"20900000000 16", planned, nil, 2, []string{"0 of 2 runners run"}},
		"no limit":         {"20900000000 16", planned, map[string]string{"a": good["a"], "b": "/ci-2 true 0 false 0"}, 2, []string{"ci-2 has no memory limit"}},
		"out of memory":    {"20900000000 16", planned, map[string]string{"a": good["a"], "b": "/ci-2 true 3221225472 true 0"}, 2, []string{"ci-2 was ended because it reached its memory limit"}},
		"again and again":  {"20900000000 16", planned, map[string]string{"a": good["a"], "b": "/ci-2 true 3221225472 false 11"}, 2, []string{"ci-2 was restarted 11 times"}},
		"no Docker":        {"", planned, nil, 1, []string{"Docker does not answer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{"docker": `case $1 in
info) [ -s "$BENCH/info" ] && cat "$BENCH/info" ;;
compose) ls "$BENCH/containers" ;;
inspect) for id in "$@"; do :; done; cat "$BENCH/containers/$id" ;;
esac`})
			b.write("info", tt.info, 0o600)
			b.write(".env", tt.env, 0o600)
			if err := os.MkdirAll(b.path("containers"), 0o750); err != nil {
				t.Fatal(err)
			}
			for id, state := range tt.containers {
				b.write("containers/"+id, state+"\n", 0o600)
			}
			printed, _, code := b.run(checkScript)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(printed, want) {
					t.Errorf("%q is missing in\n%s", want, printed)
				}
			}
			if tt.code == 2 && strings.Count(printed, "\n") != len(tt.want) {
				t.Errorf("more than %q:\n%s", tt.want, printed)
			}
		})
	}
}

func TestDockerMacGolden(t *testing.T) {
	for name, change := range map[string]func(*DockerMac){
		"docker-mac": func(*DockerMac) {},
		"docker-mac-other": func(k *DockerMac) {
			k.Name, k.MemoryGiB, k.CPUs, k.MemoryLimitGiB, k.Organizations, k.Directory = "mini", 31.5, 12, 4.5, 3, "/Users/Shared/ci runners"
		},
	} {
		k := NewDockerMac()
		change(k)
		files, err := Generate(k)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, files)
		golden(t, name, files)
	}
}

func TestDockerMacRefused(t *testing.T) {
	t.Parallel()
	refusedOptions(t, map[string]struct {
		change func(*DockerMac)
		want   string
	}{
		"a bad name":       {func(k *DockerMac) { k.Name = "CI" }, "--name: must be lower-case"},
		"no memory":        {func(k *DockerMac) { k.MemoryGiB = 0 }, "--memory-gib: must be more than 0"},
		"no limit":         {func(k *DockerMac) { k.MemoryLimitGiB = -1 }, "--memory-limit-gib: must be more than 0.1"},
		"negative CPUs":    {func(k *DockerMac) { k.CPUs = -1 }, "--cpus: must be"},
		"no organisation":  {func(k *DockerMac) { k.Organizations = 0 }, "--organizations: must be 1 or more"},
		"nothing fits":     {func(k *DockerMac) { k.MemoryGiB, k.Organizations = 8, 2 }, "--memory-gib: there is no room for a runner of each organisation at 3 GiB; it takes 9 GiB"},
		"a relative path":  {func(k *DockerMac) { k.Directory = "runners" }, "--directory: must be an absolute path"},
		"a path with XML":  {func(k *DockerMac) { k.Directory = "/a<b" }, "--directory: must be an absolute path"},
		"a path of a user": {func(k *DockerMac) { k.Directory = "~bob/x" }, "--directory: must be an absolute path"},
	}, NewDockerMac)
}
