package app

import (
	"context"

	"tilth/ports"
)

// InPieces runs a step repeatedly, each time in a transaction of its own, until a step handles
// fewer than size, and returns how many were handled in all.
func InPieces(ctx context.Context, store ports.Store, size int64, step func(ctx context.Context, tx ports.OperatorRepos) (int64, error)) (total int64, err error) {
	for n := size; n >= size; total += n {
		if n, err = In(ctx, store.Operate, step); err != nil {
			return total, err
		}
	}
	return total, nil
}
