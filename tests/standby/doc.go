// Package standby reads from a hot standby of PostgreSQL that is made for the test, held back and taken away.
package standby
