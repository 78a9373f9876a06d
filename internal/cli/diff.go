package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// diffOf is a change of a file as a unified diff that patch takes, but for lines
// that may not be shown. It has no lines around a change: they may hold what does
// not belong in a log. Behind the place of a change stands the block that it is
// in, as git has it there.
func diffOf(name, before, after string, mayShow func(line string) bool) (string, error) {
	u, err := udiff.ToUnifiedDiff("a/"+name, "b/"+name, before, udiff.Lines(before, after), 0)
	if err != nil || len(u.Hunks) == 0 {
		return "", err
	}
	lines := strings.Split(before, "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", headerName(u.From), headerName(u.To))
	for _, h := range u.Hunks {
		count := map[udiff.OpKind]int{}
		for _, l := range h.Lines {
			count[l.Kind]++
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@%s\n", hunkRange(h.FromLine, count[udiff.Delete]), hunkRange(h.ToLine, count[udiff.Insert]), blockBefore(lines, h.FromLine-1))
		for _, l := range h.Lines {
			sign := "+"
			if l.Kind == udiff.Delete {
				sign = "-"
			}
			if !mayShow(strings.TrimRight(l.Content, "\r\n")) {
				l.Content = hiddenLine + "\n"
			}
			b.WriteString(sign + l.Content)
			if !strings.HasSuffix(l.Content, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return b.String(), nil
}

const hiddenLine = "(a line that holds more than the setting is not shown)"

// headerName is a name as git and patch read it: in quotes if there is anything in
// it that could be taken for something else, and with a tab behind spaces.
func headerName(name string) string {
	switch {
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }):
		return strconv.Quote(name)
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}

// hunkRange is a range of lines. One of no lines is named by the line before it.
func hunkRange(from, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", from-1)
	case 1:
		return strconv.Itoa(from)
	}
	return fmt.Sprintf("%d,%d", from, count)
}

// blockBefore is the head of the last block of Terraform that begins before a
// line, with a space before it; empty if there is none.
func blockBefore(lines []string, at int) string {
	for i := min(at, len(lines)) - 1; i >= 0; i-- {
		if l := strings.TrimRight(lines[i], " \t\r"); strings.HasPrefix(l, "resource ") && strings.HasSuffix(l, "{") {
			return " " + strings.TrimRight(l, " {")
		}
	}
	return ""
}
