package event

// The types of events of maps: each is published when a map is there, and again when its dates have changed.
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
	Field     *int64  `json:"field"`      // null of an outline that is no field
	FieldUUID *string `json:"field_uuid"` // null of an outline that is no field
	Outline   string  `json:"outline"`    // the digest of the outline where there is no field; empty otherwise
	Season    *int64  `json:"season"`     // null of a map of one date, of relief and of soil
	IndexCode string  `json:"index_code"`
	Mask      string  `json:"mask"`
	Dataset   string  `json:"dataset"`
	Status    string  `json:"status"`
	Dates     int     `json:"dates"`  // how many dates the map has; 0 of one that has layers
	Layers    int     `json:"layers"` // how many layers a map of zones, relief or soil has
}
