package wire

import (
	"cmp"
	"context"
)

// helps returns the checks of the parts without which requests are answered all the same.
func (r *Running) helps() map[string]func(context.Context) error {
	helps := map[string]func(context.Context) error{"objects": r.checkFiles}
	if r.broker != nil {
		helps["broker"] = r.broker.Check
	}
	if r.db.Follows() {
		helps["replica"] = r.db.CheckStandby
	}
	return helps
}

// checkFiles asks whether the store of files can be used. If it holds the mark of the database it can; else the mark may be
// missing because the whole store is, such as a bucket that was never made.
func (r *Running) checkFiles(ctx context.Context) error {
	tied, err := r.parts.Operating.CheckFiles(ctx, r.files)
	if tied {
		return nil
	}
	return cmp.Or(r.checkStore(ctx), err)
}
