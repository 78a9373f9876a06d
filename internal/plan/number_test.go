package plan

import (
	"strings"
	"testing"
)

func TestParseNumber(t *testing.T) {
	t.Parallel()
	const largest = "10000000000000000000000000000000000000000"
	for in, want := range map[string]string{
		"750": "750", "-1": "-1", "0.1": "0.1", "1e3": "1000", "1.5E+2": "150", "25e-1": "2.5",
		"0": "0", "0e400": "0", "-0.0": "0",
		"1e40": largest, "1e41": largest, "-1e400": "-" + largest, "0.5e999999999999999999999": largest, "12" + strings.Repeat("0", 60): largest,
		"1e-41": "?", "1e-999999999999999999999": "?", strings.Repeat("9", 2000): "?",
		"": "?", "x": "?", "1e": "?", "1ex": "?", "NaN": "?", "Infinity": "?", "0x10": "?", "1e1.5": "?",
	} {
		got := parseNumber(in)
		if d, ok := got.Get(); want == "?" && !got.IsUnknown() || want != "?" && (!ok || d.String() != want) {
			t.Errorf("%.50q is %v, want %s", in, got, want)
		}
	}
}
