//go:build wireinject

package wire

import (
	"log/slog"

	googlewire "github.com/google/wire"

	v12 "tilth/adapters/http/v12"
	identityadapter "tilth/adapters/identity"
	"tilth/app/account"
	evidenceapp "tilth/app/ghg/evidence"
	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/core/assessment/climate"
	"tilth/core/geo"
	"tilth/ports"
)

// newOperating makes the operator's use cases over a store.
func newOperating(store ports.Store, memory identityadapter.PasswordMemory, engines ports.Engines) *operating.Operating {
	panic(googlewire.Build(useCases))
}

// newInterface makes what the HTTP interface offers over a store.
func newInterface(
	store ports.Store, objects ports.Objects, issuers account.Issuers, memory identityadapter.PasswordMemory, hooks ports.WebhookSender,
	engines ports.Engines, imagery ports.Imagery, archive satellite.Archive, limits geo.Limits, bounds evidenceapp.Bounds, photos soil.PhotoBounds, weather *climate.File, log *slog.Logger,
) v12.Deps {
	panic(googlewire.Build(useCases, importing, leaving, telling, assessments, mapping, apiDeps))
}

// newParts makes a server's parts over a store, an imagery source and a store of files.
func newParts(
	store ports.Store, imagery ports.Imagery, objects ports.Objects, issuers account.Issuers, memory identityadapter.PasswordMemory,
	hooks ports.WebhookSender, engines ports.Engines, limits geo.Limits, bounds evidenceapp.Bounds, photos soil.PhotoBounds, weather *climate.File, log *slog.Logger,
) *parts {
	panic(googlewire.Build(server))
}
