package form

// ByID is the input of a route on one record.
type ByID struct {
	ID int64 `path:"id"`
}

// Shared is the input of a route that takes [ShareParam].
type Shared struct {
	Share bool `query:"share"`
}

// SharedByID is the input of a route on one record that takes [ShareParam].
type SharedByID struct {
	Shared
	ByID
}
