package guide

// chapter is a part of the contents: pages that serve one purpose, in the order of reading.
type chapter struct {
	Title string
	Names []string
}

// contents lists every guide once. The links to the next page follow this order, too.
var contents = []chapter{
	{"Begin", []string{"tutorial", "guides", "install", "real-imagery", "first-request", "console", "clients", "examples"}},
	{"How to", []string{
		"land-registry", "outlines", "workbooks", "fields", "monitoring", "task-data", "crews", "stratification-files", "assessments-table",
		"own-data", "buyers", "sharing", "due-diligence", "exchange", "ogc", "stac", "scripts", "webhooks", "events", "broker", "moving", "backups",
		"identity-provider", "operating", "observability",
	}},
	{"Reference", []string{
		"requests", "errors", "permissions", "formats", "event-types", "settings", "commands", "assessments", "maps", "layers",
		"ghg-engine-contract", "compatibility", "CHANGELOG",
	}},
	{"How it works", []string{
		"vegetation", "phenology", "crop-check", "ghg", "stratification", "evidence", "security", "reliability", "performance", "scale",
	}},
}
