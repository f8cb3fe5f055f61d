package satellite

import (
	"tilth/core/batch"
	"tilth/core/credit"
	"tilth/core/fault"
)

// MaxBatch is the number of orders that are placed at once.
const MaxBatch = 1000

// Placed is what became of one order of a batch.
type Placed struct {
	Verdict batch.Outcome // create, skip for one that is there, fail
	OrderID int64         // 0 where it failed, and of a preview of one that is not there
	Charge  credit.Amount // what is held for it
	Code    string        // why it was skipped or failed
	Message string
	Errors  fault.Fields // what was wrong where
}

// refusal returns what an order is refused with, before anything of it was written.
func refusal(err error) (Placed, bool) {
	f, ok := fault.As(err)
	if !ok {
		return Placed{}, false
	}
	switch f.Kind {
	case fault.Invalid, fault.NotFound, fault.PaymentRequired:
		return Placed{Verdict: batch.Fail, Code: f.Code, Message: f.Message, Errors: f.Fields}, true
	case fault.Conflict:
		if f.Code == "duplicate_external_id" {
			return Placed{Verdict: batch.Fail, Code: f.Code, Message: f.Message}, true
		}
		id, ok := f.Details["order_id"].(int64)
		return Placed{Verdict: batch.Skip, OrderID: id, Code: f.Code, Message: f.Message}, ok
	}
	return Placed{}, false
}
