// Package cachelog reads the step log of actions/cache (or of any action that
// uses its library) and says how large each entry was, how fast it moved, and
// what bounded it.
//
// The log says "MBs/sec" and "MB", but the library divides by 2^20: both are MiB
// (@actions/cache, downloadUtils.ts). Its speed is the average since the start
// of the transfer, not of the last second.
package cachelog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Direction of a transfer.
type Direction string

// The directions.
const (
	Restore Direction = "restore"
	Save    Direction = "save"
)

// Transfer is the restore or the save of one entry.
type Transfer struct {
	Direction Direction
	// Bytes is the size of the entry as it is transferred, compressed.
	Bytes int64
	// Moved is how much of it had moved by the last line about it.
	Moved int64
	// Seconds until then; null where the log does not tell, which is so for small
	// entries without a line of progress.
	Seconds optional.Value[float64]
	// StalledSeconds at the longest stretch without any progress, and StalledAt the
	// bytes that had moved by then; 0 if there was none worth telling.
	StalledSeconds float64
	StalledAt      int64
	// UnpackSeconds between the end of the download and "restored"; null without
	// times in the log.
	UnpackSeconds optional.Value[float64]
	// Complete says that all of it moved.
	Complete bool
}

// Rate is the average of what moved, without the longest stall; null where the
// time is not known.
func (t Transfer) Rate() optional.Value[units.MiBPerS] {
	return optional.Then(t.Seconds, func(s float64) optional.Value[units.MiBPerS] {
		moving := s - t.StalledSeconds
		if moving <= 0 || t.Moved == 0 {
			return optional.Null[units.MiBPerS]()
		}
		return optional.Known(units.MiBPerS(float64(t.Moved) / mib / moving))
	})
}

// Backend is whose cache served the transfers. The log of a step tells only
// where it was run with debug logging, or where the workflow sets the address
// of the cache: it then shows an address.
type Backend string

// The backends.
const (
	BackendUnknown Backend = ""
	GitHub         Backend = "github"
	OwnServer      Backend = "own"
)

// Log is what a step log says.
type Log struct {
	Transfers []Transfer
	// Backend is unknown where no address is shown, or several that contradict
	// each other.
	Backend Backend
	// Skipped are transfers beyond those that are kept.
	Skipped int
	// Misses are look-ups that found no entry.
	Misses int
}

const (
	mib          = 1 << 20
	maxLine      = 16 << 10
	maxTransfers = 1000
	// stallFrom is how long a transfer must stand still to be called stalled; the
	// library prints a line every second.
	stallFrom = 10.0
)

// Errors of Parse. Their texts go after the name of the file.
var (
	ErrEmpty  = errors.New("is empty")
	ErrBinary = errors.New("is a binary file and no step log (a downloaded log archive has to be unpacked)")
	ErrNone   = errors.New(`has no line of actions/cache in it, such as "Received 1048576 of 2097152 (50.0%), 20.0 MBs/sec"`)
)

var (
	// A raw log has a time before each line; the web page shows none.
	timeStart = lazyregexp.New(`^\x{FEFF}?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z) `)
	colour    = lazyregexp.New(`\x1b\[[0-9;]{0,20}m`)
	progress  = lazyregexp.New(`\b(Received|Sent) (\d{1,18}) of (\d{1,18}) \([\d.]{1,8}%\), ([\d.]{1,12}|NaN|Infinity) MBs/sec`)
	size      = lazyregexp.New(`\bCache Size: ~\d{1,15} MB \((\d{1,18}) B\)`)
	restored  = lazyregexp.New(`\bCache restored (?:successfully|from key)`)
	saved     = lazyregexp.New(`\bCache saved (?:successfully|with)`)
	// address is that of the cache: as the library prints it with debug logging, for
	// both of its protocols, or as a step prints its environment.
	address = lazyregexp.New(`(?:\bResource Url: |\[Request\] \S{1,100} |\bACTIONS_(?:RESULTS|CACHE)_URL: )https?://([A-Za-z0-9.-]{1,253})`)
	missed  = lazyregexp.New(`\bCache not found for (?:input keys|key)`)
)

// Parse reads a step log, raw or copied from the page. Memory is bounded
// whatever the input.
func Parse(r io.Reader) (*Log, error) {
	p := parser{log: &Log{}}
	in := bufio.NewReaderSize(r, maxLine)
	written := false
	for {
		line, isPrefix, err := in.ReadLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("cannot be read: %w", err)
		}
		written = written || len(bytes.TrimSpace(line)) > 0
		if bytes.IndexByte(line, 0) >= 0 {
			return nil, ErrBinary
		}
		p.line(string(line))
		// The rest of a long line is nothing of the cache's.
		for isPrefix && err == nil {
			line, isPrefix, err = in.ReadLine()
			if bytes.IndexByte(line, 0) >= 0 {
				return nil, ErrBinary
			}
		}
	}
	p.finish()
	switch {
	case !written:
		return nil, ErrEmpty
	case len(p.log.Transfers) == 0 && p.log.Misses == 0:
		return nil, ErrNone
	}
	return p.log, nil
}

// parser reads line by line; current is the transfer that lines are about.
type parser struct {
	log *Log
	// addressed says that a line with an address was seen.
	addressed bool
	current   *transfer
}

// transfer is a Transfer in work.
type transfer struct {
	Transfer
	sized bool // "Cache Size" was seen
	// start is the time of the start by the clock of the log, if it has one.
	start    optional.Value[time.Time]
	end      optional.Value[time.Time] // of the last line of progress
	seconds  float64                   // from the start, as the last line has it; 0 if not known
	stillFor float64
	stillAt  float64 // seconds from the start when it stopped moving
}

func (p *parser) line(s string) {
	if strings.Contains(s, "http") {
		p.address(s)
	}
	// Most lines of a log are of other steps.
	if !strings.Contains(s, "MBs/sec") && !strings.Contains(s, "Cache ") {
		return
	}
	var at optional.Value[time.Time]
	if m := timeStart().FindStringSubmatch(s); m != nil {
		if t, err := time.Parse(time.RFC3339Nano, m[1]); err == nil {
			at = optional.Known(t)
		}
		s = s[len(m[0]):]
	}
	s = colour().ReplaceAllString(s, "")
	if m := progress().FindStringSubmatch(s); m != nil {
		p.progress(m, at)
		return
	}
	if m := size().FindStringSubmatch(s); m != nil {
		p.size(m[1], at)
		return
	}
	switch {
	case restored().MatchString(s):
		p.done(Restore, at)
	case saved().MatchString(s):
		p.done(Save, at)
	case missed().MatchString(s):
		p.finish()
		p.log.Misses++
	}
}

// githubDomain is where GitHub's own cache answers.
const githubDomain = ".actions.githubusercontent.com"

// address notes whose cache a line shows. Nothing of the address is kept.
func (p *parser) address(s string) {
	m := address().FindStringSubmatch(s)
	if m == nil {
		return
	}
	seen := OwnServer
	if strings.HasSuffix(strings.ToLower(m[1]), githubDomain) {
		seen = GitHub
	}
	if p.addressed && p.log.Backend != seen {
		seen = BackendUnknown
	}
	p.log.Backend, p.addressed = seen, true
}

func (p *parser) progress(m []string, at optional.Value[time.Time]) {
	direction := Restore
	if m[1] == "Sent" {
		direction = Save
	}
	moved, err1 := strconv.ParseInt(m[2], 10, 64)
	total, err2 := strconv.ParseInt(m[3], 10, 64)
	if err1 != nil || err2 != nil || moved > total {
		return
	}
	speed, err := strconv.ParseFloat(m[4], 64)
	if err != nil || speed > 1e9 {
		speed = 0 // "NaN": nothing had moved in no time
	}
	t := p.current
	// A size is printed before an upload and after a download.
	if t != nil && t.Direction == "" && t.Bytes == total {
		t.Direction, t.start = direction, optional.Null[time.Time]()
	}
	isNew := t == nil || t.Direction != direction || t.Bytes != total || moved < t.Moved || (t.sized && direction == Restore)
	if isNew {
		p.finish()
		t = &transfer{Transfer: Transfer{Direction: direction, Bytes: total}}
		p.current = t
	}
	elapsed := 0.0
	if speed > 0 {
		elapsed = float64(moved) / mib / speed
	}
	if end, ok := at.Get(); ok {
		if !t.start.IsKnown() {
			t.start = optional.Known(end.Add(-time.Duration(elapsed * float64(time.Second))))
		}
		start, _ := t.start.Get()
		if e := end.Sub(start).Seconds(); e >= 0 {
			elapsed = e
		}
		t.end = at
	}
	t.move(moved, elapsed)
}

// move takes a line of progress at a number of seconds from the start.
func (t *transfer) move(moved int64, elapsed float64) {
	if moved > t.Moved || t.seconds == 0 {
		t.stillAt, t.stillFor = elapsed, 0
	} else if still := elapsed - t.stillAt; still > t.stillFor {
		t.stillFor = still
		if still >= stallFrom && still > t.StalledSeconds {
			t.StalledSeconds, t.StalledAt = still, moved
		}
	}
	t.Moved = moved
	t.seconds = max(t.seconds, elapsed)
	t.Complete = moved == t.Bytes
}

func (p *parser) size(digits string, at optional.Value[time.Time]) {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return
	}
	t := p.current
	if t == nil || t.Bytes != n || t.sized {
		// Too small for a line of progress, or the start of a save.
		p.finish()
		t = &transfer{Transfer: Transfer{Bytes: n}, start: at}
		p.current = t
	}
	t.sized = true
}

// done is the line that ends a restore or a save.
func (p *parser) done(d Direction, at optional.Value[time.Time]) {
	t := p.current
	if t == nil || (t.Direction != "" && t.Direction != d) {
		return // the second of two such lines
	}
	if t.Direction == "" {
		// Only its size was printed, and all of it moved. A save prints the size before
		// it starts, so that the clock of the log tells how long it took.
		t.Direction, t.Moved, t.Complete = d, t.Bytes, true
		if p := optional.Both(t.start, at); d == Save && p.IsKnown() {
			times, _ := p.Get()
			t.seconds = max(0, times.B.Sub(times.A).Seconds())
		}
	}
	if d == Restore {
		t.UnpackSeconds = optional.Map2(t.end, at, func(end, at time.Time) float64 { return max(0, at.Sub(end).Seconds()) })
	}
	p.finish()
}

// finish files the current transfer.
func (p *parser) finish() {
	t := p.current
	p.current = nil
	if t == nil || t.Direction == "" && t.Bytes == 0 {
		return
	}
	if t.Direction == "" {
		t.Direction = Save // a size without an end: a save that was cut off
	}
	if t.seconds > 0 {
		t.Seconds = optional.Known(t.seconds)
	}
	if len(p.log.Transfers) >= maxTransfers {
		p.log.Skipped++
		return
	}
	p.log.Transfers = append(p.log.Transfers, t.Transfer)
}
