package document

import (
	"cmp"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

func (op Operation) parameters() []*huma.Param {
	var out []*huma.Param
	for _, name := range op.Path {
		out = append(out, &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
			Description: "Anything that is not a valid identifier is answered with 404."})
	}
	for _, p := range op.Query {
		param := &huma.Param{Name: p.Name, In: "query", Required: p.Required, Description: p.Description, Schema: p.Schema()}
		if p.Listed() {
			param.Explode = new(false)
		}
		out = append(out, param)
	}
	for _, h := range op.Headers {
		out = append(out, &huma.Param{Name: h.Name, In: "header", Description: h.Description, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	return out
}

// sharedBy is the number of operations from which on a parameter is described once, under its name.
const sharedBy = 5

// shareParameters describes parameters of many operations once. Of several with one name, the one with the most operations is shared.
func (d *Document) shareParameters() {
	uses := map[string][]**huma.Param{} // by the text of their description
	for _, op := range d.operations {
		for i, p := range op.Parameters {
			text, _ := p.MarshalJSON() // made of texts and numbers
			uses[string(text)] = append(uses[string(text)], &op.Parameters[i])
		}
	}
	texts := slices.SortedFunc(maps.Keys(uses), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(uses[y]), len(uses[x])), cmp.Compare(x, y))
	})
	shared := map[string]*huma.Param{}
	for _, text := range texts {
		p := *uses[text][0]
		name := typeName(p.Name, "Param")
		if len(uses[text]) < sharedBy || p.In == "path" || shared[name] != nil {
			continue
		}
		shared[name] = p
		for _, use := range uses[text] {
			*use = &huma.Param{Ref: "#/components/parameters/" + name}
		}
	}
	d.openapi.Components.Parameters = shared
}
