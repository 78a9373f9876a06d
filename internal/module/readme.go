package module

import (
	"embed"
	"fmt"
	"strings"
)

// files has the text that is no HCL, in a folder for each kind.
//
//go:embed all:files
var embedded embed.FS

// text is an embedded file, by its path below files.
func text(name string) []byte {
	b, err := embedded.ReadFile("files/" + name)
	if err != nil {
		panic(err) // A name in this package's own source.
	}
	return b
}

// inputTable is a Markdown table of variables, for a README.
func inputTable(vs []variable) string {
	var b strings.Builder
	b.WriteString("| input | type | default | what |\n|---|---|---|---|\n")
	for _, v := range vs {
		value := "required"
		if v.value != "" {
			value = code(v.value)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", v.name, code(v.typ), value, cell(v.description))
	}
	return b.String()
}

// outputTable is a Markdown table of outputs, for a README.
func outputTable(rs []result) string {
	var b strings.Builder
	b.WriteString("| output | what |\n|---|---|\n")
	for _, r := range rs {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.name, cell(r.description))
	}
	return b.String()
}

// code is an expression in one line of a table.
func code(s string) string { return "`" + cell(strings.Join(strings.Fields(s), " ")) + "`" }

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
