package module

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	indexVolume = "actions-cache/index-volume.sh"
	indexUUID   = "0b0c0d0e-1111-2222-3333-444455556666"
)

// cacheBench is an instance whose volume is attached and has nothing on it.
func cacheBench(t *testing.T) (b *bench, env []string) {
	t.Helper()
	b = newBench(t, map[string]string{
		"blkid": `fs=$(cat "$BENCH/fs")
case $fs in
blank) exit 2 ;;
unreadable) exit 4 ;;
esac
case $* in
*TYPE*) echo "$fs" ;;
*UUID*) echo ` + indexUUID + ` ;;
esac`,
		"mkfs.xfs":   `echo xfs >"$BENCH/fs"`,
		"mountpoint": `[ -e "$BENCH/mounted" ]`,
		"mount":      `touch "$BENCH/mounted"`,
		"chown":      "",
		"sleep":      `[ ! -e "$BENCH/late" ] || touch "$BENCH/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0"`,
	})
	b.write("fs", "blank", 0o600)
	b.write("fstab", "# the image's\n", 0o600)
	b.write("by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0", "", 0o600)
	return b, []string{
		"INDEX_VOLUME_ID=vol-0123456789abcdef0", "INDEX_DIRECTORY=" + b.path("index"), "INDEX_CLUSTER=actions-cache",
		"INDEX_BY_ID=" + b.path("by-id"), "INDEX_FSTAB=" + b.path("fstab"), "INDEX_ECS_CONFIG=" + b.path("etc/ecs.config"), "INDEX_WAIT_SECONDS=10",
	}
}

func TestIndexVolume(t *testing.T) {
	t.Parallel()
	const config = "ECS_CLUSTER=actions-cache\nECS_AWSVPC_BLOCK_IMDS=true\n"
	b, env := cacheBench(t)
	log, calls, code := b.run(indexVolume, env...)
	fstab := "# the image's\nUUID=" + indexUUID + " " + b.path("index") + " xfs defaults,nofail,noatime 0 2\n"
	device := b.path("by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0")
	want := []string{
		"blkid -p -s TYPE -o value " + device, "mkfs.xfs -q " + device, "blkid -p -s UUID -o value " + device,
		"mountpoint -q " + b.path("index"), "mount " + b.path("index"), "chown 1000:1000 " + b.path("index"),
	}
	if diff := cmp.Diff(want, calls); diff != "" || code != 0 {
		t.Errorf("exit code %d, calls (-want +got):\n%s\n%s", code, diff, log)
	}
	if got := b.read("fstab"); got != fstab {
		t.Errorf("fstab is %q", got)
	}
	if got := b.read("etc/ecs.config"); got != config {
		t.Errorf("the agent's configuration is %q", got)
	}

	// Again, and on the next instance: the index stays, and fstab has one line of it.
	_, calls, code = b.run(indexVolume, env...)
	if code != 0 || slices.ContainsFunc(calls, func(c string) bool { return strings.HasPrefix(c, "mkfs") || strings.HasPrefix(c, "mount /") }) || b.read("fstab") != fstab {
		t.Errorf("exit code %d, calls %q, fstab %q", code, calls, b.read("fstab"))
	}
}

func TestIndexVolumeComesLate(t *testing.T) {
	t.Parallel()
	b, env := cacheBench(t)
	b.write("late", "", 0o600)
	if err := os.Remove(b.path("by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0")); err != nil {
		t.Fatal(err)
	}
	log, calls, code := b.run(indexVolume, env...)
	if code != 0 || calls[0] != "sleep 5" || b.read("etc/ecs.config") == "" {
		t.Errorf("exit code %d, calls %q\n%s", code, calls, log)
	}
}

// A volume that has something else on it is not touched, and no server starts
// with an index that is on the root volume.
func TestIndexVolumeRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ fs, volume, want string }{
		"another file system": {"ext4", "vol-0123456789abcdef0", "has something else than XFS on it"},
		"partitions":          {"", "vol-0123456789abcdef0", "has something else than XFS on it"},
		"unreadable":          {"unreadable", "vol-0123456789abcdef0", "has something else than XFS on it"},
		"not attached":        {"blank", "vol-0fedcba9876543210", "vol-0fedcba9876543210 is not attached after 10 seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, env := cacheBench(t)
			b.write("fs", tt.fs, 0o600)
			log, calls, code := b.run(indexVolume, append(env, "INDEX_VOLUME_ID="+tt.volume)...)
			if code != 1 || !strings.Contains(log, tt.want) || slices.ContainsFunc(calls, func(c string) bool { return strings.HasPrefix(c, "mkfs") }) || b.read("etc/ecs.config") != "" {
				t.Errorf("exit code %d, calls %q\n%s", code, calls, log)
			}
			if name == "not attached" && !slices.Equal(calls, []string{"sleep 5", "sleep 5"}) {
				t.Errorf("it waited as long as %q", calls)
			}
		})
	}
}

func TestActionsCacheGolden(t *testing.T) {
	for name, change := range map[string]func(*ActionsCache){
		"actions-cache": func(*ActionsCache) {},
		"actions-cache-fargate": func(k *ActionsCache) {
			k.Name, k.Compute, k.Replicas, k.EntryGiB, k.DailyUploadGiB, k.RetentionDays = "cache", ComputeFargate, 3, 2.5, 20.5, 30
		},
	} {
		k := NewActionsCache()
		change(k)
		files, err := Generate(k)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, files)
		golden(t, name, files)
	}
}

func TestActionsCacheRefused(t *testing.T) {
	t.Parallel()
	refusedOptions(t, map[string]struct {
		change func(*ActionsCache)
		want   string
	}{
		"a name of AWS":     {func(k *ActionsCache) { k.Name = "aws-cache" }, "--name: must not begin with"},
		"another compute":   {func(k *ActionsCache) { k.Compute = "lambda" }, "--compute: must be instance or fargate"},
		"an unknown type":   {func(k *ActionsCache) { k.InstanceType = "x" }, "--instance-type: no such instance type"},
		"no replica":        {func(k *ActionsCache) { k.Replicas = 0 }, "--replicas: must be 1 or more"},
		"SQLite replicated": {func(k *ActionsCache) { k.Replicas = 2 }, "--replicas: must be 1 on one instance, whose index is in SQLite"},
		"no entry":          {func(k *ActionsCache) { k.EntryGiB = 0 }, "--entry-gib: must be more than 0"},
		"no upload":         {func(k *ActionsCache) { k.DailyUploadGiB = -1 }, "--daily-upload-gib: must be more than 0"},
		"no retention":      {func(k *ActionsCache) { k.RetentionDays = 0 }, "--retention-days: must be"},
	}, NewActionsCache)
}
