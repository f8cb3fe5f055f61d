// Package programme holds the rules of sampling programmes over many fields: how many points each field
// gets, which fields are drawn, and the estimates for fields, farms and programmes. It knows neither
// maps of zones nor plans.
package programme
