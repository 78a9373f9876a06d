package measure

import "time"

// Clock tells the time. Everything that is measured here is measured by one, so
// that tests can decide how long a read takes.
type Clock interface {
	Now() time.Time
}

// SystemClock is the clock of the system.
type SystemClock struct{}

// Now is the present time, with a monotonic reading.
func (SystemClock) Now() time.Time { return time.Now() }
