package wire

import (
	"tilth/adapters/http/v12"
	"tilth/app/assessing"
	"tilth/app/bulk"
	"tilth/app/demo"
	"tilth/app/events"
	"tilth/app/gate"
	"tilth/app/intake"
	"tilth/app/once"
	"tilth/app/operating"
	"tilth/app/profiles"
	"tilth/app/strata"
	"tilth/app/stratifying"
	"tilth/app/verifying"
	"tilth/app/webhooks"
	"tilth/ports"
)

// parts is what a running server is made of.
type parts struct {
	Interface v12.Deps
	Gate      *gate.Gate
	Operating *operating.Operating
	Demo      *demo.Loader
	Worker    *profiles.Worker
	Refresher *profiles.Refresher
	Tokens    ports.Tokens
	Once      *once.Once
	Intake    *intake.Intake
	Sequencer *events.Sequencer
	Courier   *webhooks.Courier
	Assessing *assessing.Assessing
	Strata    *strata.Worker
	Maps      *stratifying.Maps
	Verifier  *verifying.Worker
	Bulk      *bulk.Bulk
}
