package ghg

// exampleAssessment is complete: it can be submitted as it is.
const exampleAssessment = `{
  "resource_type": "field", "resource_id": 1, "assessment_year": 2025,
  "growing_area": {"value": 10, "unit": "ha"}, "average_temperature": {"value": 12.5, "unit": "celsius"},
  "climate_region": "warm_temperate_dry", "farm_country": "spain", "submitted_data_quality": "all_actual_data",
  "crop": {"crop_type": "winter_wheat", "harvested_yield": {"value": 5.2, "unit": "t/ha"}},
  "soil": {"soil_class": "high_activity_clay"},
  "fertilizers": [{"product": "urea", "rate": {"value": 200, "unit": "kg/ha"}}],
  "residues": {"management": [{"practice": "left_on_field", "share_pct": 100}]},
  "fuel_energy": [{"carrier": "diesel", "amount": {"value": 900, "unit": "l"}}],
  "crop_protection": [{"category": "herbicide", "applications": 2}],
  "land_management": {"tillage": "full", "carbon_inputs": "medium", "no_change_20y": true},
  "section_declarations": {
    "organic_inputs": "none", "seeds": "none", "irrigation": "none", "machinery": "none", "transport": "none",
    "land_use_change": "none", "perennial_biomass": "none"
  }
}`

// examples are the bodies that the document shows, by operation. Ids are those of the demonstration, where it has any.
var examples = map[string]string{
	"assessment_create":                 exampleAssessment,
	"assessment_update":                 exampleAssessment,
	"assessment_partial_update":         `{"submitted_data_quality": "mix_of_actual_and_estimated_data", "crop": {"harvested_yield": {"value": 5.4, "unit": "t/ha"}}}`,
	"assessment_partial_update_many":    `[{"id": 1, "external_id": "wheat-2025-north", "crop": {"harvested_yield": {"value": 5.4, "unit": "t/ha"}}}]`,
	"assessment_copy_forward":           `{"from_year": 2025, "to_year": 2026, "filter": {"resource_type": "field"}}`,
	"assessment_import":                 "resource_type,resource_id,assessment_year,crop.crop_type,fertilizers[0].product,fertilizers[0].rate.value,fertilizers[0].rate.unit\nfield,1,2025,winter_wheat,urea,180,kg/ha\n",
	"assessment_prefill":                `{"apply": true, "sections": ["general", "crop", "fertilizers"]}`,
	"assessment_prefill_many":           `{"ids": [1, 2], "apply": true}`,
	"assessment_reports":                `{"ids": [1, 2], "basis": "submitted"}`,
	"assessment_submit_many":            `{"filter": {"assessment_year": 2025, "resource_type": "field"}}`,
	"assessment_declare":                `{"irrigation": "none", "transport": "none"}`,
	"assessment_attach_evidence":        "date,product,kg\n2025-03-20,urea,2000\n",
	"assessment_update_section":         `{"crop_type": "winter_wheat", "harvested_yield": {"value": 5.2, "unit": "t/ha"}}`,
	"assessment_partial_update_section": `{"harvest_date": "2025-07-12"}`,
	"assessment_create_item":            `{"product": "urea", "rate": {"value": 200, "unit": "kg/ha"}, "date": "2025-03-20"}`,
	"assessment_update_item":            `{"product": "urea", "rate": {"value": 200, "unit": "kg/ha"}, "date": "2025-03-20"}`,
	"assessment_partial_update_item":    `{"inhibitor": "urease"}`,
	"assessment_partial_update_items":   `[{"id": 8, "inhibitor": "urease"}]`,
	"footprint_publish":                 `{"product_ids": ["urn:gtin:4712345060507"], "cross_sectoral_standards": ["ISO14067", "PACT-3.0"], "exempted_emissions_percent": 0, "product_name": "Winter wheat of Green Valley"}`,
	"assessment_sign_submission":        `{"statement": "I have compared the entries with the invoices and the field records."}`,
	"pact_client_create":                `{"name": "Mill and Sons", "events_url": "https://api.example.com/3/events"}`,
	"pact_client_update":                `{"name": "Mill and Sons", "events_url": "https://api.example.com/3/events", "token_url": "https://api.example.com/auth/token", "recipient_client_id": "green-valley", "recipient_client_secret": "the secret that its system knows"}`,
	"pact_client_partial_update":        `{"name": "Mill and Daughters"}`,
	"pact_client_partial_update_many":   `[{"id": 1, "name": "Mill and Daughters"}]`,
}
