package soil

// examples are the bodies that the document shows, by operation. Ids are those of the demonstration, where it has any.
var examples = map[string]string{
	"aoi_create":                  `{"name": "North block", "description": "Fields along the canal", "field_uuids": ["574c61bb-8d6a-4fbd-93d1-910a5c29b8d3", "c492aefe-d1b6-4057-8edf-152bc019cee5"]}`,
	"aoi_update":                  `{"name": "North block", "field_uuids": ["574c61bb-8d6a-4fbd-93d1-910a5c29b8d3"]}`,
	"aoi_partial_update":          `{"description": "Fields along the canal, since 2025 with the meadow"}`,
	"aoi_partial_update_many":     `[{"id": 1, "external_id": "NB-1"}]`,
	"stratification_order_create": `{"aoi_id": 1}`,
	"stratification_map_generate": `{"order": 1, "max_zones": 5, "confidence": 0.9, "relative_error": 0.1}`,
	"stratification_map_save":     `{"name": "Three zones", "map_tag": "str-k3", "external_id": "zones-7"}`,
	"sample_plan_generate":        `{"map_uuid": "647908de-ddae-51ee-b74c-ade322819114", "number_of_samples": 60, "min_samples_per_field": 3, "placement": "spatially_balanced", "legacy_plan": "c9a353ea-381a-5649-987c-10038b4c3479", "legacy_points": [{"lon": 6.9134567, "lat": 52.2101234}], "start": {"lon": 6.91, "lat": 52.21}, "end": {"lon": 6.91, "lat": 52.21}}`,
	"sample_plan_customise":       `{"operations": [{"op": "move", "point": "Z1-02", "lon": 6.9134567, "lat": 52.2101234}, {"op": "swap", "point": "Z2-01", "with": "Z2-R1"}]}`,
	"sample_plan_save":            `{"name": "Spring round", "plan_tag": "spring-2026", "external_id": "round-12"}`,
	"sample_plan":                 `{"plan": "c9a353ea-381a-5649-987c-10038b4c3479", "depths": [{"from": 0, "to": 15}, {"from": 15, "to": 30}], "sampled_on": "2026-03-02"}`,
	"sample_create":               `{"plan": "c9a353ea-381a-5649-987c-10038b4c3479", "point": "Z1-01", "depth_from_cm": 0, "depth_to_cm": 15, "external_id": "LIMS-2026-0117", "source": "LIMS"}`,
	"sample_plan_save_many":       `[{"map_uuid": "c9a353ea-381a-5649-987c-10038b4c3479", "name": "Spring round", "external_id": "round-12"}]`,
	"sample_import":               "label,soc_pct,bulk_density_g_cm3\nS-1-001,1.84,1.32\n",
	"sample_partial_update":       `{"collected": {"lon": 6.9134567, "lat": 52.2101234, "at": "2026-03-02T10:15:00Z", "by": "Ada Agronomist", "accuracy_m": 2}, "notes": "Stony below 20 cm"}`,
	"sample_partial_update_many":  `[{"id": 1, "notes": "Stony below 20 cm"}]`,
}
