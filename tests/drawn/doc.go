// Package drawn sends requests that are drawn from the document of the interface: every operation, with values that its
// schemas allow and values that they do not. What comes back must be what the document says, and no fault of the service.
// The examples of the document are sent to the demonstration, which carries them out. It has tests alone.
package drawn
