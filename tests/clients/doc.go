// Package clients calls the interface as others do. The recipes of docs/clients and the examples of docs/examples run against the
// demonstration: those that call the interface as it is, and those of clients that are generated from its document. Linters read
// the document, and others' readers the files. Requests are drawn from the document: every operation, with values that its schemas
// allow and values that they do not; what comes back must be what the document says, and no fault of the service. The examples of
// the document are sent to the demonstration, which carries them out. It has tests alone.
package clients
