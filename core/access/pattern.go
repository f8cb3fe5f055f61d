package access

import (
	"slices"
	"strings"
)

// confidential are the resources that a "*" for the resource leaves out. The audit trail
// shows who did what: a role must name it, or grant everything.
var confidential = []string{AuditTrail.Name}

// Match reports whether a granted pattern covers a slug. A pattern is a slug in which the resource or the verb, or the
// whole, may be "*". "*.view" does not cover what is confidential (audit.view); "*" does.
func Match(pattern string, slug Slug) bool {
	if pattern == "*" || pattern == string(slug) {
		return true
	}
	pr, pv, ok := strings.Cut(pattern, ".")
	sr, sv, ok2 := strings.Cut(string(slug), ".")
	return ok && ok2 && (pr == sr || pr == "*" && !slices.Contains(confidential, sr)) && (pv == "*" || pv == sv)
}

// ValidPattern reports whether a text is a pattern in the sense of Match.
func ValidPattern(pattern string) bool {
	resource, verb, _ := strings.Cut(pattern, ".")
	return pattern == "*" || len(pattern) <= 100 && (verb == "*" || slices.Contains(verbs, verb)) &&
		(resource == "*" || resource != "" && strings.Trim(resource, "abcdefghijklmnopqrstuvwxyz_-") == "")
}

// KnownPattern reports whether a role may hold a pattern: everything, all verbs of a known
// resource, a verb of every resource, or a known slug.
func KnownPattern(pattern string) bool {
	if pattern == "*" || Known(Slug(pattern)) {
		return true
	}
	resource, verb, _ := strings.Cut(pattern, ".")
	_, known := verbsOf[resource]
	return known && verb == "*" || resource == "*" && slices.Contains(verbs, verb)
}

// Covers reports whether the patterns held match every slug that a pattern matches, so that their holder may grant it. A
// pattern that also matches future resources is covered only by one that does so too.
func Covers(held []string, pattern string) bool {
	if slices.ContainsFunc(held, func(h string) bool { return Match(h, Slug(pattern)) }) {
		return true
	}
	resource, verb, _ := strings.Cut(pattern, ".")
	if verb != "*" {
		return false
	}
	for _, v := range verbsOf[resource] {
		if !Covers(held, resource+"."+v) {
			return false
		}
	}
	return len(verbsOf[resource]) > 0
}
