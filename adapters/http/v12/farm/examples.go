package farm

// examples are the bodies that the document shows, by operation. Ids are those of the demonstration, where it has any.
var examples = map[string]string{
	"farm_create":                       `{"name": "Green Valley", "country": "spain", "region": "Castilla y León", "timezone": "Europe/Madrid", "location": {"type": "Point", "coordinates": [-4.22, 41.78]}, "unit_system": "metric", "external_id": "GV-1"}`,
	"farm_update":                       `{"name": "Green Valley", "country": "spain", "region": "Castilla y León", "timezone": "Europe/Madrid", "location": {"type": "Point", "coordinates": [-4.22, 41.78]}, "unit_system": "metric", "external_id": "GV-2", "base_year": {"year": 2020, "threshold_pct": 5}}`,
	"farm_partial_update":               `{"phone": "+34 983 000 000"}`,
	"field_create":                      `{"name": "Long field", "farm_id": 1, "boundary": {"type": "Polygon", "coordinates": [[[-4.2243, 41.7794], [-4.2208, 41.7794], [-4.2208, 41.7822], [-4.2243, 41.7822], [-4.2243, 41.7794]]]}, "irrigated": false, "external_id": "GV-1-7"}`,
	"field_update":                      `{"name": "Long field", "farm_id": 1, "boundary": {"type": "Polygon", "coordinates": [[[-4.2243, 41.7794], [-4.2208, 41.7794], [-4.2208, 41.7822], [-4.2243, 41.7822], [-4.2243, 41.7794]]]}, "irrigated": false, "external_id": "GV-1-8", "soil_type": "sandy loam"}`,
	"field_partial_update":              `{"irrigated": true, "notes": "Pivot since 2024"}`,
	"field_split":                       `{"line": {"type": "LineString", "coordinates": [[-4.2225, 41.77], [-4.2225, 41.79]]}, "names": ["Long field west", "Long field east"]}`,
	"field_merge":                       `{"field_ids": [2, 3], "name": "Long field", "keep_mixed": true}`,
	"field_import":                      `{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[-4.2243, 41.7794], [-4.2208, 41.7794], [-4.2208, 41.7822], [-4.2243, 41.7822], [-4.2243, 41.7794]]]}, "properties": {"name": "Long field", "ref": "GV-1-7"}}]}`,
	"season_create":                     `{"name": "Winter 2025/26", "start_date": "2025-10-01", "end_date": "2026-07-31", "kind": "winter"}`,
	"season_update":                     `{"name": "Winter 2025/26", "start_date": "2025-10-01", "end_date": "2026-07-31", "kind": "winter", "is_closed": false}`,
	"season_partial_update":             `{"is_closed": true}`,
	"cultivation_create":                `{"season_id": 1, "crop_id": 29, "field_id": 1}`,
	"cultivation_update":                `{"season_id": 1, "crop_id": 29, "field_id": 1}`,
	"cultivation_partial_update":        `{"crop_id": 29}`,
	"fertilization_create":              `{"cultivation_id": 1, "applied_on": "2025-03-20", "product": "urea", "product_name": "Urea 46", "amount": {"value": 200, "unit": "kg/ha"}, "application_method": "broadcast"}`,
	"fertilization_update":              `{"cultivation_id": 1, "applied_on": "2025-03-20", "product": "urea", "product_name": "Urea 46", "amount": {"value": 200, "unit": "kg/ha"}, "application_method": "broadcast", "treated_area_ha": 1.5}`,
	"fertilization_partial_update":      `{"applied_on": "2025-03-22", "amount": {"value": 180, "unit": "kg/ha"}}`,
	"farm_partial_update_many":          `[{"id": 1, "phone": "+34 983 000 000"}]`,
	"field_partial_update_many":         `[{"id": 1, "irrigated": true}, {"id": 2, "irrigated": false}]`,
	"season_partial_update_many":        `[{"id": 1, "is_closed": false}]`,
	"cultivation_partial_update_many":   `[{"id": 1, "crop_id": 29}]`,
	"fertilization_partial_update_many": `[{"id": 1, "applied_on": "2025-03-22"}]`,
}
