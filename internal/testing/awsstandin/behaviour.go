package awsstandin

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// behaviourJSON is what a schema does not tell about a type, by type. The type
// "*" has what is made up for every type without a value of its own, and
// "data.TYPE" is for a data source that no resource is called like.
//
//go:embed data/behaviour.json
var behaviourJSON []byte

// behaviour is one type of data/behaviour.json. Paths are names joined by dots,
// through blocks, without the type.
type behaviour struct {
	// ID and ARN are templates; see maker.expand.
	ID  string `json:"id"`
	ARN string `json:"arn"`
	// Defaults are planned where the configuration has nothing.
	Defaults map[string]any `json:"defaults"`
	// Values are made up at apply.
	Values map[string]any `json:"values"`
	// ComputedBlocks are not known before the apply when they are left out, of
	// which FilledBlocks then are there; the others are empty.
	ComputedBlocks []string `json:"computed_blocks"`
	FilledBlocks   []string `json:"filled_blocks"`
	// AtMostOneBlock are blocks whose limit is not in the schema.
	AtMostOneBlock []string            `json:"at_most_one_block"`
	Ranges         map[string][2]int64 `json:"ranges"`
	Enums          map[string][]string `json:"enums"`
	rules
}

// rules are about the attributes and blocks at the top of a type.
type rules struct {
	// ForceNew are attributes that cannot be changed in place.
	ForceNew []string `json:"force_new"`
	// The others are groups of names of which exactly one, at least one or at
	// most one may be there.
	ExactlyOneOf [][]string `json:"exactly_one_of"`
	AtLeastOneOf [][]string `json:"at_least_one_of"`
	Conflicts    [][]string `json:"conflicts"`
}

// attributeBehaviour is what a schema does not tell about an attribute.
type attributeBehaviour struct {
	// fallback is the default and value what is made up; nil if there is none.
	fallback, value any
	// limits are the smallest and the largest number.
	limits *[2]int64
	// choices are the strings that may be given; nil for any.
	choices []string
}

// blockBehaviour is what a schema does not tell about a block.
type blockBehaviour struct {
	// isComputed says that the real provider fills the block when it is left
	// out, isFilled that the stand-in does as well, and atMostOne that a second
	// one is refused.
	isComputed, isFilled, atMostOne bool
}

// addBehaviour adds data/behaviour.json to the types. A path that leads nowhere
// is an error: a misspelt one would never be noticed otherwise.
func (s *schemas) addBehaviour() error {
	var all map[string]behaviour
	if err := json.Unmarshal(behaviourJSON, &all); err != nil {
		return fmt.Errorf("data/behaviour.json: %w", err)
	}
	s.anyType = all["*"].Values
	delete(all, "*")
	for name, b := range all {
		o := s.resources[name]
		if name == s.provider.name {
			o = s.provider
		}
		dataName, isData := strings.CutPrefix(name, "data.")
		if isData {
			o = s.dataSources[dataName]
		}
		if o == nil {
			return fmt.Errorf("data/behaviour.json: there is no type %s", name)
		}
		if err := o.add(b); err != nil {
			return fmt.Errorf("data/behaviour.json: %s: %w", name, err)
		}
	}
	for name, o := range s.dataSources {
		if same := s.resources[name]; same != nil {
			o.id, o.arn = same.id, same.arn
		}
	}
	return nil
}

func (o *objectType) add(b behaviour) error {
	o.id, o.arn, o.rules = b.ID, b.ARN, b.rules
	return firstError(
		forEach(b.Defaults, o.attribute, func(a *attribute, v any) { a.fallback = v }),
		forEach(b.Values, o.attribute, func(a *attribute, v any) { a.value = v }),
		forEach(b.Ranges, o.attribute, func(a *attribute, v [2]int64) { a.limits = &v }),
		forEach(b.Enums, o.attribute, func(a *attribute, v []string) { a.choices = v }),
		forEach(set(b.ComputedBlocks), o.nested, func(n *nestedBlock, v bool) { n.isComputed = v }),
		forEach(set(b.FilledBlocks), o.nested, func(n *nestedBlock, v bool) { n.isFilled = v }),
		forEach(set(b.AtMostOneBlock), o.nested, func(n *nestedBlock, v bool) { n.atMostOne = v }),
		o.checkRules(),
	)
}

// checkRules finds names that the type does not have.
func (o *objectType) checkRules() error {
	groups := [][]string{o.ForceNew}
	for _, more := range [][][]string{o.ExactlyOneOf, o.AtLeastOneOf, o.Conflicts} {
		groups = append(groups, more...)
	}
	for _, group := range groups {
		for _, name := range group {
			if o.typ.AttributeTypes[name] == nil {
				return fmt.Errorf("there is no %s", name)
			}
		}
	}
	return nil
}

// attribute finds an attribute by its path.
func (b *block) attribute(path string) (*attribute, error) {
	name, parent := path, b
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		n, err := b.nested(path[:i])
		if err != nil {
			return nil, err
		}
		name, parent = path[i+1:], n.block
	}
	if a := parent.attributes[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("there is no attribute %s", path)
}

// nested finds a nested block by its path.
func (b *block) nested(path string) (*nestedBlock, error) {
	var found *nestedBlock
	for name := range strings.SplitSeq(path, ".") {
		if found = b.blocks[name]; found == nil {
			return nil, fmt.Errorf("there is no block %s", path)
		}
		b = found.block
	}
	return found, nil
}

// forEach gives what a path leads to and the path's value to a function.
func forEach[T, V any](values map[string]V, find func(path string) (T, error), give func(T, V)) error {
	for path, v := range values {
		t, err := find(path)
		if err != nil {
			return err
		}
		give(t, v)
	}
	return nil
}

func set(paths []string) map[string]bool {
	out := map[string]bool{}
	for _, p := range paths {
		out[p] = true
	}
	return out
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
