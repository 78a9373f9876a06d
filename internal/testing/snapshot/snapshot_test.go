package snapshot

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDifference(t *testing.T) {
	gone, added := Difference([]string{"a", "b: string", "c", "c"}, []string{"a", "b: number", "c", "d"})
	if diff := cmp.Diff([]string{"b: string", "c"}, gone); diff != "" {
		t.Error("gone", diff)
	}
	if diff := cmp.Diff([]string{"b: number", "d"}, added); diff != "" {
		t.Error("added", diff)
	}
}

func TestJSON(t *testing.T) {
	type inner struct {
		A int               `json:"a"`
		B *string           `json:"b"`
		C map[string]string `json:"c,omitempty"`
		D *json.Number      `json:"d"`
		e int
		F bool `json:"-"`
		G any
	}
	type outer struct {
		List []inner `json:"list"`
	}
	want := []string{
		"x: object", "x.list: list", "x.list[]: object", "x.list[].a: number", "x.list[].b: string or null",
		"x.list[].c: map, optional", "x.list[].c{}: string", "x.list[].d: number or null", "x.list[].G: any",
	}
	if diff := cmp.Diff(want, JSON("x", reflect.TypeFor[outer]())); diff != "" {
		t.Error(diff)
	}
	_ = inner{e: 1}
}
