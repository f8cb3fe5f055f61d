//go:build wireinject

package wire

import (
	"tilth/adapters/exchange"
	"tilth/adapters/http/v12"
	"tilth/adapters/identity"
	"tilth/adapters/imagery/surfaces"
	"tilth/adapters/permission"
	"tilth/adapters/render"
	"tilth/app/assessing"
	"tilth/app/bulk"
	"tilth/app/curves"
	"tilth/app/demo"
	"tilth/app/events"
	"tilth/app/farming"
	"tilth/app/gate"
	identityapp "tilth/app/identity"
	"tilth/app/intake"
	"tilth/app/keys"
	"tilth/app/once"
	"tilth/app/operating"
	"tilth/app/overview"
	"tilth/app/people"
	"tilth/app/profiles"
	"tilth/app/sampling"
	"tilth/app/series"
	"tilth/app/sharing"
	"tilth/app/strata"
	"tilth/app/stratifying"
	"tilth/app/trail"
	"tilth/app/verifying"
	"tilth/app/webhooks"
	"tilth/core/geo"
	"tilth/ports"

	googlewire "github.com/google/wire"
)

// outside is the adapters that need no configuration.
var outside = googlewire.NewSet(
	googlewire.Value(identity.Clock{}), googlewire.Bind(new(ports.Clock), new(identity.Clock)),
	googlewire.Value(identity.Random{}), googlewire.Bind(new(ports.IDs), new(identity.Random)),
	identity.NewPasswords, googlewire.Bind(new(ports.Passwords), new(*identity.Passwords)),
	identity.NewTokens, googlewire.Bind(new(ports.Tokens), new(*identity.Tokens)),
	permission.New, googlewire.Bind(new(ports.Permissions), new(*permission.Casbin)),
	gate.WithSubscriptions, googlewire.Struct(new(gate.Deps), "*"),
)

// useCases is the use cases over a store.
var useCases = googlewire.NewSet(
	outside,
	googlewire.Struct(new(operating.Deps), "*"), operating.New,
	googlewire.Struct(new(curves.Library), "*"),
	googlewire.Value(exchange.Curves{}), googlewire.Bind(new(ports.BuiltInCurves), new(exchange.Curves)),
	googlewire.Struct(new(identityapp.Deps), "*"), identityapp.New,
	farming.Farms, farming.Fields, farming.Seasons, farming.Cultivations, farming.NewCrops,
	farming.Fertilizations, farming.NewBoundaries, farming.NewAOIs,
	strata.New,
	stratifying.NewPlans,
	sampling.New, farming.SoilSamples,
	googlewire.Struct(new(once.Deps), "*"), once.New,
	profiles.New,
	googlewire.Struct(new(profiles.Files), "*"),
	googlewire.Value(render.Charts{}), googlewire.Bind(new(ports.Charts), new(render.Charts)),
	googlewire.Bind(new(ports.StratificationPictures), new(render.Charts)),
	googlewire.Value(exchange.Sheets{}), googlewire.Bind(new(ports.Sheets), new(exchange.Sheets)),
	googlewire.Bind(new(ports.ImpactSheets), new(exchange.Sheets)),
	googlewire.Value(render.Documents{}), googlewire.Bind(new(ports.Documents), new(render.Documents)),
	sharing.New,
	keys.New,
	trail.New,
	people.New,
	geo.DefaultLimits,
)

// importing is the use cases of import and export, over a store and a store of files.
var importing = googlewire.NewSet(
	exchange.NewOutlines, googlewire.Bind(new(ports.Outlines), new(*exchange.Outlines)),
	googlewire.Value(exchange.OutlineWriter{}), googlewire.Bind(new(ports.OutlineWriter), new(exchange.OutlineWriter)),
	googlewire.Struct(new(intake.Deps), "*"), intake.New,
)

// telling is the use cases of events and webhooks, over a sender of webhooks.
var telling = googlewire.NewSet(
	events.NewFeed,
	webhooks.New,
)

// mapping is the use cases of maps of zones, which tell the log of progress that is lost.
var mapping = googlewire.NewSet(
	stratifying.NewMaps,
	googlewire.Struct(new(stratifying.Files), "*"),
	googlewire.Value(exchange.StratificationFiles{}), googlewire.Bind(new(ports.StratificationFiles), new(exchange.StratificationFiles)),
)

// assessments is the use cases of assessments, over a store.
var assessments = googlewire.NewSet(
	assessmentTable, googlewire.Struct(new(assessing.Deps), "*"), assessing.New,
	overview.New,
	verifying.New,
	googlewire.Value(exchange.AssessmentTables{}), googlewire.Bind(new(ports.AssessmentTables), new(exchange.AssessmentTables)),
	googlewire.Struct(new(bulk.Deps), "*"), bulk.New,
)

var server = googlewire.NewSet(
	useCases,
	importing,
	telling,
	googlewire.Struct(new(events.Sequencer), "*"),
	googlewire.Struct(new(webhooks.Courier), "*"),
	assessments,
	mapping,
	googlewire.Struct(new(v12.Deps), "*"),
	googlewire.Struct(new(demo.Loader), "*"),
	googlewire.Struct(new(series.Computer), "*"), googlewire.Bind(new(profiles.Computer), new(*series.Computer)),
	googlewire.Bind(new(profiles.Updater), new(*series.Computer)), profiles.NewRefresher,
	profiles.NewWorker,
	googlewire.Struct(new(surfaces.Stored), "*"), googlewire.Bind(new(ports.RasterFiles), new(surfaces.Stored)),
	googlewire.Bind(new(strata.Cells), new(*series.Computer)),
	elevationsOf, googlewire.Struct(new(strata.Covariates), "*"),
	googlewire.Struct(new(strata.Preparer), "*"), googlewire.Bind(new(strata.Layers), new(*strata.Preparer)), strata.NewWorker,
	googlewire.Bind(new(verifying.Computer), new(*series.Computer)), googlewire.Struct(new(verifying.Worker), "*"),
	googlewire.Struct(new(parts), "*"),
)
