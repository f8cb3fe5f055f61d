package event

import "slices"

// Kind describes a type of event to subscribers.
type Kind struct {
	Type    string
	Meaning string // when it happens: one sentence
	Payload any    // the zero value of its payload
}

// kinds is every type of event that is published. A new event is a constant, a payload and a line here.
var kinds = []Kind{
	{TypeProfileCompleted, "A vegetation-index profile has finished processing.", ProfileCompleted{}},
	{TypeProfileUpdated, "The series of an active vegetation-index profile has changed: a refresh found new or different dates.", ProfileCompleted{}},
	{TypeVIMapCompleted, "A vegetation-index map is ready, or its dates have changed.", MapCompleted{}},
	{TypeZoningMapCompleted, "A zoning map is ready, or its zones have changed.", MapCompleted{}},
	{TypeElevationMapCompleted, "An elevation map is ready, or it was made again and has changed.", MapCompleted{}},
	{TypeSoilMapCompleted, "A soil map is ready, or it was made again and has changed.", MapCompleted{}},
	{TypeFieldAlert, "A rule of a watched field has raised its alert for the season.", FieldAlert{}},
	{TypeAssessmentSubmitted, "An assessment was submitted as a new version.", AssessmentSubmitted{}},
	{TypeAssessmentSigned, "A second person signed a submitted version of an assessment.", AssessmentSigned{}},
	{TypeFootprintPublished, "The footprint of a submitted version was published to the PACT clients of the company.", FootprintChanged{}},
	{TypeFootprintRevoked, "The footprint of a version was revoked: clients see it as deprecated.", FootprintChanged{}},
	{TypeFieldSplit, "A field was split into others.", FieldsReplaced{}},
	{TypeFieldsMerged, "Fields were merged into one.", FieldsReplaced{}},
	{TypeStratificationCompleted, "The layers of a stratification order are ready.", StratificationCompleted{}},
	{TypeStratificationFailed, "A stratification order has failed; its charge is released.", StratificationFailed{}},
	{TypeMapsReady, "The requested zone maps are ready.", MapsReady{}},
	{TypePlanReady, "A sample plan is ready.", PlanReady{}},
	{TypeVerificationCompleted, "The crop verification of an assessment has ended, with a verdict or without.", VerificationCompleted{}},
}

// Kinds returns every type of event that is published.
func Kinds() []Kind { return slices.Clone(kinds) }

// Types returns the names of the types.
func Types() []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = k.Type
	}
	return out
}

// Known reports whether events of a type are published.
func Known(typ string) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { return k.Type == typ })
}

// TypeWebhookTest is sent to one webhook on demand. It is in no feed.
const TypeWebhookTest = "webhook_test"

// WebhookTest is the payload of webhook_test.
type WebhookTest struct {
	Webhook int64 `json:"webhook"`
}
