package event

// The ends of a stratification order.
const (
	TypeStratificationCompleted = "stratification_order_completed"
	TypeStratificationFailed    = "stratification_order_failed"
)

// StratificationCompleted is the payload of stratification_order_completed: the layers of an area of interest are
// ready, and zones can be made of them; or (SOC) its map of soil carbon is ready.
type StratificationCompleted struct {
	OrderID  int64    `json:"order_id"`
	DataUUID string   `json:"data_uuid"`
	MapType  string   `json:"map_type"` // STR or SOC
	AOI      int64    `json:"aoi"`
	AOIUUID  string   `json:"aoi_uuid"`
	Status   string   `json:"status"`
	Layers   []string `json:"layers"` // names of those that can be used
}

// StratificationFailed is the payload of stratification_order_failed: the charge is released.
type StratificationFailed struct {
	OrderID  int64  `json:"order_id"`
	DataUUID string `json:"data_uuid"`
	MapType  string `json:"map_type"` // STR or SOC
	AOI      int64  `json:"aoi"`
	AOIUUID  string `json:"aoi_uuid"`
	Status   string `json:"status"`
	Reason   string `json:"reason"`
}

// TypeMapsReady is published when a call that makes maps of zones is done.
const TypeMapsReady = "stratification_maps_ready"

// MapsReady is the payload of stratification_maps_ready. Without a map, the reason states why.
type MapsReady struct {
	JobID    int64    `json:"job_id"`
	OrderID  int64    `json:"order_id"`
	AOI      int64    `json:"aoi"`
	AOIUUID  string   `json:"aoi_uuid"`
	Status   string   `json:"status"`
	MapUUIDs []string `json:"map_uuids"`
	Reason   string   `json:"reason"`
}

// TypePlanReady is published when a sample plan is made, of a map or of another plan.
const TypePlanReady = "sample_plan_ready"

// PlanReady is the payload of sample_plan_ready: map_uuid is the plan's, as in its records, and stratification_map_uuid
// that of its map.
type PlanReady struct {
	OrderID   int64  `json:"order_id"`
	AOI       int64  `json:"aoi"`
	AOIUUID   string `json:"aoi_uuid"`
	MapUUID   string `json:"map_uuid"`
	ZonesUUID string `json:"stratification_map_uuid"`
	Samples   int    `json:"number_of_samples"`
	IsCustom  bool   `json:"is_custom"`
}
