package event

// The ends of a stratification order.
const (
	TypeStratificationCompleted = "stratification_order_completed"
	TypeStratificationFailed    = "stratification_order_failed"
)

// StratificationCompleted is the payload of stratification_order_completed: the layers of an
// area of interest are there, and zones can be made of them.
type StratificationCompleted struct {
	OrderID  int64    `json:"order_id"`
	DataUUID string   `json:"data_uuid"`
	AOI      int64    `json:"aoi"`
	AOIUUID  string   `json:"aoi_uuid"`
	Status   string   `json:"status"`
	Layers   []string `json:"layers"` // names of those that can be used
}

// StratificationFailed is the payload of stratification_order_failed: the charge is released.
type StratificationFailed struct {
	OrderID  int64  `json:"order_id"`
	DataUUID string `json:"data_uuid"`
	AOI      int64  `json:"aoi"`
	AOIUUID  string `json:"aoi_uuid"`
	Status   string `json:"status"`
	Reason   string `json:"reason"`
}
