// Package satellite holds the use cases of satellite products: orders of vegetation-index profiles and maps
// from quote to refresh, charts and tables of profiles, the wallet that pays for them, and the reference
// curves in force. [Computer] computes series and cells from imagery for the orders of every product and for
// the command line; it stores nothing.
//
// Pixels and formulas are rules of core/vegetation, and the imagery source is behind a port. Orders of soil
// maps belong to package soil; they charge the wallet by [Purse].
package satellite
