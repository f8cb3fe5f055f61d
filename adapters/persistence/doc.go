// Package persistence keeps Tilth's records in SQLite or PostgreSQL, behind the
// storage ports. It owns transactions, row locks, retries after lost races, the
// schema's migrations, and the translation of rows to core values and of driver
// errors to faults. It decides nothing: what may be stored is the core's business,
// and who may ask for it that of the use cases.
//
// Both databases answer the same to the same calls. Where they differ (types of
// columns, row locks, error codes) the difference stands in sqlite.go, postgres.go,
// failure.go and the words of the migrations, and nowhere else.
package persistence
