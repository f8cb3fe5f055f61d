package persistence

import "tilth/ports"

// farmRepos adds the repositories of this package to a bundle.
func farmRepos(s *session, r *ports.Repos) {
	r.Farms, r.Fields, r.Seasons, r.Crops = farmRecords(s), fields{fieldRecords(s)}, seasons{seasonRecords(s)}, crops{s}
	r.Cultivations, r.Fertilizations = cultivations{cultivationRecords(s)}, fertilizations{fertilizationRecords(s)}
	r.Boundaries, r.Imports = boundaries{s}, imports{s}
}

// farmOperatorRepos adds those that work for the operator.
func farmOperatorRepos(s *session, r *ports.OperatorRepos) {
	r.Catalog = crops{s}
}
