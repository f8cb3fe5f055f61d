package operator

// examples are the bodies that the document shows, by operation. Ids are those of the demonstration, where it has any.
var examples = map[string]string{
	"operator_company_create":         `{"name": "Growers of the lower valley"}`,
	"operator_company_partial_update": `{"name": "Growers of the upper valley"}`,
	"operator_subscription_update":    `{"until": "2030-12-31"}`,
	"operator_wallet_credit":          `{"amount": 250, "note": "Invoice 2026-017"}`,
	"operator_wallet_refund":          `{"transaction": 17, "amount": 12.5, "note": "Hail, agreed on the phone"}`,
	"operator_user_create":            `{"company": 1, "email": "grace@example.com", "name": "Grace Grower", "role": "editor"}`,
	"operator_user_partial_update":    `{"disabled": true}`,
	"operator_price_update":           `{"per_ha": 1.25}`,
}
