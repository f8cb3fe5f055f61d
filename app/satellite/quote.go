package satellite

import (
	"tilth/core/credit"
	"tilth/core/vegetation"
)

// Quote is what an order would cost, and whether there is one already.
type Quote struct {
	Charge         credit.Amount // what placing the order would hold now
	Available      credit.Amount
	AlreadyCharged bool                   // the field was charged before, for whatever product
	Duplicate      *vegetation.OrderState // the open or active order of the same
	// Scenes is how many scenes of the archive cover the field in the season so far or, where it has not begun, in
	// the year before now; nil where the archive did not answer in time. Without any an order brings no point.
	Scenes *int
}
