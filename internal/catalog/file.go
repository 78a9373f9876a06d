package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog/record"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// A catalogue file is JSON, as record.File has it. `runnerfit catalog refresh`
// writes one, and catalog = "file:PATH" reads it.
const (
	fileFormat = "runnerfit-catalog"
	// fileVersion counts the shapes of the file. A reader takes its own version only:
	// an older one would be read wrongly, a newer one half.
	fileVersion = 1
	// MaxFileBytes is many times the size of all types of AWS with their prices.
	MaxFileBytes = 32 << 20
	// minFileTypes is far below what the smallest Region offers.
	minFileTypes = 50
)

var _ Overlay = (*File)(nil)

// File is a catalogue file in memory. It takes the place of the tables for what
// it covers.
type File struct {
	record record.File
	types  map[string]Instance
}

// Prices are the prices of one region that are put into a file.
type Prices struct {
	Volumes      optional.Value[VolumePrices]
	MacHostHour  map[string]decimal.Decimal
	InstanceHour map[string]decimal.Decimal
}

// NewFile makes a catalogue file of what was described in a region on the
// source's date. Prices may be missing. It fails where the facts cannot be
// right; see also PlausibleAfter.
func NewFile(region string, source Source, types []Instance, priceSource Source, prices map[string]Prices) (*File, error) {
	r := record.File{Format: fileFormat, Version: fileVersion, Region: region, Source: recordSource(source)}
	for _, i := range types {
		r.Instances = append(r.Instances, instanceRecord(i))
	}
	slices.SortFunc(r.Instances, func(a, b record.Instance) int { return strings.Compare(a.Type, b.Type) })
	if len(prices) > 0 {
		s := recordSource(priceSource)
		r.PriceSource, r.Prices = &s, make(map[string]record.FilePrices, len(prices))
	}
	for region, p := range prices {
		fp := record.FilePrices{MacHostHour: p.MacHostHour, InstanceHour: p.InstanceHour}
		if v, ok := p.Volumes.Get(); ok {
			fp.Volumes = volumeRecord(v)
		}
		r.Prices[region] = fp
	}
	return newFile(r)
}

func newFile(r record.File) (*File, error) {
	if err := checkFile(r); err != nil {
		return nil, err
	}
	f := &File{record: r, types: make(map[string]Instance, len(r.Instances))}
	for _, i := range r.Instances {
		f.types[i.Type] = instanceOf(i, source(r.Source))
	}
	return f, nil
}

// LoadFile reads a catalogue file. The error says what is wrong with it and what
// to do, and does not repeat the path.
func LoadFile(path string) (*File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file; `runnerfit catalog refresh --out FILE` writes one")
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("there is no permission to read it")
	case err != nil:
		return nil, errors.New("it cannot be read")
	case info.IsDir():
		return nil, errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file") // a device may have no end
	case info.Size() > MaxFileBytes:
		return nil, errTooLarge
	}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("there is no permission to read it")
	case err != nil:
		return nil, errors.New("it cannot be opened")
	}
	defer file.Close()
	return ReadFile(file)
}

var errTooLarge = fmt.Errorf("it is larger than %d MiB, which no catalogue file is", MaxFileBytes>>20)

// ReadFile reads a catalogue file from a stream.
func ReadFile(r io.Reader) (*File, error) {
	content, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	switch {
	case err != nil:
		return nil, errors.New("it cannot be read to its end")
	case len(content) > MaxFileBytes:
		return nil, errTooLarge
	case len(bytes.TrimSpace(content)) == 0:
		return nil, errors.New("it is empty")
	}
	// What the file calls itself decides before anything else is believed.
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	// A file in another version may have members of other types.
	if err := json.Unmarshal(content, &head); err != nil || head.Format != fileFormat {
		if err != nil && !json.Valid(content) {
			return nil, errors.New("it is not JSON, or only a part of it is there; write it anew with `runnerfit catalog refresh`")
		}
		return nil, errors.New("it is not a runnerfit catalogue; `runnerfit catalog refresh --out FILE` writes one")
	}
	switch {
	case head.Version < fileVersion:
		return nil, fmt.Errorf("it is in format version %d, which is too old: this runnerfit reads version %d; write it anew with `runnerfit catalog refresh`", head.Version, fileVersion)
	case head.Version > fileVersion:
		return nil, fmt.Errorf("it is in format version %d, of a newer runnerfit: this one reads version %d", head.Version, fileVersion)
	}
	var rec record.File
	decoder := json.NewDecoder(bytes.NewReader(content))
	// A member that nobody reads is a name written wrongly, whose value would be lost.
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&rec); err != nil {
		at := decoder.InputOffset()
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			at = e.Offset
		}
		line := 1 + bytes.Count(content[:min(int(at), len(content))], []byte("\n"))
		return nil, fmt.Errorf("its content does not have the shape of a catalogue (line %d or a little after it); write it anew with `runnerfit catalog refresh`", line)
	}
	f, err := newFile(rec)
	if err != nil {
		return nil, fmt.Errorf("its content cannot be right: %w", err)
	}
	return f, nil
}

// WithPricesOf is the file with the prices of another one, which keep their
// source and date, in place of its own.
func (f *File) WithPricesOf(other *File) *File {
	out := *f
	out.record.PriceSource, out.record.Prices = other.record.PriceSource, other.record.Prices
	return &out
}

// Encode writes the file as it is read.
func (f *File) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(f.record)
}

// Region in which the types were described.
func (f *File) Region() string { return f.record.Region }

// PricedRegions are the regions that the file has prices of, sorted.
func (f *File) PricedRegions() []string { return slices.Sorted(maps.Keys(f.record.Prices)) }

// Instances are the file's types.
func (f *File) Instances() map[string]Instance { return f.types }

// InstanceSource says where they come from.
func (f *File) InstanceSource() Source { return source(f.record.Source) }

// PriceSource says where the prices come from; it is empty if there are none.
func (f *File) PriceSource() Source {
	if f.record.PriceSource == nil {
		return Source{}
	}
	return source(*f.record.PriceSource)
}

// VolumePrices are the file's prices of volumes in a region.
func (f *File) VolumePrices(region string) (VolumePrices, bool) {
	v := f.record.Prices[region].Volumes
	if v == nil {
		return VolumePrices{}, false
	}
	p := VolumePrices{
		Region: region, Currency: usd, Others: map[string]OtherPrices{}, Source: f.PriceSource(),
		GP3: GP3Prices{GiBMonth: v.GP3.GiB, IOPSMonth: v.GP3.IOPS, MiBPerSMonth: v.GP3.MiB},
	}
	for name, o := range v.Others {
		p.Others[name] = otherPrices(o)
	}
	return p, true
}

// MacHostPrice is the file's price of a host.
func (f *File) MacHostPrice(region, typ string) (Price, bool) {
	d, ok := f.record.Prices[region].MacHostHour[typ]
	return Price{USDPerHour: d, Source: f.PriceSource()}, ok
}

// InstancePrice is the file's price of an instance.
func (f *File) InstancePrice(region, typ string) (Price, bool) {
	d, ok := f.record.Prices[region].InstanceHour[typ]
	return Price{USDPerHour: d, Source: f.PriceSource()}, ok
}

func recordSource(s Source) record.Source {
	return record.Source{Name: s.Name, AsOf: s.AsOf, Confidence: s.Confidence}
}

func instanceRecord(i Instance) record.Instance {
	r := record.Instance{
		Type: i.Type, VCPUs: i.VCPUs, Cores: i.Cores, MemoryMiB: i.MemoryMiB, Architectures: i.Architectures,
		BareMetal: i.BareMetal, CurrentGen: i.CurrentGen, Network: i.Network,
		InstanceStoreGB: i.InstanceStoreGB, MaxVolumes: i.MaxVolumes,
	}
	if c, ok := i.EBS.Get(); ok {
		rc := ceilingRecord(c)
		r.EBS = &rc
	}
	for _, c := range i.Cards {
		r.Cards = append(r.Cards, ceilingRecord(c))
	}
	return r
}

func ceilingRecord(c EBSCeiling) record.Ceiling {
	return record.Ceiling{
		Mbit: int64(c.Sustained.Bandwidth), IOPS: c.Sustained.IOPS,
		MaxMbit: int64(c.Maximum.Bandwidth), MaxIOPS: c.Maximum.IOPS,
	}
}

func volumeRecord(p VolumePrices) *record.RegionPrices {
	r := &record.RegionPrices{
		Currency: usd,
		GP3:      record.GP3Prices{GiB: p.GP3.GiBMonth, IOPS: p.GP3.IOPSMonth, MiB: p.GP3.MiBPerSMonth},
		Others:   make(map[string]record.OtherPrices, len(p.Others)),
	}
	for name, o := range p.Others {
		ro := record.OtherPrices{GiB: o.GiBMonth}
		for _, t := range o.IOPSTiers {
			ro.IOPS = append(ro.IOPS, record.IOPSTier{UpTo: t.UpTo, Month: t.Month})
		}
		r.Others[name] = ro
	}
	return r
}

// instanceOf is a record as it is looked up.
func instanceOf(r record.Instance, s Source) Instance {
	i := Instance{
		Type:            r.Type,
		VCPUs:           r.VCPUs,
		Cores:           r.Cores,
		MemoryMiB:       r.MemoryMiB,
		Architectures:   r.Architectures,
		BareMetal:       r.BareMetal,
		CurrentGen:      r.CurrentGen,
		Network:         r.Network,
		InstanceStoreGB: r.InstanceStoreGB,
		MaxVolumes:      r.MaxVolumes,
		Source:          s,
	}
	if r.EBS != nil {
		i.EBS = optional.Known(ceiling(*r.EBS))
	}
	for _, card := range r.Cards {
		i.Cards = append(i.Cards, ceiling(card))
	}
	return i
}

func ceiling(r record.Ceiling) EBSCeiling {
	return EBSCeiling{
		Sustained: EBSRate{Bandwidth: units.MbitPerS(r.Mbit), IOPS: r.IOPS},
		Maximum:   EBSRate{Bandwidth: units.MbitPerS(r.MaxMbit), IOPS: r.MaxIOPS},
	}
}
