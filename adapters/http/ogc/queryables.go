package ogc

import "tilth/adapters/http/rest"

// Queryables are the properties that features can be filtered by, as a JSON Schema.
type Queryables struct {
	Schema     string               `json:"$schema" format:"uri" doc:"The kind of schema."`
	ID         string               `json:"$id" format:"uri" doc:"The address of this schema."`
	Type       string               `json:"type" enum:"object" doc:"What it is."`
	Title      string               `json:"title" doc:"For people."`
	Properties map[string]Queryable `json:"properties" doc:"By name."`
	Additional bool                 `json:"additionalProperties" doc:"false: other properties narrow nothing."`
}

// Queryable is a property that features can be filtered by.
type Queryable struct {
	Title  string `json:"title" doc:"For people."`
	Type   string `json:"type,omitempty" doc:"integer, string or boolean."`
	Format string `json:"format,omitempty" doc:"Of the geometry: geometry-any."`
}

func (k kind[R, T, P]) queryables(c *rest.Call) Queryables {
	out := Queryables{
		Schema: "https://json-schema.org/draft/2020-12/schema", ID: c.Link(k.path() + "/queryables"), Type: "object", Title: k.title,
		Properties: map[string]Queryable{"geometry": {Title: "Where it lies, by bbox.", Format: "geometry-any"}},
	}
	for _, f := range k.filters {
		out.Properties[f.Name] = Queryable{Title: f.Description, Type: string(f.Type)}
	}
	return out
}
