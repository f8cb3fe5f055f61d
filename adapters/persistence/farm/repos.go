// Package farm stores farms, fields and the history of their boundaries, seasons, crops,
// cultivations, fertilizations, and imports of outlines.
package farm

import (
	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// Repos adds the repositories of this package to a bundle.
func Repos(s *sqlstore.Session, r *ports.Repos) {
	r.Farms, r.Fields, r.Seasons, r.Crops = farmRecords(s), fieldRecords(s), seasonRecords(s), crops{s}
	r.Cultivations, r.Fertilizations = cultivationRecords(s), fertilizationRecords(s)
	r.Boundaries, r.Overlaps, r.Imports = boundaries{s}, overlaps{s}, importRecords(s)
}

// OperatorRepos adds those that work for the operator.
func OperatorRepos(s *sqlstore.Session, r *ports.OperatorRepos) {
	r.Catalog = crops{s}
}
