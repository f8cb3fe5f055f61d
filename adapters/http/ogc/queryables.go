package ogc

import "tilth/adapters/http/rest"

// Queryables are the properties that features can be filtered by, as a JSON Schema.
type Queryables struct {
	Schema     string               `json:"$schema" format:"uri" doc:"The dialect of JSON Schema."`
	ID         string               `json:"$id" format:"uri" doc:"The address of this schema."`
	Type       string               `json:"type" enum:"object" doc:"The type of the object."`
	Title      string               `json:"title" doc:"A title for people."`
	Properties map[string]Queryable `json:"properties" doc:"The properties by name."`
	Additional bool                 `json:"additionalProperties" doc:"false: there are no other filters."`
}

// Queryable is a property that features can be filtered by.
type Queryable struct {
	Title  string `json:"title" doc:"A title for people."`
	Type   string `json:"type,omitempty" doc:"integer, string or boolean."`
	Format string `json:"format,omitempty" doc:"For the geometry: geometry-any."`
}

func (k kind[R, T, P]) queryables(c *rest.Call) Queryables {
	out := Queryables{
		Schema: "https://json-schema.org/draft/2020-12/schema", ID: c.Link(k.path() + "/queryables"), Type: "object", Title: k.title,
		Properties: map[string]Queryable{"geometry": {Title: "The geometry; filter it with bbox.", Format: "geometry-any"}},
	}
	for _, f := range k.filters {
		out.Properties[f.Name] = Queryable{Title: f.Description, Type: string(f.Type)}
	}
	return out
}
