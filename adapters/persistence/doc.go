// Package persistence keeps Tilth's records in SQLite or PostgreSQL, behind the storage
// ports. It assembles the repositories of the packages below it, one package per product,
// which build on sqlstore and do not import each other. It decides nothing: what may be
// stored is the core's business, and who may ask for it that of the use cases.
//
// Both databases give the same answers to the same calls.
package persistence
