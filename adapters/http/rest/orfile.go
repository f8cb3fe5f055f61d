package rest

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// OrFile is the data of the success envelope, or a file in its place, for callers that ask
// for one in the query. The route names the content types of its files in Media.
type OrFile[R any] struct {
	Data R
	File *Raw // nil: the data
}

func (o OrFile[R]) answer(c *Call) error {
	if o.File != nil {
		return o.File.answer(c)
	}
	return data{o.Data}.answer(c)
}

func (OrFile[R]) schema(s *schemas) *huma.Schema { return s.of(reflect.TypeFor[R]()) }
