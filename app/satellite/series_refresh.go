package satellite

import (
	"context"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

// Refresh brings series of one field up to date, after one search for all of them: what is
// known of days that did not change is taken over, and no pixel of them is read; days that
// the archive does not have any more are gone. What comes out is what Compute would give
// now. req.Index is not looked at: each series has its own.
//
// The faults of Compute; and Unavailable where the archive has no scene of the field any
// more, but dates are known: archives lose and replace scenes, but one that has none left
// is moved, or being filled anew, and a profile is not emptied for that.
func (c *Computer) Refresh(ctx context.Context, req SeriesRequest, known []vegetation.Series) ([]vegetation.Series, error) {
	var passes []vegetation.Pass
	place := newGround(req.Boundary)
	out := make([]vegetation.Series, len(known))
	for i, old := range known {
		var err error
		if req.Index, err = vegetation.ParseIndex(string(old.Index)); err != nil {
			return nil, err
		}
		mask, err := req.check()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if passes, err = c.search(ctx, req); err != nil {
				return nil, err
			}
		}
		if len(passes) == 0 && len(old.Observations)+len(old.Rejected) > 0 {
			return nil, fault.New(fault.Unavailable, "imagery_unavailable", "The imagery source has no scene of the field left.")
		}
		if out[i], err = c.assemble(ctx, req, mask, passes, place, old); err != nil {
			return nil, err
		}
	}
	return out, nil
}
