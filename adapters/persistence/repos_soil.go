package persistence

import "tilth/ports"

// soilRepos adds the repositories of this package to a bundle.
func soilRepos(s *session, r *ports.Repos) {
	r.AOIs, r.StratificationOrders, r.LayerRasters, r.StratificationRuns = aoiRecords(s), strats{s}, layerRasters{s}, runs{s}
	r.StratificationMaps, r.SamplePlans, r.SoilSamples = zoneMaps{s}, samplePlans{s}, sampleRecords(s)
}

// soilOperatorRepos adds those that work for the operator.
func soilOperatorRepos(s *session, r *ports.OperatorRepos) {
	r.Orders, r.LayerRasters, r.Maps = orderKeeper{s}, layerRasters{s}, mapKeeper{s}
}
