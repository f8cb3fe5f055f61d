// Package soil stores areas of interest, stratification orders with their layers, zone maps,
// sample plans, soil samples with their photos, and the links printed on labels and field sheets.
package soil

import (
	"tilth/adapters/persistence/common"
	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// Repos adds the repositories of this package to a bundle.
func Repos(s *sqlstore.Session, r *ports.Repos) {
	r.AOIs, r.StratificationOrders, r.LayerRasters, r.StratificationRuns = aoiRecords(s), stratRecords(s), layerRasters{s}, runRecords(s)
	r.SamplePhotos = photoRecords(s)
	r.StratificationMaps, r.SamplePlans, r.SoilSamples, r.PlanLinks = mapRecords(s), planRecords(s), sampleRecords(s), linkRecords(s)
}

// OperatorRepos adds those that work for the operator.
func OperatorRepos(s *sqlstore.Session, r *ports.OperatorRepos) {
	r.SamplePhotos = common.FileKeeper{S: s, Table: "sample_photos", Held: "FALSE"}
	r.Orders, r.LayerRasters, r.Maps, r.PlanLinks = orderKeeper{s}, layerRasters{s}, mapKeeper{s}, linkRecords(s)
}
