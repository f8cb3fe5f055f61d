package ogc

// examples are the bodies that the document shows, by operation.
var examples = map[string]string{
	"stac_search_by_body": `{"collections": ["vegetation-index-map"], "bbox": [-4.9, 41.7, -4.1, 41.9], "datetime": "2025-05-01/2025-05-31", "limit": 20}`,
}
