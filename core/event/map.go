package event

// The types of events of maps: each is published when a map is ready, and again when its dates have changed.
const (
	TypeVIMapCompleted        = "vi_map_completed"
	TypeZoningMapCompleted    = "zoning_map_completed"
	TypeElevationMapCompleted = "elevation_map_completed"
	TypeSoilMapCompleted      = "soil_map_completed"
)

// MapCompleted is the payload of the events of maps.
type MapCompleted struct {
	MapUUID   string  `json:"map_uuid"`
	OrderID   int64   `json:"order_id"`
	Product   string  `json:"product"`
	Field     *int64  `json:"field"`      // null for an outline that is not a field
	FieldUUID *string `json:"field_uuid"` // null for an outline that is not a field
	Outline   string  `json:"outline"`    // the digest of the outline where there is no field; empty otherwise
	Season    *int64  `json:"season"`     // null for a map of one date, of relief and of soil
	IndexCode string  `json:"index_code"`
	Mask      string  `json:"mask"`
	Dataset   string  `json:"dataset"`
	Status    string  `json:"status"`
	Dates     int     `json:"dates"`  // number of dates of the map; 0 for one that has layers
	Layers    int     `json:"layers"` // number of layers of a map of zones, relief or soil
}
