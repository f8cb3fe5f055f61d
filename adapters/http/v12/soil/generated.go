package soil

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/stratification/generated"
	"tilth/core/stratification/seed"
	"tilth/ports"
)

// SeedBeacon is a value of a public source of randomness.
type SeedBeacon struct {
	Pulse string `json:"pulse" maxLength:"255" doc:"Identifies the pulse so that others can find it: its address, or source and round." example:"https://beacon.nist.gov/beacon/2.0/chain/2/pulse/1600000"`
	Value string `json:"value" minLength:"64" maxLength:"256" pattern:"^[0-9A-Fa-f]+$" doc:"The published value: 64 to 256 hexadecimal digits."`
}

// SeedWrite chooses a seed.
type SeedWrite struct {
	Seed   *int64      `json:"seed" required:"false" minimum:"0" maximum:"9007199254740991" doc:"Left out, without phrase and beacon: it is derived from what is divided or sampled and the parameters, so that a repeated request makes the same."`
	Phrase *string     `json:"seed_phrase" required:"false" minLength:"8" maxLength:"200" doc:"Instead: a line that a second person chose; the seed is its hash."`
	Beacon *SeedBeacon `json:"seed_beacon" required:"false" doc:"Instead: a value that a public source published, preferably in a pulse that was agreed on beforehand; the seed is its hash."`
}

func (w SeedWrite) choice() seed.Choice {
	beacon := form.OrZero(w.Beacon)
	out := seed.Choice{Phrase: form.OrZero(w.Phrase), Pulse: beacon.Pulse, Value: beacon.Value}
	if w.Seed != nil {
		number := uint64(*w.Seed)
		out.Number = &number
	}
	return out
}

// SeedOrigin states where a seed comes from.
type SeedOrigin struct {
	Source string      `json:"source" enum:"parameters,given,phrase,beacon" doc:"given: somebody chose the number, which proves nothing."`
	Phrase *string     `json:"phrase" doc:"The line that a second person chose; null for other sources."`
	Beacon *SeedBeacon `json:"beacon" doc:"The value that a public source published; null for other sources."`
	Text   *string     `json:"text" doc:"The text whose hash the seed is: the first 53 bits of the SHA-256 of these bytes. Null for a given seed, and where it is longer than 16 KiB."`
}

// showOrigin shows where a seed comes from; null for maps and plans from before it was recorded.
func showOrigin(o seed.Origin) *SeedOrigin {
	return form.If(o.Source != "", SeedOrigin{string(o.Source), form.OrNull(o.Phrase), form.If(o.Pulse != "", SeedBeacon{o.Pulse, o.Value}), form.OrNull(o.Text)})
}

// Generated is a call that made maps of zones, or a sample plan.
type Generated struct {
	At               time.Time    `json:"at" doc:"When it was made."`
	User             *form.Ref    `json:"user" doc:"Who requested it; null where that user is gone."`
	Operator         bool         `json:"operator" doc:"The user is an operator, acting inside your company."`
	APIKey           *int64       `json:"api_key" doc:"Id of the API key that was used; null for an access token."`
	Kind             string       `json:"kind" enum:"maps,plan" doc:"maps: maps of zones. plan: a sample plan."`
	Made             []string     `json:"made" doc:"map_uuid of what was made: the maps by ascending number of zones, or the plan."`
	Saved            []string     `json:"saved" doc:"Those of them that are saved. Others are kept for 30 days; the record stays."`
	MapUUID          *string      `json:"stratification_map_uuid" doc:"For a plan: its map of zones."`
	BasedOn          *string      `json:"based_on" doc:"For a plan changed by hand: the plan it was made from."`
	Seed             int64        `json:"seed" doc:"The seed of everything that is random in it."`
	SeedOrigin       *SeedOrigin  `json:"seed_origin" doc:"Where the seed comes from; null for those from before it was recorded."`
	AlgorithmVersion string       `json:"algorithm_version" doc:"The version of the algorithm: the same version makes the same result from the same input."`
	Parameters       member.Value `json:"parameters" doc:"The parameters; those that are empty or 0 are left out."`
	Outcome          member.Value `json:"outcome" doc:"For maps: the digest of the layers, and the maps or why there are none. For a plan: its figures, and the SHA-256 of its points."`
}

func showGenerated(e generated.Entry) Generated {
	origin := seed.Origin{Source: e.SeedSource, Phrase: e.SeedPhrase, Pulse: e.SeedPulse, Value: e.SeedValue, Text: e.SeedText}
	return Generated{
		At: e.At, User: form.Pointed(e.User, form.Named), Operator: e.Operator, APIKey: form.OrNull(e.KeyID), Kind: e.Kind,
		Made: append([]string{}, e.Made...), Saved: append([]string{}, e.Saved...), MapUUID: form.OrNull(e.MapUUID), BasedOn: form.OrNull(e.BasedOn),
		Seed: e.Seed, SeedOrigin: showOrigin(origin), AlgorithmVersion: e.AlgorithmVersion,
		Parameters: member.Value{V: e.Parameters}, Outcome: member.Value{V: e.Outcome},
	}
}

func registerGenerated(a *rest.API, g *soil.Generated) {
	routes := rest.Routes{Base: aoiBase + "stratification/orders/{id}/generated/", Operation: "stratification_order_generated", Tag: stratificationTag, Noun: "order"}
	need := access.SamplePlans.View.For("generated")
	list := routes.Route(http.MethodGet, "", need, "List what was generated for a stratification order")
	list.OperationID = "stratification_order_generated_list"
	list.Description = "Every call for maps and every plan, newest first, with seed, parameters and outcome, whether it was saved or not: they show how often somebody tried " +
		"before a plan was saved. The records are in the audit trail, which is append-only and chained. This also needs the permission to view maps of zones."
	list.Query = query.CursorParams()
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		rest.Values
	}) (rest.List[Generated], error) {
		page := in.PageOrAll()
		return form.List(page, showGenerated)(g.List(ctx, c.Principal(), in.ID, ports.AuditQuery{Limit: page.Limit(), Offset: page.Offset(), From: form.From(page)}))
	})
	export := routes.Route(http.MethodGet, "export/", need, "Export what was generated for a stratification order")
	export.OperationID = "stratification_order_generated_export"
	export.Description, export.Media = "The list as CSV or a workbook; parameters and outcome are JSON.", form.Media(form.Tables...)
	export.Query = []rest.Param{form.FormatParam(form.Tables...)}
	rest.Handle(a, export, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		form.Formatted
	}) (rest.Raw, error) {
		format := in.Among(c, form.Tables...)
		write, err := g.Export(ctx, c.Principal(), in.ID, format)
		return form.Download("generated", format, write), err
	})
}
