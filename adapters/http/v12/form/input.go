package form

import (
	"context"

	"tilth/adapters/http/rest"
	"tilth/core/access"
)

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

// SharedList is the input of a list that takes [ShareParam].
type SharedList struct {
	rest.Values
	Shared
}

// Import is the input of a route that imports a file.
type Import struct {
	Preview bool `query:"preview"`
	Atomic  bool `query:"atomic"`
}

// TableImport is the input of a route that imports a table, and takes [SheetParam].
type TableImport struct {
	Import
	Sheet string `query:"sheet"`
}

// OnRecord returns the handler of a route that performs one action on one record and answers with the result.
func OnRecord[T, R any](
	use func(ctx context.Context, who access.Principal, id int64) (T, error), show func(T) R,
) func(context.Context, *rest.Call, ByID) (R, error) {
	return func(ctx context.Context, c *rest.Call, in ByID) (R, error) {
		found, err := use(ctx, c.Principal(), in.ID)
		return show(found), err
	}
}

// Remove returns the handler of a route that removes one record.
func Remove(use func(ctx context.Context, who access.Principal, id int64) error) func(context.Context, *rest.Call, ByID) (rest.NoContent, error) {
	return func(ctx context.Context, c *rest.Call, in ByID) (rest.NoContent, error) {
		return rest.NoContent{}, use(ctx, c.Principal(), in.ID)
	}
}

// Previewed marks an answer as a preview, if it is one.
func Previewed(c *rest.Call, preview bool) {
	if preview {
		c.Say("A preview: nothing is stored.")
	}
}
