// Package rolling upgrades an installation under load: the release before it serves beside this one, on one PostgreSQL, forwards
// and back.
package rolling
