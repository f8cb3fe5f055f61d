//go:build wireinject

package wire

import (
	googlewire "github.com/google/wire"

	"tilth/adapters/exchange"
	"tilth/adapters/exchange/companyfile"
	"tilth/adapters/exchange/outlines"
	"tilth/adapters/exchange/qfield"
	"tilth/adapters/http/ogc"
	"tilth/adapters/http/pact"
	v12 "tilth/adapters/http/v12"
	accountapi "tilth/adapters/http/v12/account"
	eventsapi "tilth/adapters/http/v12/events"
	farmapi "tilth/adapters/http/v12/farm"
	ghgapi "tilth/adapters/http/v12/ghg"
	operatorapi "tilth/adapters/http/v12/operator"
	satelliteapi "tilth/adapters/http/v12/satellite"
	soilapi "tilth/adapters/http/v12/soil"
	"tilth/adapters/identity"
	"tilth/adapters/imagery/mapfile"
	"tilth/adapters/imagery/surfaces"
	"tilth/adapters/permission"
	"tilth/adapters/render"
	"tilth/app"
	"tilth/app/account"
	auditapp "tilth/app/audit"
	"tilth/app/demo"
	"tilth/app/events"
	farmapp "tilth/app/farm"
	outlinesapp "tilth/app/farm/outlines"
	"tilth/app/features"
	ghgapp "tilth/app/ghg"
	cropcheckapp "tilth/app/ghg/cropcheck"
	evidenceapp "tilth/app/ghg/evidence"
	exchangeapp "tilth/app/ghg/exchange"
	"tilth/app/idempotency"
	"tilth/app/moving"
	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/app/satellite/fieldlayers"
	"tilth/app/satellite/mapview"
	"tilth/app/soil"
	"tilth/ports"
)

// outside provides the adapters that need no configuration.
var outside = googlewire.NewSet(
	googlewire.Value(identity.Clock{}), googlewire.Bind(new(ports.Clock), new(identity.Clock)),
	googlewire.Value(identity.Random{}), googlewire.Bind(new(ports.IDs), new(identity.Random)),
	identity.NewPasswords, googlewire.Bind(new(ports.Passwords), new(*identity.Passwords)),
	identity.NewTokens, googlewire.Bind(new(ports.Tokens), new(*identity.Tokens)), googlewire.Bind(new(ports.ClientTokens), new(*identity.Tokens)),
	permission.New, googlewire.Bind(new(ports.Permissions), new(*permission.Casbin)),
	app.NewGate, googlewire.Struct(new(app.Deps), "*"),
)

// useCases provides the use cases over a store.
var useCases = googlewire.NewSet(
	outside,
	googlewire.Struct(new(operating.Operating), "*"), googlewire.Struct(new(operating.Setup), "*"),
	googlewire.Struct(new(satellite.CurveLibrary), "*"),
	googlewire.Value(exchange.Curves{}), googlewire.Bind(new(ports.BuiltInCurves), new(exchange.Curves)),
	googlewire.Struct(new(account.Identity), "*"),
	farmapp.NewFarms, farmapp.NewFields, farmapp.NewSeasons, farmapp.NewCultivations, googlewire.Struct(new(farmapp.Crops), "*"),
	farmapp.NewFertilizations, farmapp.NewReshape, googlewire.Struct(new(farmapp.Boundaries), "*"), soil.NewAOIs,
	googlewire.Struct(new(soil.Orders), "*"),
	googlewire.Struct(new(soil.Plans), "*"),
	googlewire.Struct(new(soil.Samples), "*"), soil.NewSampleRecords, googlewire.Struct(new(soil.SampleFiles), "*"), googlewire.Struct(new(soil.Photos), "*"),
	googlewire.Value(qfield.Packages{}), googlewire.Bind(new(ports.CrewPackages), new(qfield.Packages)),
	googlewire.Value(exchange.SampleTables{}), googlewire.Bind(new(ports.SampleTables), new(exchange.SampleTables)),
	idempotency.New,
	googlewire.Struct(new(satellite.Profiles), "*"), googlewire.Struct(new(satellite.Maps), "*"),
	googlewire.Struct(new(mapview.Views), "*"), googlewire.Bind(new(mapview.Links), new(*account.Identity)), googlewire.Bind(new(mapview.Orders), new(*satellite.Maps)),
	googlewire.Value(mapfile.Files{}), googlewire.Bind(new(ports.MapFiles), new(mapfile.Files)),
	layersOf, googlewire.Bind(new(ports.MapLayers), new(*mapfile.Layers)), googlewire.Bind(new(ports.LayerFiles), new(mapfile.Files)), googlewire.Bind(new(ports.LayerPictures), new(render.Charts)),
	googlewire.Value(exchange.FieldMaps{}), googlewire.Bind(new(ports.ZoneFiles), new(exchange.FieldMaps)),
	googlewire.Struct(new(satellite.ProfileFiles), "*"), googlewire.Struct(new(satellite.Statements), "*"),
	googlewire.Value(render.Charts{}), googlewire.Bind(new(ports.Charts), new(render.Charts)),
	googlewire.Bind(new(ports.StratificationPictures), new(render.Charts)),
	googlewire.Value(exchange.Sheets{}), googlewire.Bind(new(ports.Sheets), new(exchange.Sheets)),
	googlewire.Bind(new(ports.ImpactSheets), new(exchange.Sheets)),
	googlewire.Value(render.Documents{}), googlewire.Bind(new(ports.Documents), new(render.Documents)),
	googlewire.Struct(new(account.Sharing), "*"),
	googlewire.Struct(new(account.Keys), "*"),
	googlewire.Struct(new(auditapp.Trail), "*"),
	googlewire.Struct(new(account.People), "*"),
)

// importing provides the use cases of import and export, over a store and a store of files.
var importing = googlewire.NewSet(
	outlines.New, googlewire.Bind(new(ports.Outlines), new(*outlines.Reader)), googlewire.Bind(new(ports.PlaceFiles), new(*outlines.Reader)),
	googlewire.Value(exchange.OutlineWriter{}), googlewire.Bind(new(ports.OutlineWriter), new(exchange.OutlineWriter)),
	googlewire.Struct(new(outlinesapp.Imports), "*"),
	googlewire.Value(exchange.PlotFiles{}), googlewire.Bind(new(ports.PlotFiles), new(exchange.PlotFiles)),
	googlewire.Struct(new(farmapp.Plots), "*"),
)

// leaving provides the use cases of companies that leave, over a store and a store of files.
var leaving = googlewire.NewSet(
	googlewire.Struct(new(auditapp.Sequencer), "*"), googlewire.Value(companyfile.Files{}), googlewire.Bind(new(ports.CompanyFiles), new(companyfile.Files)),
	programVersion, googlewire.Struct(new(moving.Mover), "*"), googlewire.Struct(new(moving.Exports), "*"),
)

// telling provides the use cases of events and webhooks, over a sender of webhooks.
var telling = googlewire.NewSet(
	events.NewFeed,
	googlewire.Struct(new(events.Webhooks), "*"),
)

// mapping provides the use cases of maps of zones, which log progress that is lost.
var mapping = googlewire.NewSet(
	googlewire.Struct(new(soil.Maps), "*"),
	googlewire.Struct(new(soil.MapFiles), "*"), googlewire.Struct(new(soil.Generated), "*"), googlewire.Struct(new(soil.Links), "*"), googlewire.Struct(new(soil.Backgrounds), "*"),
	googlewire.Value(exchange.StratificationFiles{}), googlewire.Bind(new(ports.StratificationFiles), new(exchange.StratificationFiles)),
)

// assessments provides the use cases of assessments, over a store.
var assessments = googlewire.NewSet(
	assessmentTable, googlewire.Struct(new(ghgapp.Assessments), "*"),
	googlewire.Struct(new(ghgapp.Dashboard), "*"),
	googlewire.Struct(new(cropcheckapp.Verification), "*"),
	googlewire.Struct(new(cropcheckapp.Curves), "*"),
	googlewire.Value(exchange.AssessmentTables{}), googlewire.Bind(new(ports.AssessmentTables), new(exchange.AssessmentTables)),
	googlewire.Struct(new(ghgapp.Batches), "*"),
	googlewire.Struct(new(evidenceapp.Files), "*"),
	googlewire.Struct(new(exchangeapp.Publishing), "*"), googlewire.Struct(new(exchangeapp.Clients), "*"), googlewire.Struct(new(exchangeapp.Recipients), "*"),
)

// apiDeps provides what version 1.2 of the interface offers, product by product.
var apiDeps = googlewire.NewSet(
	googlewire.Struct(new(accountapi.Deps), "*"),
	googlewire.Struct(new(farmapi.Deps), "*"),
	googlewire.Struct(new(satelliteapi.Deps), "*"),
	googlewire.Struct(new(ghgapi.Deps), "*"),
	googlewire.Struct(new(soilapi.Deps), "*"),
	googlewire.Struct(new(eventsapi.Deps), "*"),
	googlewire.Struct(new(operatorapi.Deps), "*"),
	googlewire.Struct(new(pact.Deps), "*"),
	googlewire.Struct(new(features.Features), "*"), googlewire.Struct(new(ogc.Deps), "*"), googlewire.Struct(new(ogc.STACDeps), "*"),
	googlewire.Struct(new(v12.Deps), "*"),
)

var server = googlewire.NewSet(
	useCases,
	importing,
	telling,
	leaving,
	googlewire.Struct(new(events.Sequencer), "*"),
	googlewire.Struct(new(events.Dispatcher), "*"), googlewire.Struct(new(events.Aside), "Store", "Clock", "IDs", "Log"), googlewire.Struct(new(events.Courier), "*"), googlewire.Struct(new(exchangeapp.Courier), "*"),
	assessments,
	mapping,
	apiDeps,
	googlewire.Struct(new(demo.Loader), "*"),
	googlewire.Struct(new(satellite.Computer), "*"), googlewire.Bind(new(satellite.ProfileComputer), new(*satellite.Computer)),
	googlewire.Bind(new(satellite.Archive), new(*satellite.Computer)),
	googlewire.Bind(new(satellite.ProfileUpdater), new(*satellite.Computer)), satellite.NewRefresher,
	satellite.NewProfileWorker, googlewire.Bind(new(satellite.LayerComputer), new(*satellite.Computer)), satellite.NewMapWorker,
	googlewire.Struct(new(satellite.MapSources), "*"), googlewire.Bind(new(fieldlayers.PeakSource), new(*satellite.Computer)), googlewire.Struct(new(fieldlayers.Zoning), "*"), layerMakers,
	googlewire.Struct(new(surfaces.Stored), "*"), googlewire.Bind(new(ports.RasterFiles), new(surfaces.Stored)),
	googlewire.Bind(new(soil.CellSource), new(*satellite.Computer)),
	elevationsOf, googlewire.Struct(new(soil.Covariates), "*"),
	googlewire.Struct(new(soil.LayerPreparer), "*"), googlewire.Bind(new(soil.LayerSource), new(*soil.LayerPreparer)), googlewire.Struct(new(soil.OrderWorker), "*"), googlewire.Struct(new(farmapp.OverlapChecker), "*"),
	googlewire.Struct(new(cropcheckapp.Worker), "*"),
	googlewire.Struct(new(parts), "*"),
)
