package awslive

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// gatherFor is how long the first who asks waits for others. Terraform begins
// reads side by side, within a few milliseconds.
const gatherFor = 50 * time.Millisecond

// gather turns what several ask for at nearly the same time into one question:
// each data source of a plan is read by itself, and AWS takes many ids in a call.
//
// Who asks waits no longer than its own context allows, and has its own answer:
// the question goes on while somebody still waits for it. What fails for all, such
// as a permission, is everybody's error. Where only the answer was not whole,
// which may be because of one of the things that were asked for, whoever has no
// answer yet asks again alone.
type gather[K comparable, V any] struct {
	// ask asks for all keys and hands over answers as they come, one call at a time.
	// What it does not hand over is not there.
	ask func(ctx context.Context, keys []K, each func(K, V)) error

	mu   sync.Mutex
	next *round[K, V] // what can still be joined
}

// round is one question.
type round[K comparable, V any] struct {
	keys    []K // not changed any more once it is asked
	waiting int
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when answers and err are there
	answers map[K]V
	err     error
}

// get is the answer for a key; false if there is none without an error.
func (g *gather[K, V]) get(ctx context.Context, key K) (answer V, ok bool, err error) {
	r := g.join(ctx, key)
	select {
	case <-r.done:
		g.leave(r, nil)
	case <-ctx.Done():
		g.leave(r, ctx.Err())
		if errors.Is(ctx.Err(), context.Canceled) {
			return answer, false, ctx.Err()
		}
		// Others who began with this one are as late. When the last of them is, the
		// question ends and tells what it has met, which is more than that it is late.
		select {
		case <-r.done:
		case <-time.After(gatherFor * 2):
			return answer, false, ctx.Err()
		}
	}
	answer, ok = r.answers[key]
	switch {
	case ok || r.err == nil:
		return answer, ok, nil
	case len(r.keys) == 1 || !isPartial(r.err):
		return answer, false, r.err
	}
	err = g.ask(ctx, []K{key}, func(_ K, v V) { answer, ok = v, true })
	return answer, ok, err
}

// join adds a key to the question that is being gathered, or begins one.
func (g *gather[K, V]) join(ctx context.Context, key K) *round[K, V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.next
	if r == nil {
		// It ends with the last who waits for it, and each of them has a deadline.
		ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		r = &round[K, V]{cancel: cancel, done: make(chan struct{}), answers: map[K]V{}}
		g.next = r
		go g.run(ctx, r)
	}
	if !slices.Contains(r.keys, key) {
		r.keys = append(r.keys, key)
	}
	r.waiting++
	return r
}

// leave is called by everybody who has joined, once.
func (g *gather[K, V]) leave(r *round[K, V], why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.waiting--; r.waiting == 0 {
		r.cancel(why)
		if g.next == r {
			g.next = nil // nobody may join what has been called off
		}
	}
}

func (g *gather[K, V]) run(ctx context.Context, r *round[K, V]) {
	defer close(r.done)
	select {
	case <-ctx.Done():
	case <-time.After(gatherFor):
	}
	g.mu.Lock()
	if g.next == r {
		g.next = nil
	}
	g.mu.Unlock()
	if r.err = context.Cause(ctx); r.err == nil {
		r.err = g.ask(ctx, r.keys, func(k K, v V) { r.answers[k] = v })
	}
}
