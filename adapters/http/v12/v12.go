// Package v12 is version 1.2 of the interface: the routes of every product. A product's package holds one file per resource, each with
// its wire form, the mapping to and from the core's records, and its routes. Packages for external standards are beside it. Nothing
// here decides: the rules are in the core and the use cases.
package v12

import (
	"embed"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"tilth/adapters/http/ogc"
	"tilth/adapters/http/pact"
	"tilth/adapters/http/rest"
	accountapi "tilth/adapters/http/v12/account"
	eventsapi "tilth/adapters/http/v12/events"
	farmapi "tilth/adapters/http/v12/farm"
	ghgapi "tilth/adapters/http/v12/ghg"
	operatorapi "tilth/adapters/http/v12/operator"
	satelliteapi "tilth/adapters/http/v12/satellite"
	soilapi "tilth/adapters/http/v12/soil"
)

// Deps is what the interface offers.
type Deps struct {
	Account   accountapi.Deps
	Farm      farmapi.Deps
	Satellite satelliteapi.Deps
	GHG       ghgapi.Deps
	Soil      soilapi.Deps
	Events    eventsapi.Deps
	PACT      pact.Deps
	OGC       ogc.Deps
	STAC      ogc.STACDeps
	Operator  operatorapi.Deps
}

// answers are what operations answered in tests, one per file: `make answers` records those that are missing.
//
//go:embed answers/*.json
var answers embed.FS

// shown returns the answers by operation.
func shown() map[string]json.RawMessage {
	files, err := answers.ReadDir("answers")
	out := make(map[string]json.RawMessage, len(files))
	for _, file := range files {
		text, failed := answers.ReadFile(path.Join("answers", file.Name()))
		out[strings.TrimSuffix(file.Name(), ".json")], err = text, errors.Join(err, failed)
	}
	if err != nil {
		panic(err) // the files are part of the program
	}
	return out
}

// Register adds every route of the version.
func Register(a *rest.API, d Deps) {
	a.ShowAnswers(shown)
	a.DescribeCodes(map[string]string{
		"database_unavailable": "the database does not answer; try again (503)",
		"database_busy":        "the database has no free connection; try again (503)",
		"database_timeout":     "the database took too long; try again (503)",
		"already_exists":       "another record has the same key (409)",
		"reference_missing":    "a record that is referred to has been removed in the meantime (409)",
		"unsupported_crs":      "the coordinates are in a system that cannot be read, or lie outside its range (400)",
		"secret_key_missing":   "a stored secret is sealed with a key that this server does not have (503)",
	})
	accountapi.Register(a, d.Account)
	farmapi.Register(a, d.Farm)
	satelliteapi.Register(a, d.Satellite)
	ghgapi.Register(a, d.GHG)
	soilapi.Register(a, d.Soil)
	eventsapi.Register(a, d.Events)
	pact.Register(a, d.PACT)
	ogc.Register(a, d.OGC)
	ogc.RegisterSTAC(a, d.STAC)
	operatorapi.Register(a, d.Operator)
	a.OrderTags("Signing in", "Farm management", "Vegetation-index profiles", "Vegetation-index maps", "Zoning maps", "Elevation maps", "Soil maps", "Wallet", "Sharing", "API keys", "Audit trail", "Users and roles",
		"Events", "Webhooks", "Assessments", "Footprints", "PACT for data recipients", "Areas of interest", "Stratification", "Maps for GIS (OGC API - Features)", "Maps and profiles as STAC", "Leaving", "Operators")
}
