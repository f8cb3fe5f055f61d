// Package footprint makes product carbon footprints of submitted assessments, in the data model of PACT
// (github.com/wbcsd/data-exchange-protocol, spec/v3, version 3.0.3), and holds the rules of their publication, of the
// clients that receive them, of their filters and of the events about them. It sends and stores nothing.
package footprint

// SpecVersion is the version of the data model that footprints conform to.
const SpecVersion = "3.0.3"
