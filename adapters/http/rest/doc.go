// Package rest describes the HTTP interface as routes and resources, serves them in
// one envelope, and writes the OpenAPI 3.1 document from the same description.
//
// A route is a [Route] and a function; a farm-management resource is a [Resource]:
// the record types, a list of filters and a few functions. The package authenticates,
// asks for the route's permission, decodes strictly, and encodes. It holds no business
// rule, knows no use case and opens no socket: the package above it makes the server.
//
// The order of checks is fixed: authentication (401), permission (403), then whatever
// the handler's use case checks (subscription, existence), and only then the body. For
// that reason a handler is not given its body: it calls [Decode], [DecodeInto] or
// [DecodeMany], usually from a callback that its use case runs when it is ready.
//
// The schemas of the document and the validation of bodies come from the same struct
// tags, through huma's schema generator. Nothing outside this package imports huma.
package rest
