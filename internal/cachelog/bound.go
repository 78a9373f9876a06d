package cachelog

import (
	"fmt"
	"math"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Setting is what is known of the way between runner and cache, all optional.
type Setting struct {
	Link units.MbitPerS // 0 if not known
	// Volume of the cache server.
	Volume units.MiBPerS // 0 if not known
	// Backend is whose cache it is, where it is known.
	Backend Backend
}

// With is a setting with what the log itself tells, which a person may know
// better.
func (s Setting) With(l *Log) Setting {
	switch {
	case s.Backend != BackendUnknown:
	case l.Backend != BackendUnknown:
		s.Backend = l.Backend
	case s.Volume > 0:
		s.Backend = OwnServer // nobody knows GitHub's volumes
	}
	return s
}

// Bound by.
const (
	ByLink    = "link"
	ByVolume  = "volume"
	ByServer  = "server"
	ByStall   = "stall"
	ByUnknown = "unknown"
)

// Verdict is what bounded a transfer.
type Verdict struct {
	BoundBy string
	// Means says why, ToDo what to do about it; ToDo is empty where there is nothing.
	Means, ToDo string
}

const (
	// nearLimit is the part of a limit from which it is what bounds: protocols take a
	// few percent for themselves.
	nearLimit = 0.85
	// hosted is what self-hosted runners were reported to get from GitHub's hosted
	// cache over the internet.
	hosted = units.MBPerS(20)
)

// Judge says what bounded a transfer.
func Judge(t Transfer, s Setting) Verdict {
	if t.StalledSeconds > 0 {
		return Verdict{
			BoundBy: ByStall,
			Means: fmt.Sprintf("It stood still for %s s after %s of %s: a segment hung, which is no question of size or speed.",
				units.Number(math.Round(t.StalledSeconds)), Size(t.StalledAt), Size(t.Bytes)),
			ToDo: "Set SEGMENT_DOWNLOAD_TIMEOUT_MINS to a few minutes, so that a hung segment ends the restore and not the job.",
		}
	}
	rate, ok := t.Rate().Get()
	if !ok {
		return Verdict{BoundBy: ByUnknown, Means: "The log has no speed for it: it was over before the first line of progress."}
	}
	if s.Link == 0 && s.Volume == 0 {
		return Verdict{BoundBy: ByUnknown, Means: compare(rate), ToDo: "Give --link-mbit-per-s (and --volume-mib-per-s of the server) to be told what bounds it."}
	}
	best, name := s.Link.MiB(), ByLink
	if s.Link == 0 || (s.Volume > 0 && s.Volume < best) {
		best, name = s.Volume, ByVolume
	}
	used := s.used(rate)
	if float64(rate) >= nearLimit*float64(best) {
		todo := "A faster link makes it faster, and nothing else."
		if name == ByVolume {
			todo = "A faster volume makes it faster, and nothing else; gp3 goes up to 750 MiB/s without paid IOPS."
		}
		return Verdict{BoundBy: name, Means: used, ToDo: todo}
	}
	return s.serving(t, used, rate)
}

// serving is the verdict where no known limit is reached: it is what serves the
// cache. A server of one's own can be looked at; to GitHub's, the way is what is
// slow. The log seldom tells which it is.
func (s Setting) serving(t Transfer, used string, rate units.MiBPerS) Verdict {
	look := "the server's CPU"
	if t.Direction == Restore {
		look += ", and let runners download from its storage themselves where it can (ENABLE_DIRECT_DOWNLOADS)"
	}
	const nearer = "put a cache near the runners, such as a server beside them or a bucket in their Region"
	switch s.Backend {
	case GitHub:
		return Verdict{
			BoundBy: ByLink,
			Means:   used + " It is GitHub's own cache, so what bounds it is the way there and not the runner's own link. " + compare(rate),
			ToDo:    "A faster link of the runner changes nothing, and neither does anything else on it: " + nearer + ".",
		}
	case OwnServer:
		return Verdict{
			BoundBy: ByServer,
			Means:   used + " What bounds it is the cache server, or the distance to it. " + compare(rate),
			ToDo:    "A faster link changes nothing. Look at " + look + ".",
		}
	case BackendUnknown:
	}
	return Verdict{
		BoundBy: ByServer,
		Means: used + " What bounds it is what serves the cache: a server of your own, or GitHub's cache with the way to it. The log does not tell which; give --cache own or --cache github. " +
			compare(rate),
		ToDo: "A faster link changes nothing. If it is your own server, look at " + look + ". If it is GitHub's cache, " + nearer + ".",
	}
}

// used says what part of each limit a rate is.
func (s Setting) used(rate units.MiBPerS) string {
	var parts []string
	for _, l := range []struct {
		name string
		rate units.MiBPerS
	}{{"link", s.Link.MiB()}, {"volume", s.Volume}} {
		if l.rate > 0 {
			parts = append(parts, fmt.Sprintf("%s %% of the %s of the %s", units.Number(math.Round(float64(rate/l.rate*100))), l.rate, l.name))
		}
	}
	return "It used " + strings.Join(parts, " and ") + "."
}

// compare sets a rate against GitHub's hosted cache.
func compare(rate units.MiBPerS) string {
	return fmt.Sprintf("That is %s times the %s that self-hosted runners reported of GitHub's hosted cache.", units.Number(float64(rate/hosted.MiB())), hosted)
}

// Size prints a number of bytes for people.
func Size(n int64) string {
	switch f := float64(n); {
	case n >= 1<<30:
		return units.Number(f/(1<<30)) + " GiB"
	case n >= mib:
		return units.Number(f/mib) + " MiB"
	}
	return units.Count(n) + " bytes"
}

// AtLink is the time that a transfer would take at the full rate of a link.
func AtLink(t Transfer, link units.MbitPerS) optional.Value[float64] {
	if link <= 0 {
		return optional.Null[float64]()
	}
	return optional.Known(float64(t.Bytes) / mib / float64(link.MiB()))
}
