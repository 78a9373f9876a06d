// Package units keeps the four ways in which AWS and its users write a data
// rate apart. An instance's EBS ceiling is published in Mbit/s and MB/s, a gp3
// volume is provisioned in MiB/s, and a link is sold in Mbit/s; each is a type
// of its own here, so that adding two of them does not compile.
//
// Conversions from Mbit/s and MB/s are exact for every published whole figure:
// they multiply by a whole number and divide by a power of two, which a float64
// does without rounding (8,000 Mbit/s is 953.67431640625 MiB/s to the last
// digit). The way back from MiB/s is exact for such figures, too, and rounds in
// the last bit for others.
package units

import (
	"math"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

const (
	bytesPerMB  = 1_000_000
	bytesPerMiB = 1 << 20
	bitsPerByte = 8
)

// HoursPerMonth is the length of AWS's billing month in hours.
const HoursPerMonth = 730

// MinutesPerMonth is the length of AWS's billing month in minutes.
const MinutesPerMonth = HoursPerMonth * 60

// MiBPerGiB is the number of MiB in a GiB.
const MiBPerGiB = 1024

// MbitPerS is a rate in 10^6 bits per second, in which AWS publishes EBS
// bandwidth and networks.
type MbitPerS float64

// MBPerS is a rate in 10^6 bytes per second, in which AWS publishes EBS
// throughput of instances.
type MBPerS float64

// MiBPerS is a rate in 2^20 bytes per second, in which gp3 volumes are
// provisioned.
type MiBPerS float64

// MB converts to 10^6 bytes per second.
func (r MbitPerS) MB() MBPerS { return MBPerS(float64(r) / bitsPerByte) }

// MiB converts to 2^20 bytes per second.
func (r MbitPerS) MiB() MiBPerS {
	return MiBPerS(float64(r) * (bytesPerMB / bitsPerByte) / bytesPerMiB)
}

// MiB converts to 2^20 bytes per second.
func (r MBPerS) MiB() MiBPerS { return MiBPerS(float64(r) * bytesPerMB / bytesPerMiB) }

// Mbit converts to 10^6 bits per second.
func (r MBPerS) Mbit() MbitPerS { return MbitPerS(float64(r) * bitsPerByte) }

// MB converts to 10^6 bytes per second.
func (r MiBPerS) MB() MBPerS { return MBPerS(float64(r) * bytesPerMiB / bytesPerMB) }

// Mbit converts to 10^6 bits per second.
func (r MiBPerS) Mbit() MbitPerS {
	return MbitPerS(float64(r) * bytesPerMiB / (bytesPerMB / bitsPerByte))
}

// String prints the rate with its unit and at most two decimals.
func (r MbitPerS) String() string { return Number(float64(r)) + " Mbit/s" }

// String prints the rate with its unit and at most two decimals.
func (r MBPerS) String() string { return Number(float64(r)) + " MB/s" }

// String prints the rate with its unit and at most two decimals.
func (r MiBPerS) String() string { return Number(float64(r)) + " MiB/s" }

// Number prints a figure for people: at most two decimals, none if they are
// zero, and thousands set apart by commas (1192.0929 is "1,192.09").
func Number(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		s = "0"
	}
	return group(s)
}

// Count prints a whole figure with thousands set apart by commas.
func Count(n int64) string { return group(strconv.FormatInt(n, 10)) }

// Plural prints a count of things: "1 image", "2 images".
func Plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// Decimal prints an exact figure with all its decimals, thousands set apart
// by commas.
func Decimal(d decimal.Decimal) string { return group(d.String()) }

// USD prints an amount of US dollars to the cent, "$1,138.80".
func USD(d decimal.Decimal) string {
	s := d.Abs().StringFixed(2)
	if d.Round(2).IsNegative() {
		return "-$" + group(s)
	}
	return "$" + group(s)
}

// SignedUSD prints a change of price to the cent with its sign, "+$25.00".
func SignedUSD(d decimal.Decimal) string {
	if d.Round(2).IsNegative() {
		return USD(d)
	}
	return "+" + USD(d)
}

// group sets thousands of the whole part apart by commas.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, frac, found := strings.Cut(s, ".")
	if found {
		frac = "." + frac
	}
	var b strings.Builder
	b.WriteString(sign)
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(whole[i])
	}
	b.WriteString(frac)
	return b.String()
}
