package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"tilth/core/access"
)

// document is the part of the interface document that the pages use.
type document struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]struct {
			Description string `json:"description"`
		} `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Summary    string   `json:"summary"`
	Tags       []string `json:"tags"`
	Permission string   `json:"x-permission"`
	Body       struct {
		Content map[string]any `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]any `json:"content"`
	} `json:"responses"`
}

// call is an operation at its address.
type call struct {
	method, path string
	operation
}

func readDocument(file string) (*document, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var d document
	return &d, json.Unmarshal(text, &d)
}

// calls returns all operations, by their addresses.
func (d *document) calls() []call {
	var out []call
	for path, methods := range d.Paths {
		for method, op := range methods {
			out = append(out, call{strings.ToUpper(method), strings.TrimPrefix(path, "/api/v1.2/"), op})
		}
	}
	slices.SortFunc(out, func(a, b call) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.method, b.method)) })
	return out
}

// String returns the operation as one types it.
func (c call) String() string { return code(c.method + " " + c.path) }

// errorCodes describes the codes in responses of failure, which programs read.
func errorCodes(d *document) string {
	_, list, _ := strings.Cut(d.Components.Schemas["ErrorCode"].Description, "\n\n")
	var b strings.Builder
	b.WriteString("# Error codes\n\n")
	b.WriteString("`code` in an error answer is a stable word for programs; its `message` is for people, and may change. With\n" +
		"`details` the answer says which members are wrong, or what the error depends on ([how a request is read](requests.md)).\n\n")
	b.WriteString(head("code", "meaning"))
	for line := range strings.SplitSeq(list, "\n") {
		word, meaning, _ := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		b.WriteString(row(word, cell(meaning)))
	}
	b.WriteString("\nNext: [a first request](first-request.md#when-something-goes-wrong).\n")
	return b.String()
}

// permissions describes every slug: the roles of a new company that have it, and the operations that need it.
func permissions(d *document) string {
	needs := map[string][]string{}
	for _, c := range d.calls() {
		needs[c.Permission] = append(needs[c.Permission], c.String())
	}
	var b strings.Builder
	b.WriteString("# Permissions\n\n")
	b.WriteString("A role is a list of slugs. `field.*` stands for all verbs of a resource, `*.view` for one verb of all resources, and `*` for\n" +
		"everything; only `*` and its own slug cover the audit trail. Every company begins with the roles `owner`, `editor` and\n" +
		"`viewer`, and can create others. An operation without a slug is open to every user of the company.\n\n")
	b.WriteString(head("slug", "roles of a new company", "operations"))
	for _, slug := range access.KnownSlugs() {
		var roles []string
		for _, role := range access.DefaultRoles() {
			if slices.ContainsFunc(role.Slugs, func(pattern string) bool { return access.Match(pattern, slug) }) {
				roles = append(roles, role.Name)
			}
		}
		b.WriteString(row(code(string(slug)), strings.Join(roles, ", "), strings.Join(needs[string(slug)], ", ")))
	}
	b.WriteString("\nNext: [what companies share](sharing.md), and [users and roles](operating.md#users-roles-and-invitations).\n")
	return b.String()
}

// formats describes the media types besides JSON that are accepted and returned.
func formats(d *document) string {
	taken, answered := map[string][]string{}, map[string][]string{}
	for _, c := range d.calls() {
		for media := range c.Body.Content {
			taken[media] = append(taken[media], c.String())
		}
		for media := range c.answers() {
			answered[media] = append(answered[media], c.String())
		}
	}
	var b strings.Builder
	b.WriteString("# Formats\n\n")
	b.WriteString("What is accepted and answered in addition to `application/json`. Of several formats the answer is chosen by `Accept`, or by\n" +
		"`?format=` in an address. What is in each file: [outlines](outlines.md), [workbooks](workbooks.md), [maps](maps.md),\n" +
		"[sampling](stratification-files.md).\n\n")
	for _, media := range slices.Sorted(maps.Keys(union(taken, answered))) {
		if media == "application/json" {
			continue
		}
		b.WriteString("## " + media + "\n\n" + head("direction", "operations"))
		if calls := taken[media]; len(calls) > 0 {
			b.WriteString(row("taken", strings.Join(calls, ", ")))
		}
		if calls := answered[media]; len(calls) > 0 {
			b.WriteString(row("answered", strings.Join(calls, ", ")))
		}
		b.WriteString("\n")
	}
	b.WriteString("Next: [outlines in and out](outlines.md).\n")
	return b.String()
}

// answers returns the media types of an operation's successful responses.
func (c call) answers() map[string]bool {
	out := map[string]bool{}
	for status, response := range c.Responses {
		if strings.HasPrefix(status, "2") {
			for media := range response.Content {
				out[media] = true
			}
		}
	}
	return out
}

func union(all ...map[string][]string) map[string]bool {
	out := map[string]bool{}
	for _, one := range all {
		for key := range one {
			out[key] = true
		}
	}
	return out
}
