// Package prepared keeps the statements that bun writes prepared, on both databases: it marks the arguments in their
// texts, takes them out at the connection, and leaves them out where statements are shown. It knows no table.
package prepared
