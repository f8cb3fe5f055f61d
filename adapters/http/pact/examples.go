package pact

// examples are the bodies that the document shows, by operation. Ids are those of the demonstration, where it has any.
var examples = map[string]string{
	"pact_token": "grant_type=client_credentials",
	"pact_event": `{"type": "org.wbcsd.pact.ProductFootprint.RequestCreatedEvent.3", "specversion": "1.0", "id": "c3028ee9-d595-4779-a73a-290bfa7505d6", "source": "//mill.example.com/events", "time": "2026-05-23T00:00:00Z", "data": {"productId": ["urn:gtin:4712345060507"], "comment": "For our report of 2026"}}`,
}
