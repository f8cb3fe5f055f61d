// Package moving reads everything that a company has out of the tables, and stores it in the tables of another installation,
// on either database. It is driven by one description of the schema (tables.go, stay.go), which a test holds complete.
package moving
