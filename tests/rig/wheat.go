package rig

// Wheat is the worked example of an assessment that can be submitted, without its resource (docs/ghg.md).
const Wheat = `{"assessment_year": 2024, "growing_area": {"value": 10, "unit": "ha"}, "average_temperature": {"value": 9, "unit": "celsius"},
 "climate_region": "cool_temperate_moist", "farm_country": "france", "submitted_data_quality": "all_actual_data",
 "crop": {"crop_type": "winter_wheat", "harvested_yield": {"value": 8, "unit": "t/ha"}}, "soil": {"soil_class": "high_activity_clay"},
 "fertilizers": [{"product": "urea", "rate": {"value": 200, "unit": "kg/ha"}, "production_region": "europe"}],
 "crop_protection": [{"category": "herbicide", "applications": 3}],
 "residues": {"management": [{"practice": "left_on_field", "share_pct": 100}]},
 "fuel_energy": [{"carrier": "diesel", "amount": {"value": 900, "unit": "l"}, "purpose": "field"}],
 "land_management": {"tillage": "full", "carbon_inputs": "medium", "no_change_20y": true},
 "section_declarations": {"organic_inputs": "none", "irrigation": "none", "seeds": "none", "machinery": "none", "transport": "none",
 "land_use_change": "none", "perennial_biomass": "none"}}`
