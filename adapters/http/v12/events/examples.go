package events

// examples are the bodies that the document shows, by operation. Ids are those of the demonstration, where it has any.
var examples = map[string]string{
	"webhook_create":              `{"url": "https://hooks.example.com/tilth", "description": "Tells the office about finished profiles", "event_types": ["vi_profile_completed"]}`,
	"webhook_update":              `{"url": "https://hooks.example.com/tilth", "description": "Tells the office about finished profiles", "event_types": ["vi_profile_completed"], "is_active": true}`,
	"webhook_partial_update":      `{"is_active": false}`,
	"webhook_partial_update_many": `[{"id": 1, "is_active": false}]`,
}
