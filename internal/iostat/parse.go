// Package iostat reads the output of iostat on macOS and Linux and says what
// holds a volume back: a dead-flat figure is the throttle of a volume, a
// fluctuating plateau a limit elsewhere.
package iostat

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// System that printed the output.
type System string

// The systems.
const (
	MacOS System = "macOS"
	Linux System = "Linux"
)

// Report is the output of one iostat.
type Report struct {
	System  System
	Devices []*Device // in the order in which they were printed
	// SkippedLines had a number of columns that their heading does not explain, or
	// something else than numbers in them.
	SkippedLines int
	// SkippedDevices were more than are looked at.
	SkippedDevices int
}

// Device is one device's samples, the first left out.
type Device struct {
	Name string
	// Seen is how many samples were printed, the first included.
	Seen int
	// Samples in order. Of a very long run every second one was dropped, once or
	// several times, so that memory stays bounded.
	Samples []Sample

	stride, next int
}

// Sample is what a device did in one interval.
type Sample struct {
	IOPS float64
	// KiBPerS is null where the output has neither throughput nor I/O size.
	KiBPerS optional.Value[float64]
	// ReadIOPS is null where reads and writes are not told apart.
	ReadIOPS optional.Value[float64]
}

const (
	maxLine    = 64 << 10
	maxDevices = 64
	maxSamples = 8192
	// absurd is far above what any device does.
	absurd = 1e12
)

// Errors of Parse. Their texts go after the name of the file.
var (
	ErrEmpty  = errors.New("is empty")
	ErrBinary = errors.New("is a binary file and no output of iostat")
	ErrTotals = errors.New("has totals and no rates: run iostat without -I")
	ErrJSON   = errors.New("is JSON: run iostat without -o JSON")
	// ErrNoDevices is for text without a heading that iostat prints.
	ErrNoDevices = errors.New("has no table of iostat -d in it (on macOS: iostat -d -w 2 disk4; on Linux: iostat -d 2 or iostat -dx 2)")
	// ErrNoSamples is for a table whose rows could not be read.
	ErrNoSamples = errors.New("has a heading of iostat, but no row of numbers below it (run it without -h and --human)")
)

// Parse reads the output of "iostat -d" of macOS or Linux, or of Linux's
// "iostat -dx". It takes decimal points and commas, other tables in between
// (CPU, load), repeated headings and missing columns. The first sample of each
// device is left out: it is the average since boot. Memory is bounded whatever
// the input.
func Parse(r io.Reader) (*Report, error) {
	p := parser{report: &Report{}}
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 4096), maxLine)
	n := 0
	for s.Scan() {
		n++
		if err := p.line(s.Text()); err != nil {
			return nil, err
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("has a line of more than %d KiB (line %d), which iostat does not print", maxLine>>10, n+1)
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", err)
	case n == 0 || !p.text:
		return nil, ErrEmpty
	case !p.heading:
		return nil, ErrNoDevices
	case len(p.report.Devices) == 0:
		return nil, ErrNoSamples
	}
	return p.report, nil
}

// parser reads line by line.
type parser struct {
	report  *Report
	byName  map[string]*Device
	text    bool // a line with anything on it was seen
	heading bool // a heading was seen

	previous []string // the fields of the line before, in which macOS names the devices
	columns  []column
	table    table
	// macDevices are the names of the groups of a macOS row.
	macDevices []string
}

// table is the kind of rows to expect.
type table uint8

const (
	noTable table = iota
	macTable
	linuxTable
)

// column is what a field of a row means.
type column struct {
	device int // of a macOS row; -1 for none
	what   quantity
	factor float64 // to IOPS or KiB
}

type quantity uint8

const (
	ignored quantity = iota
	deviceName
	perSecond   // I/Os a second, of which there may be several columns
	readsPerS   // likewise, of reads
	throughput  // KiB/s, of which there may be several columns
	sizeOfIO    // KiB an I/O, all of them
	sizeOfRead  // KiB a read
	sizeOfWrite // KiB a write
)

// linuxColumns are the headings of sysstat's iostat over its versions. Its kB
// and MB are 2^10 and 2^20 bytes, its blocks and sectors 512 bytes. Discards and
// flushes do not count: a volume's limit is on reads and writes.
var linuxColumns = map[string]column{
	"tps": {what: perSecond, factor: 1},
	"r/s": {what: readsPerS, factor: 1}, "w/s": {what: perSecond, factor: 1},
	"kB/s": {what: throughput, factor: 1}, "MB/s": {what: throughput, factor: 1024},
	"kB_read/s": {what: throughput, factor: 1}, "kB_wrtn/s": {what: throughput, factor: 1},
	"MB_read/s": {what: throughput, factor: 1024}, "MB_wrtn/s": {what: throughput, factor: 1024},
	"Blk_read/s": {what: throughput, factor: 0.5}, "Blk_wrtn/s": {what: throughput, factor: 0.5},
	"rkB/s": {what: throughput, factor: 1}, "wkB/s": {what: throughput, factor: 1},
	"rMB/s": {what: throughput, factor: 1024}, "wMB/s": {what: throughput, factor: 1024},
	"rsec/s": {what: throughput, factor: 0.5}, "wsec/s": {what: throughput, factor: 0.5},
	"areq-sz": {what: sizeOfIO, factor: 1}, "avgrq-sz": {what: sizeOfIO, factor: 0.5},
	"rareq-sz": {what: sizeOfRead, factor: 1}, "wareq-sz": {what: sizeOfWrite, factor: 1},
}

func (p *parser) line(line string) error {
	if strings.IndexByte(line, 0) >= 0 {
		return ErrBinary
	}
	fields := strings.Fields(line)
	if len(fields) == 0 {
		if p.table == linuxTable {
			p.table = noTable // what follows has a heading of its own
		}
		return nil
	}
	if !p.text && (strings.HasPrefix(fields[0], "{") || fields[0] == "[") {
		return ErrJSON
	}
	p.text = true
	defer func() { p.previous = fields }()
	switch {
	case slices.Contains(fields, "KB/t"):
		return p.macHeading(fields)
	case slices.Contains(fields, "tps") || slices.Contains(fields, "r/s"):
		p.linuxHeading(fields)
		return nil
	}
	switch p.table {
	case macTable:
		p.macRow(fields)
	case linuxTable:
		p.linuxRow(fields)
	case noTable:
	}
	return nil
}

// notDevices are the names of other tables in the line above macOS's heading.
var notDevices = []string{"tty", "cpu", "load", "average"}

// macHeading reads "KB/t tps MB/s KB/t tps MB/s", one group a device; the line
// before names the devices. Its KB and MB are 2^10 and 2^20 bytes.
func (p *parser) macHeading(fields []string) error {
	if slices.Contains(fields, "xfrs") {
		return ErrTotals
	}
	names := slices.DeleteFunc(slices.Clone(p.previous), func(s string) bool { return slices.Contains(notDevices, s) })
	if slices.ContainsFunc(names, func(s string) bool { _, ok := number(s); return ok }) {
		names = nil // a row: the heading was repeated without its first line
	}
	p.columns = make([]column, len(fields))
	device := -1
	for i, f := range fields {
		c := column{device: device}
		switch f {
		case "KB/t":
			device++
			c = column{device: device, what: sizeOfIO, factor: 1}
		case "tps":
			c.what, c.factor = perSecond, 1
		case "MB/s":
			c.what, c.factor = throughput, 1024
		}
		if c.device < 0 || c.what == ignored {
			c = column{device: -1}
		}
		p.columns[i] = c
	}
	p.table, p.heading, p.report.System = macTable, true, MacOS
	p.macNames(names, device+1)
	return nil
}

// macNames remembers the names for the rows to come. A repeated heading without
// names leaves them as they were.
func (p *parser) macNames(names []string, devices int) {
	if len(names) == devices {
		p.macDevices = names
		return
	}
	if len(p.macDevices) != devices {
		p.macDevices = make([]string, devices)
		for i := range devices {
			p.macDevices[i] = fmt.Sprintf("device %d", i+1)
		}
	}
}

// macRow reads one row, which has a sample of every device.
func (p *parser) macRow(fields []string) {
	if len(fields) != len(p.columns) {
		if _, ok := number(fields[0]); ok {
			p.report.SkippedLines++
		}
		return // the names above a repeated heading
	}
	samples := make([]accumulator, len(p.macDevices))
	for i, f := range fields {
		v, ok := number(f)
		if !ok {
			if i > 0 {
				p.report.SkippedLines++
			}
			return
		}
		if c := p.columns[i]; c.device >= 0 {
			samples[c.device].add(c, v)
		}
	}
	for i, a := range samples {
		if s, ok := a.sample(); ok {
			p.add(p.macDevices[i], s)
		}
	}
}

// linuxHeading reads "Device tps kB_read/s ...", whose first column is named in
// the system's language.
func (p *parser) linuxHeading(fields []string) {
	p.columns = make([]column, len(fields))
	p.columns[0].what = deviceName
	for i, f := range fields[1:] {
		p.columns[i+1] = linuxColumns[f]
	}
	p.table, p.heading, p.report.System = linuxTable, true, Linux
}

// linuxRow reads the sample of one device. Columns that a row lacks at its end
// are done without.
func (p *parser) linuxRow(fields []string) {
	if len(fields) < 2 || len(fields) > len(p.columns) {
		p.report.SkippedLines++
		return
	}
	var a accumulator
	for i, f := range fields[1:] {
		v, ok := number(f)
		if !ok {
			p.report.SkippedLines++
			return
		}
		a.add(p.columns[i+1], v)
	}
	s, ok := a.sample()
	if !ok {
		p.report.SkippedLines++
		return
	}
	p.add(fields[0], s)
}

// number reads a figure with a decimal point or a decimal comma.
func number(s string) (float64, bool) {
	if strings.Count(s, ",") == 1 && !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	if strings.ContainsAny(s, "xXpPnN_") { // hexadecimal, inf, nan: not a figure of iostat
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < 0 || v > absurd {
		return 0, false
	}
	return v, true
}

// accumulator collects the columns of one sample.
type accumulator struct {
	iops, reads, kib, kibPerIO, kibPerRead, kibPerWrite float64
	hasIOPS, hasReads, hasKiB, hasSize, hasSizes        bool
}

func (a *accumulator) add(c column, v float64) {
	v *= c.factor
	switch c.what {
	case perSecond:
		a.iops, a.hasIOPS = a.iops+v, true
	case readsPerS:
		a.iops, a.reads, a.hasIOPS, a.hasReads = a.iops+v, v, true, true
	case throughput:
		a.kib, a.hasKiB = a.kib+v, true
	case sizeOfIO:
		a.kibPerIO, a.hasSize = v, true
	case sizeOfRead:
		a.kibPerRead, a.hasSizes = v, true
	case sizeOfWrite:
		a.kibPerWrite, a.hasSizes = v, true
	case ignored, deviceName:
	}
}

// sample is what the columns say; ok is false without any I/Os a second.
func (a *accumulator) sample() (s Sample, ok bool) {
	s.IOPS = a.iops
	if a.hasReads {
		s.ReadIOPS = optional.Known(a.reads)
	}
	switch {
	case a.hasKiB:
		s.KiBPerS = optional.Known(a.kib)
	case a.hasSize:
		s.KiBPerS = optional.Known(a.kibPerIO * a.iops)
	case a.hasSizes && a.hasReads:
		s.KiBPerS = optional.Known(a.kibPerRead*a.reads + a.kibPerWrite*(a.iops-a.reads))
	}
	return s, a.hasIOPS
}

// add adds a sample to its device; the first one is the average since boot and
// is only counted.
func (p *parser) add(name string, s Sample) {
	d := p.byName[name]
	if d == nil {
		if len(p.byName) >= maxDevices {
			p.report.SkippedDevices++
			return
		}
		if p.byName == nil {
			p.byName = map[string]*Device{}
		}
		d = &Device{Name: name, stride: 1}
		p.byName[name] = d
		p.report.Devices = append(p.report.Devices, d)
	}
	d.Seen++
	if d.Seen == 1 {
		return
	}
	d.add(s)
}

// add keeps every stride-th sample. When there are too many, every second one
// is dropped, which leaves the spread of the rest as it was.
func (d *Device) add(s Sample) {
	if d.next > 0 {
		d.next--
		return
	}
	d.next = d.stride - 1
	d.Samples = append(d.Samples, s)
	if len(d.Samples) < maxSamples {
		return
	}
	for i := range maxSamples / 2 {
		d.Samples[i] = d.Samples[2*i]
	}
	d.Samples = d.Samples[:maxSamples/2]
	d.stride *= 2
	d.next = d.stride - 1
}

// median of values, which are sorted in place; 0 of none.
func median(values []float64) float64 { return percentile(values, 0.5) }

// percentile is the value below which a part of the values lies; values are
// sorted in place.
func percentile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[int(math.Round(part*float64(len(values)-1)))]
}
