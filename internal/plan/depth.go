package plan

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// maxOperators is how many operators, indexes and template sequences one
// expression may have: the parser and the evaluation recurse for each of them.
const maxOperators = 10_000

// tooManyOperators finds the place at which an expression has too many. The
// tokens are looked at only if the file has so many characters of the kind.
func tooManyOperators(f *File) (at hcl.Pos, found bool) {
	n := 0
	for _, c := range []byte("!-+*/%<>=&|?[({") {
		n += bytes.Count(f.Source, []byte{c})
	}
	if n <= maxOperators {
		return at, false
	}
	type level struct {
		count  int // when it was opened
		braces bool
	}
	var open []level
	base := func() int {
		if len(open) == 0 {
			return 0
		}
		return open[len(open)-1].count
	}
	tokens, _ := hclsyntax.LexConfig(f.Source, f.Name, hcl.InitialPos)
	count := 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenPlus, hclsyntax.TokenStar, hclsyntax.TokenSlash, hclsyntax.TokenPercent,
			hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual, hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq, hclsyntax.TokenGreaterThan,
			hclsyntax.TokenGreaterThanEq, hclsyntax.TokenAnd, hclsyntax.TokenOr, hclsyntax.TokenQuestion:
			count++
		case hclsyntax.TokenOParen, hclsyntax.TokenOBrack, hclsyntax.TokenOBrace, hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc,
			hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			if t.Type == hclsyntax.TokenOBrack || t.Type == hclsyntax.TokenTemplateControl {
				count++
			}
			open = append(open, level{count, t.Type == hclsyntax.TokenOBrace})
		case hclsyntax.TokenCParen, hclsyntax.TokenCBrack, hclsyntax.TokenCBrace, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			if len(open) > 0 {
				count = base()
				open = open[:len(open)-1]
			}
		case hclsyntax.TokenComma:
			count = base()
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
			ends := t.Type == hclsyntax.TokenNewline || bytes.HasSuffix(t.Bytes, []byte("\n"))
			if ends && (len(open) == 0 || open[len(open)-1].braces) {
				count = base()
			}
		default: // no other token nests
		}
		if count > maxOperators {
			return t.Range.Start, true
		}
	}
	return at, false
}
