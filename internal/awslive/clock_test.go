package awslive_test

import "time"

// clock is a clock that stands still.
type clock time.Time

func (c clock) Now() time.Time { return time.Time(c) }

var now = time.Date(2026, 11, 30, 12, 34, 56, 0, time.UTC)

// clockNow is for how long something took, and for what the real server says.
func clockNow() time.Time { return time.Now() }
