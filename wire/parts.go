package wire

import (
	"tilth/adapters/http/v12"
	"tilth/app"
	"tilth/app/demo"
	"tilth/app/events"
	farmapp "tilth/app/farm"
	ghgapp "tilth/app/ghg"
	"tilth/app/idempotency"
	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/ports"
)

// parts is what a running server is made of.
type parts struct {
	Interface  v12.Deps
	Gate       *app.Gate
	Operating  *operating.Operating
	Demo       *demo.Loader
	Worker     *satellite.ProfileWorker
	Refresher  *satellite.Refresher
	Tokens     ports.Tokens
	Once       *idempotency.Once
	Intake     *farmapp.Imports
	Sequencer  *events.Sequencer
	Dispatcher *events.Dispatcher
	Courier    *events.Courier
	Assessing  *ghgapp.Assessments
	Strata     *soil.OrderWorker
	Maps       *soil.Maps
	Verifier   *ghgapp.VerificationWorker
	Bulk       *ghgapp.Batches
}
