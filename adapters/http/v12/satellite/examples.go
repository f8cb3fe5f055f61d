package satellite

// examples are the bodies that the document shows, by operation. Ids are those of the demonstration, where it has any.
var examples = map[string]string{
	"vi_profile_order_create":    `{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "season_id": 1}`,
	"vi_profile_monitors_watch":  `{"order_ids": [1, 2], "rules": [{"kind": "patch", "change": 0.15, "days": 14}]}`,
	"vi_profile_order_watch":     `{"rules": [{"kind": "drop", "change": 0.2, "days": 14}, {"kind": "no_start", "by": "2025-05-01"}]}`,
	"vi_profile_order_quote":     `{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "season_id": 1, "index_code": "NDVI"}`,
	"vi_map_order_create":        `{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "season_id": 1, "index_code": "NDVI", "output_data_type": "geotiff"}`,
	"vi_map_link":                `{"expires_in": 3600}`,
	"vi_map_order_quote":         `{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "date": "2025-06-01", "index_code": "NDMI"}`,
	"vi_map_order_batch":         `[{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "season_id": 1}, {"field_uuid": "c492aefe-d1b6-4057-8edf-152bc019cee5", "date": "2025-06-01"}]`,
	"zoning_map_order_create":    `{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "season_id": 1, "no_of_classes": 3}`,
	"zoning_map_order_quote":     `{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "season_id": 1, "index_code": "NDRE"}`,
	"zoning_map_order_batch":     `[{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "season_id": 1}, {"field_uuid": "c492aefe-d1b6-4057-8edf-152bc019cee5", "season_id": 1}]`,
	"zoning_map_link":            `{"expires_in": 3600}`,
	"elevation_map_order_create": `{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "output_data_type": "geotiff"}`,
	"elevation_map_order_quote":  `{"field_uuid": "c492aefe-d1b6-4057-8edf-152bc019cee5"}`,
	"elevation_map_order_batch":  `[{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3"}, {"field_uuid": "c492aefe-d1b6-4057-8edf-152bc019cee5"}]`,
	"elevation_map_link":         `{"expires_in": 3600}`,
	"soil_map_order_create":      `{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3"}`,
	"soil_map_order_quote":       `{"field_uuid": "c492aefe-d1b6-4057-8edf-152bc019cee5"}`,
	"soil_map_order_batch":       `[{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3"}, {"field_uuid": "c492aefe-d1b6-4057-8edf-152bc019cee5"}]`,
	"soil_map_link":              `{"expires_in": 3600}`,
	"vi_profile_order_batch":     `[{"field_uuid": "574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "season_id": 1}, {"field_uuid": "c492aefe-d1b6-4057-8edf-152bc019cee5", "season_id": 1}]`,
}
