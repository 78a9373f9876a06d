package plan

import (
	"bytes"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// ignore is a comment that silences a rule.
type ignore struct {
	rule, reason string
	// line of the comment, and first and last line that it is for.
	line, from, to int
}

// ignoreMark starts what a comment says to this program.
const ignoreMark = "runnerfit:ignore"

// readIgnores finds the comments of a file that silence a rule: on the line of
// the setting, or on a line of its own above. Above the header of a block it is
// for the whole block.
func (f *File) readIgnores() []Problem {
	if f.JSON || !bytes.Contains(f.Source, []byte(ignoreMark)) {
		return nil
	}
	tokens, _ := hclsyntax.LexConfig(f.Source, f.Name, hcl.InitialPos)
	var problems []Problem
	busy := 0 // the last line with something else than a comment
	for i, t := range tokens {
		if t.Type == hclsyntax.TokenNewline || t.Type == hclsyntax.TokenEOF {
			continue
		}
		if t.Type != hclsyntax.TokenComment {
			busy = t.Range.End.Line
			continue
		}
		_, text, found := strings.Cut(string(t.Bytes), ignoreMark)
		if !found {
			continue
		}
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "*/"))
		rule, reason, _ := strings.Cut(text, " ")
		ig := ignore{rule: rule, reason: strings.TrimSpace(reason), line: t.Range.Start.Line, from: t.Range.Start.Line, to: t.Range.Start.Line}
		if busy != t.Range.Start.Line {
			ig.from, ig.to = scopeOf(tokens[i+1:])
		} else if closing := blockOpenedOn(tokens, i); closing > 0 {
			ig.to = closing
		}
		if ig.rule == "" || ig.reason == "" {
			problems = append(problems, Problem{
				File: f.Name, Line: t.Range.Start.Line, Column: t.Range.Start.Column,
				Message: "Ignoring a rule needs its id and a reason, so that the next reader knows why: write # runnerfit:ignore RULE who agreed to it, and why.",
			})
			continue
		}
		f.ignores = append(f.ignores, ig)
	}
	return problems
}

// scopeOf is the range of lines that a comment above them is for: the next line
// that is no comment, to the end of the block if one starts there.
func scopeOf(tokens hclsyntax.Tokens) (from, to int) {
	for i, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenComment, hclsyntax.TokenNewline:
			continue
		case hclsyntax.TokenEOF:
			return 0, -1
		default:
		}
		from, to = t.Range.Start.Line, t.Range.Start.Line
		if end := closingOf(tokens[i:], from); end > 0 {
			to = end
		}
		return from, to
	}
	return 0, -1
}

// blockOpenedOn is the last line of the block whose header stands before a
// comment on the same line; 0 if none does.
func blockOpenedOn(tokens hclsyntax.Tokens, at int) int {
	line := tokens[at].Range.Start.Line
	start := at
	for start > 0 && tokens[start-1].Range.Start.Line == line {
		start--
	}
	return closingOf(tokens[start:], line)
}

// closingOf is the line on which the brace that is opened at the end of a line
// is closed; 0 if none is opened.
func closingOf(tokens hclsyntax.Tokens, line int) int {
	depth, opened := 0, false
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace:
			depth++
			opened = true
		case hclsyntax.TokenCBrace:
			depth--
		default:
		}
		if t.Range.Start.Line > line && (!opened || depth <= 0) || opened && depth <= 0 {
			if opened && t.Range.Start.Line > line {
				return t.Range.Start.Line
			}
			return 0
		}
	}
	return 0
}

// Ignored says whether a comment silences a rule at a place, and its reason.
func (p Place) Ignored(rule string) bool {
	if p.File == nil {
		return false
	}
	for _, ig := range p.File.ignores {
		if ig.rule == rule && ig.from <= p.Line && p.Line <= ig.to {
			return true
		}
	}
	return false
}

// Ignore is a rule that a comment silences, for checking that there is one of
// this name.
type Ignore struct {
	Rule string
	Line int
}

// Ignores are the rules that comments in the file silence.
func (f *File) Ignores() []Ignore {
	out := make([]Ignore, 0, len(f.ignores))
	for _, ig := range f.ignores {
		out = append(out, Ignore{Rule: ig.rule, Line: ig.line})
	}
	return out
}

// Excerpt is the line of a place, or what of it is worth showing: nothing of
// what stands beside an attribute in a file of one long line.
func (p Place) Excerpt() string {
	if p.File == nil || p.Line < 1 || p.Start > len(p.File.Source) {
		return ""
	}
	src := p.File.Source
	start := bytes.LastIndexByte(src[:p.Start], '\n') + 1
	end := len(src)
	if i := bytes.IndexByte(src[p.Start:], '\n'); i >= 0 {
		end = p.Start + i
	}
	line := strings.TrimRight(string(src[start:end]), "\r")
	if p.File.JSON || len(line) > longLine {
		return ""
	}
	return line
}

// longLine is a line that nobody wrote by hand.
const longLine = 300
