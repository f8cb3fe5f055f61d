package access

import (
	"slices"
	"strings"
)

// The verbs of permission slugs.
const (
	verbView   = "view"
	verbCreate = "create"
	verbEdit   = "edit"
	verbDelete = "delete"
)

var everyVerb = []string{verbCreate, verbDelete, verbEdit, verbView}

// resources are what permission slugs speak of, each with its verbs: the one list that
// the routes, the roles and the built-in roles agree with.
var resources = map[string][]string{
	"aoi":                  everyVerb,
	"api_key":              everyVerb,
	"assessment":           everyVerb,
	"audit":                {verbView},
	"crop":                 {verbView},
	"cropcheck":            {verbCreate, verbView},
	"cultivation":          everyVerb,
	"dashboard":            {verbView},
	"event":                {verbView},
	"farm":                 everyVerb,
	"fertilization":        everyVerb,
	"field":                everyVerb,
	"job":                  everyVerb,
	"role":                 everyVerb,
	"sample":               everyVerb,
	"sample_plan_map":      everyVerb,
	"season":               everyVerb,
	"share_grant":          everyVerb,
	"stratification_map":   everyVerb,
	"stratification_order": everyVerb,
	"user":                 everyVerb,
	"vi-profile":           everyVerb,
	"wallet":               {verbView},
	"webhook":              everyVerb,
}

// KnownSlugs gives every permission slug there is, sorted.
func KnownSlugs() []Slug {
	var out []Slug
	for resource, verbs := range resources {
		for _, verb := range verbs {
			out = append(out, Slug(resource+"."+verb))
		}
	}
	slices.Sort(out)
	return out
}

// Known reports whether there is such a permission slug.
func Known(slug Slug) bool {
	resource, verb, ok := strings.Cut(string(slug), ".")
	return ok && slices.Contains(resources[resource], verb)
}

// KnownPattern reports whether a role may hold a pattern: everything, all that is to be
// had of a known resource, a verb of every resource, or a known slug.
func KnownPattern(pattern string) bool {
	if pattern == "*" || Known(Slug(pattern)) {
		return true
	}
	resource, verb, ok := strings.Cut(pattern, ".")
	if !ok {
		return false
	}
	_, known := resources[resource]
	return known && verb == "*" || resource == "*" && slices.Contains(everyVerb, verb)
}

// Covers reports whether the patterns held give every slug that a pattern gives, so
// that its holder may hand it on. A pattern that speaks of resources to come is covered
// only by one that does so too.
func Covers(held []string, pattern string) bool {
	resource, verb, ok := strings.Cut(pattern, ".")
	if !ok {
		resource, verb = "*", "*"
	}
	for _, h := range held {
		hr, hv, ok := strings.Cut(h, ".")
		if !ok {
			hr, hv = h, h // "*", or what covers nothing
		}
		if (hr == "*" || hr == resource) && (hv == "*" || hv == verb) {
			return true
		}
	}
	if resource == "*" || verb != "*" {
		return false
	}
	for _, v := range resources[resource] {
		if !Covers(held, resource+"."+v) {
			return false
		}
	}
	return len(resources[resource]) > 0
}
