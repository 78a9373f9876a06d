package runnerlabel

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// headKey is the key of RunsOn's first part, runs-on=ID.
const headKey = "runs-on"

// kind is what a value of RunsOn has to be.
type kind uint8

const (
	free kind = iota // names and texts of one's own: nothing is said of them
	numbers
	families
	boolean
	spotStrategy
	extrasList
	region
	volume
	stickyVolume
	removed
)

// key is one key of RunsOn's labels.
type key struct {
	name string
	kind kind
}

// runsOnKeys are the keys of RunsOn in canonical order. pool, fleet, ami and
// run-id are documented for one version or product only and are known to all.
var runsOnKeys = []key{
	{headKey, free},
	{"fleet", free},
	{"pool", free},
	{"runner", free},
	{"cpu", numbers},
	{"ram", numbers},
	{"family", families},
	{"image", free},
	{"ami", free},
	{"volume", volume},
	{"sticky", stickyVolume},
	{"extras", extrasList},
	{"spot", spotStrategy},
	{"retry", free},
	{"ssh", boolean},
	{"private", boolean},
	{"nested-virt", boolean},
	{"tags", free},
	{"preinstall", free},
	{"prerun", free},
	{"debug", boolean},
	{"id", free},
	{"run-id", free},
	{"env", free},
	{"region", region},
}

// removedKeys were keys of earlier versions that asked for a disk.
var removedKeys = []key{{"disk", removed}, {"hdd", removed}}

func findKey(name string) (key, bool) {
	for _, keys := range [][]key{runsOnKeys, removedKeys} {
		if i := slices.IndexFunc(keys, func(k key) bool { return k.name == name }); i >= 0 {
			return keys[i], true
		}
	}
	return key{}, false
}

// keyNames are the keys that can be written today, in canonical order.
var keyNames = func() []string {
	out := make([]string, len(runsOnKeys))
	for i, k := range runsOnKeys {
		out[i] = k.name
	}
	return out
}()

// otherWords are words that people write for a key, and that no edit distance
// leads back to it.
var otherWords = map[string]string{
	"memory": "ram", "mem": "ram", "memory-gb": "ram",
	"cpus": "cpu", "vcpu": "cpu", "vcpus": "cpu", "cores": "cpu",
	"instance": "family", "instance-type": "family", "instance-family": "family", "type": "family", "families": "family",
	"os": "image", "storage": "volume", "root": "volume", "size": "volume",
	"extra": "extras", "features": "extras", "tag": "tags", "environment": "env",
	"nested-virtualization": "nested-virt", "sticky-disk": "sticky", "snap": "sticky",
}

// looseWords are those of otherWords that need not mean the same: os=windows is
// no image, and a root may be of the image's size. They are suggested only.
var looseWords = []string{"os", "root", "size", "features", "snap", "instance-family"}

// isSlip says whether a word can only be a typing error of a known one, so that
// it may be put right unasked. One change in a word of up to four letters, two
// in a longer one; in three letters another letter makes another word (gpu, arm),
// so there only one too many or too few is a slip, and in two none is.
func isSlip(word, known string) bool {
	word = lower(word)
	d := levenshtein.ComputeDistance(word, known)
	switch shorter := min(len(word), len(known)); {
	case len(known) < 3 || len(word) < 2:
		return false
	case len(known) == 3:
		return d == 1 && len(word) != len(known)
	case shorter <= 4:
		return d == 1
	default:
		return d <= farthest
	}
}

// sameKey says whether a word that is no key is written for a certain one:
// another word for it or a slip.
func sameKey(word, known string) bool {
	if otherWords[word] == known {
		return !slices.Contains(looseWords, word)
	}
	return isSlip(word, known)
}

// noWords are words for no: the value of spot that is meant is false.
var noWords = []string{"no", "off", "none", "0", "n", "not", "disabled"}

// closestKeys are the keys that a word may have been meant for.
func closestKeys(name string) []string {
	if w := otherWords[name]; w != "" {
		return []string{w}
	}
	return nearest(name, keyNames)
}

// spotValues are all that RunsOn takes for spot: a closed list, by the schema
// of its configuration.
var spotValues = []string{"true", "false", "never", "pco", "price-capacity-optimized", "lp", "lowest-price", "co", "capacity-optimized"}

var booleans = []string{"true", "false"}

// knownExtras is not a closed list: RunsOn adds to it.
var knownExtras = []string{"s3-cache", "ecr-cache", "efs", "tmpfs", "ephemeral-registry", "otel"}

// diskVolumes is what v2 made of the values of disk, unless its stack was set
// up otherwise: the defaults of the stack's parameters, and for large 4,000
// IOPS (github.com/runs-on/runs-on/issues/260).
var diskVolumes = map[string]string{
	"default": "40gb:gp3:400mibps:3000iops",
	"large":   "80gb:gp3:750mibps:4000iops",
}

// farthest is the edit distance up to which a word is taken for a typing error.
const farthest = 2

// nearest are the known words that are most like a mistyped one, all that are
// equally near; none if the nearest is far. Letters in another order count as
// one slip, so that "cop" is as near to "pco" as to "co".
func nearest(word string, known []string) []string {
	word = lower(word)
	if len(word) > maxKey {
		return nil
	}
	least := farthest + 1
	var out []string
	for _, k := range known {
		d := levenshtein.ComputeDistance(word, k)
		if d > 0 && letters(word) == letters(k) {
			d = 1
		}
		// A short word is not its neighbour's typing error when most of it differs.
		if d >= len(k) || d > least {
			continue
		}
		if d < least {
			least, out = d, nil
		}
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func letters(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// maxKey is longer than any key or closed word.
const maxKey = 60

// alternatives writes a choice of words: "co or pco".
func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
