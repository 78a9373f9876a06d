package awslive

import "time"

// Clock tells the time: the date of what AWS answers, the end of a window of
// metrics, the age of a host.
type Clock interface {
	Now() time.Time
}

// SystemClock is the clock of the system.
type SystemClock struct{}

// Now is the present time.
func (SystemClock) Now() time.Time { return time.Now() }
