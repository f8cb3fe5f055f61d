// Package rest describes the HTTP interface as routes and resources, serves them in
// one envelope, and has the package document write OpenAPI 3.1 from the same description.
//
// A route is a [Route] and a function; a farm-management resource is a [Resource]:
// the record types, a list of filters and a few functions. The package authenticates,
// checks the route's permission, decodes strictly, and encodes. It holds no business
// rule, knows no use case and opens no socket: the package above it makes the server.
//
// The order of checks is fixed: authentication (401), permission (403), then the input of the
// handler: path, query and body, in the order of its fields. A body that comes after checks of the
// use case (subscription, existence, a lock) is not part of the input: the handler passes a
// callback that calls [Decode], [DecodeInto] or [DecodeMany].
//
// The schemas of the document and the validation of bodies come from the same struct tags, through huma's
// schema generator, which the package schema wraps. The neighbouring packages know no route: query and
// body read what callers send, transfer moves bodies and answers, document writes the document.
package rest
