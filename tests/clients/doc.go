// Package clients calls the interface as others do. The recipes of docs/clients and the examples of docs/examples run against
// the demonstration: both clients that call the interface directly and clients that are generated from its document. Linters
// read the document, and third-party readers the files. Requests are drawn from the document: every operation, with values
// that its schemas allow and values that they do not; each response must be one that the document describes, and no fault of
// the service. The examples of the document are sent to the demonstration, which carries them out. The package has only tests.
package clients
