package indexmap

import "time"

// File is where the pixels of one date of a map are kept.
type File struct {
	Day    time.Time
	Object string // its name in the object store, which follows from its content
	Bytes  int64
}
