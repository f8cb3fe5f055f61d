// Package satellite stores orders of vegetation profiles with their series, orders of maps with their dates, and reference curves.
// Wallets are in package account.
package satellite

import (
	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// Repos adds the repositories of this package to a bundle.
func Repos(s *sqlstore.Session, r *ports.Repos) {
	r.Orders, r.Maps, r.Monitors, r.Curves, r.OwnCurves = orderRecords(s), fieldMaps{s}, monitorRecords(s), curveSets{s}, ownCurves{s}
}

// OperatorRepos adds those that work for the operator.
func OperatorRepos(s *sqlstore.Session, r *ports.OperatorRepos) {
	r.Curves, r.Monitors = curveSets{s}, monitorRecords(s)
}
