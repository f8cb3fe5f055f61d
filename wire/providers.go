//go:build wireinject

package wire

import (
	"tilth/adapters/exchange"
	"tilth/adapters/http/v12"
	"tilth/adapters/identity"
	"tilth/adapters/permission"
	"tilth/app/assessing"
	"tilth/app/demo"
	"tilth/app/farming"
	"tilth/app/gate"
	identityapp "tilth/app/identity"
	"tilth/app/intake"
	"tilth/app/keys"
	"tilth/app/once"
	"tilth/app/operating"
	"tilth/app/people"
	"tilth/app/profiles"
	"tilth/app/series"
	"tilth/app/sharing"
	"tilth/app/trail"
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
	gate.New,
)

// useCases is the use cases over a store.
var useCases = googlewire.NewSet(
	outside,
	googlewire.Struct(new(operating.Deps), "*"), operating.New,
	googlewire.Struct(new(identityapp.Deps), "*"), identityapp.New,
	googlewire.Struct(new(farming.Deps), "*"), farming.Farms, farming.Fields, farming.Seasons, farming.Cultivations, farming.NewCrops,
	farming.Fertilizations, farming.NewBoundaries,
	googlewire.Struct(new(once.Deps), "*"), once.New,
	googlewire.Struct(new(profiles.Deps), "*"), profiles.New,
	googlewire.Struct(new(sharing.Deps), "*"), sharing.New,
	googlewire.Struct(new(keys.Deps), "*"), keys.New,
	trail.New,
	googlewire.Struct(new(people.Deps), "*"), people.New,
	geo.DefaultLimits,
)

// importing is the use cases of import and export, over a store and a store of files.
var importing = googlewire.NewSet(
	exchange.NewOutlines, googlewire.Bind(new(ports.Outlines), new(*exchange.Outlines)),
	googlewire.Value(exchange.OutlineWriter{}), googlewire.Bind(new(ports.OutlineWriter), new(exchange.OutlineWriter)),
	googlewire.Struct(new(intake.Deps), "*"), intake.New,
)

// assessments is the use cases of assessments, over a store.
var assessments = googlewire.NewSet(assessmentTable, googlewire.Struct(new(assessing.Deps), "*"), assessing.New)

var server = googlewire.NewSet(
	useCases,
	importing,
	assessments,
	googlewire.Struct(new(v12.Deps), "*"),
	googlewire.Struct(new(demo.Loader), "*"),
	googlewire.Struct(new(series.Computer), "*"), googlewire.Bind(new(profiles.Computer), new(*series.Computer)),
	profiles.NewWorker,
	googlewire.Struct(new(parts), "*"),
)
