// Package moving reads everything that a company has from the tables, and stores it in the tables of another installation,
// on either database. It is driven by one description of the schema (tables.go, stay.go); a test checks that it is complete.
package moving
