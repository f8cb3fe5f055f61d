// Package document writes the OpenAPI 3.1 document of an interface from a description of it: its operations with what they
// take, answer and fail with, its credentials, its error codes and its examples. It serves nothing, checks nothing and
// knows no route. Whoever serves an interface describes it here, and is responsible for the description being true.
package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/query"
	"tilth/adapters/http/schema"
)

// Interface is what the document is written from.
type Interface struct {
	Title, Version string
	Description    string // CommonMark
	Tags           []Tag
	Schemes        []Scheme                  // the credentials; the first is the usual one
	Codes          map[string]string         // error codes, with their meaning
	Schemas        map[string]map[string]any // JSON Schemas (2020-12) by the names that operations refer to
	MaxBulk        int                       // max items of a body with many records
	Operations     []Operation
	// Examples by operation id: bodies, which are JSON or the text of a file, and answers of success.
	Bodies  map[string]string
	Answers map[string]json.RawMessage
}

// Tag is a group of operations.
type Tag struct{ Name, Description string }

// Scheme is a credential and the place where it is sent.
type Scheme struct {
	Name        string // by which operations refer to it
	In          string // header, query or cookie; empty: as the token of the header Authorization
	Key         string // its name there
	Format      string // of a token
	Description string
}

// Document is an interface as an OpenAPI document.
type Document struct {
	of         Interface
	schemas    *schema.Set
	openapi    *huma.OpenAPI
	operations []*huma.Operation // in the order in which they were described
}

// Write writes the document of an interface. It panics on an example of an operation that does not exist, and on two
// different schemas with one name: these are mistakes in the program.
func Write(of Interface) *Document {
	d := &Document{of: of, schemas: schema.New()}
	d.schemas.DefineGeoJSON()
	query.Define(d.schemas)
	d.openapi = &huma.OpenAPI{
		OpenAPI:  "3.1.0",
		Info:     &huma.Info{Title: of.Title, Version: of.Version, Description: of.Description},
		Servers:  []*huma.Server{{URL: "/", Description: "The server that this document comes from."}},
		Security: []map[string][]string{{of.Schemes[0].Name: {}}},
		Components: &huma.Components{
			Schemas:         d.schemas.Registry,
			SecuritySchemes: map[string]*huma.SecurityScheme{},
			Headers:         headers(),
			Responses:       map[string]*huma.Response{failureResponse: failure()},
		},
		Paths: map[string]*huma.PathItem{},
	}
	for _, tag := range of.Tags {
		d.openapi.Tags = append(d.openapi.Tags, &huma.Tag{Name: tag.Name, Description: tag.Description})
	}
	for _, s := range of.Schemes {
		d.openapi.Components.SecuritySchemes[s.Name] = s.written()
	}
	d.schemas.Named(errorSchema, d.errorSchema())
	for name, form := range of.Schemas {
		d.schemas.Named(name, &huma.Schema{Extensions: form})
	}
	for _, op := range of.Operations {
		d.describe(op)
	}
	for _, id := range slices.Concat(slices.Collect(maps.Keys(of.Bodies)), slices.Collect(maps.Keys(of.Answers))) {
		if !slices.ContainsFunc(of.Operations, func(op Operation) bool { return op.ID == id }) {
			panic("document: an example is of no operation: " + id)
		}
	}
	d.shareParameters()
	return d
}

func (s Scheme) written() *huma.SecurityScheme {
	if s.In == "" {
		return &huma.SecurityScheme{Type: "http", Scheme: "bearer", BearerFormat: s.Format, Description: s.Description}
	}
	return &huma.SecurityScheme{Type: "apiKey", In: s.In, Name: s.Key, Description: s.Description}
}

// JSON returns the document as indented JSON; the same description makes the same bytes.
func (d *Document) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(d.openapi, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the OpenAPI document: %w", err)
	}
	return append(text, '\n'), nil
}

// YAML returns the document as YAML.
func (d *Document) YAML() ([]byte, error) { return d.openapi.YAML() }
