package ogc

import (
	"tilth/adapters/http/ogc/parameter"
	"tilth/adapters/http/query"
	"tilth/app/features"
	"tilth/core/fault"
	"tilth/ports"
)

// Messages about an invalid box and about invalid times.
const (
	noBox  = "Give west, south, east and north in degrees, separated by commas: longitudes from -180 to 180, latitudes from -90 to 90."
	noSpan = "Give a time as 2026-03-01T12:00:00Z or a day as 2026-03-01; or two in order, separated by a slash, one of which may be .. for open."
)

// queryOf reads the parameters of a page. Faults: Invalid.
func queryOf(given map[string]any, filters []filter) (q features.Query, err error) {
	errs := fault.Fields{}
	q.Limit = query.DefaultLimit
	if n, ok := given[limitParam].(int64); ok {
		q.Limit = int(n)
	}
	if text, ok := given[bboxParam].(string); ok {
		q.Boxes = parameter.ParseBox(text)
		errs.AddIf(q.Boxes == nil, bboxParam, noBox)
	}
	if text, ok := given[timeParam].(string); ok {
		q.Span = parameter.ParseSpan(text)
		errs.AddIf(q.Span == nil, timeParam, noSpan)
	}
	q.After, q.Before = place(given, afterParam, errs), place(given, beforeParam, errs)
	errs.AddIf(q.After != nil && q.Before != nil, beforeParam, "Cannot be combined with after.")
	for _, f := range filters {
		if value := given[f.Name]; value != nil {
			q.Filters = append(q.Filters, ports.Filter{Name: f.name(), Value: value})
		}
	}
	return q, errs.Err()
}

func (f filter) name() string {
	if f.as == "" {
		return f.Name
	}
	return f.as
}

// place reads the feature that a page begins after or ends before.
func place(given map[string]any, param string, errs fault.Fields) *features.ID {
	text, ok := given[param].(string)
	if !ok {
		return nil
	}
	id, ok := parameter.ParseID(text)
	errs.AddIf(!ok, param, "Use the link to the neighbouring page unchanged.")
	return &id
}
