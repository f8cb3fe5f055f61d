package persistence

import "tilth/ports"

// satelliteRepos adds the repositories of this package to a bundle.
func satelliteRepos(s *session, r *ports.Repos) {
	r.Orders, r.Curves = orders{s}, curveSets{s}
}

// satelliteOperatorRepos adds those that work for the operator.
func satelliteOperatorRepos(s *session, r *ports.OperatorRepos) {
	r.Curves = curveSets{s}
}
