package farm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tilth/adapters/http/v12/form"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

// MappedFrom is the source of a member of fields in an import.
type MappedFrom struct {
	Properties []string          `json:"properties" doc:"Properties of the features, in order; empty where the value is the same for all, or nothing is taken."`
	Separator  *string           `json:"separator" doc:"Goes between the values of several properties."`
	Values     map[string]string `json:"values" doc:"The values in the file and what they mean; null: they are taken unchanged. An empty text means nothing."`
	Default    *string           `json:"default" doc:"The value where the file has none."`
	Asked      bool              `json:"asked" doc:"The request names the source. Otherwise the property has the name of the member, as in files that Tilth exported."`
}

// FileProperty is a property of the features of a file.
type FileProperty struct {
	Name     string   `json:"name" doc:"Name of the property."`
	Features int64    `json:"features" doc:"Features that have a value for it."`
	Samples  []string `json:"samples" doc:"Up to three of its values, of up to 60 characters."`
	Members  []string `json:"members" doc:"Members of fields that are taken from it."`
}

func showMapping(m farm.Mapping) map[string]MappedFrom {
	out := make(map[string]MappedFrom, len(m))
	for member, s := range m {
		shown := MappedFrom{Properties: s.Properties, Values: s.Values, Default: form.OrNull(s.Default), Asked: s.Param != ""}
		if shown.Properties == nil {
			shown.Properties = []string{}
		}
		if len(s.Properties) > 1 {
			shown.Separator = new(s.Separator)
		}
		out[member] = shown
	}
	return out
}

func showProperties(found []ports.Property, m farm.Mapping) []FileProperty {
	out := make([]FileProperty, len(found))
	for i, p := range found {
		out[i] = FileProperty{p.Name, p.Features, append([]string{}, p.Samples...), []string{}}
		for _, member := range farm.Members() {
			if slices.Contains(m[member].Properties, p.Name) {
				out[i].Members = append(out[i].Members, member)
			}
		}
	}
	return out
}

// The parameters that define what is taken from a file.
const (
	paramMapping    = "mapping"
	paramMap        = "map"
	paramName       = "name_property"
	paramExternalID = "external_id_property"
	paramSeason     = "season_id"
)

// mappingReader collects what the parameters of a request define.
type mappingReader struct {
	mapping farm.Mapping
	errs    fault.Fields
}

// mappingOf returns what the parameters of a request take from a file. Unknown members are refused, or, if ignore is not nil,
// passed to it and ignored. Faults: Invalid, with code unknown_name.
func mappingOf(in importInput, short []string, ignore func(fault.Fields)) (farm.Mapping, error) {
	r := &mappingReader{mapping: farm.Mapping{}, errs: fault.Fields{}}
	r.whole(in.Mapping)
	for _, text := range short {
		r.short(text)
	}
	if in.NameProperty != "" {
		r.set("name", farm.Source{Properties: []string{in.NameProperty}, Param: paramName})
	}
	if in.ExternalIDProperty != "" {
		r.set("external_id", farm.Source{Properties: []string{in.ExternalIDProperty}, Param: paramExternalID})
	}
	if in.SeasonID != 0 {
		r.set("season_id", farm.Source{Default: strconv.FormatInt(in.SeasonID, 10), Param: paramSeason})
	}
	if ignore != nil && r.errs.OnlyUnknown() {
		ignore(r.errs)
		return r.mapping, nil
	}
	return r.mapping, r.errs.Err()
}

func (r *mappingReader) set(member string, source farm.Source) {
	if before, twice := r.mapping[member]; twice {
		param, _, _ := strings.Cut(source.Param, ".")
		r.errs.Addf(param, "%s has two sources, the other one in %s. Fix: state its source once.", member, before.Param)
		return
	}
	if source.Separator == "" {
		source.Separator = farm.DefaultSeparator
	}
	r.mapping[member] = source
}

// short reads a parameter such as external_id:REGION+NUMBER; without text after the colon, nothing is taken.
func (r *mappingReader) short(text string) {
	member, properties, ok := strings.Cut(text, ":")
	if !ok {
		r.errs.Addf(paramMap, "%.60q has no colon. Fix: write it as irrigated:BEWAESSERT, or external_id:REGION+NUMBER.", text)
		return
	}
	if !slices.Contains(farm.Members(), member) {
		unknown := fault.Fields{}
		unknown.Unknown(member, farm.Members())
		r.errs.Merge(fault.Fields{paramMap: unknown})
		return
	}
	source := farm.Source{Param: paramMap + "." + member}
	for _, p := range strings.Split(properties, "+") {
		if p = strings.TrimSpace(p); p != "" {
			source.Properties = append(source.Properties, p)
		}
	}
	r.set(member, source)
}

// whole reads a mapping as JSON.
func (r *mappingReader) whole(text string) {
	if text == "" {
		return
	}
	members, errs := map[string]json.RawMessage{}, fault.Fields{}
	if err := json.Unmarshal([]byte(text), &members); err != nil || members == nil {
		r.errs.Add(paramMapping, `This is not a JSON object. Fix: write it as {"irrigated": "BEWAESSERT", "external_id": ["REGION", "NUMBER"]}, percent-encoded.`)
		return
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(farm.Members(), member) {
			errs.Unknown(member, farm.Members())
			continue
		}
		source, wrong := sourceOf(members[member])
		if errs.Nest(member, wrong); len(wrong) == 0 {
			source.Param = paramMapping + "." + member
			r.set(member, source)
		}
	}
	r.errs.Nest(paramMapping, errs)
}

// sourceMembers are the members of a source that is given as an object.
var sourceMembers = []string{"property", "properties", "separator", "values", "default", "value"}

// sourceOf reads the source of a member: a property, several, or an object with more details.
func sourceOf(raw json.RawMessage) (out farm.Source, errs fault.Fields) {
	errs = fault.Fields{}
	var one string
	var members map[string]json.RawMessage
	switch {
	case json.Unmarshal(raw, &one) == nil && !bytes.Equal(raw, []byte("null")):
		out.Properties = []string{one}
		return out, errs
	case bytes.HasPrefix(raw, []byte("[")):
		readInto(raw, &out.Properties, fault.NonField, "A list of names of properties.", errs)
		return out, errs
	case bytes.Equal(raw, []byte("null")):
		return out, errs // nothing is taken
	case json.Unmarshal(raw, &members) != nil:
		errs.Add(fault.NonField, "The name of a property, a list of names, or an object with property or properties.")
		return out, errs
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		switch name {
		case "property":
			readInto(value, &one, name, "The name of a property.", errs)
			out.Properties = append(out.Properties, one)
		case "properties":
			var several []string
			readInto(value, &several, name, "A list of names of properties.", errs)
			out.Properties = append(out.Properties, several...)
		case "separator":
			readInto(value, &out.Separator, name, "A text.", errs)
		case "values":
			out.Values = valuesOf(value, errs)
		case "default", "value":
			out.Default = scalarOf(value, name, errs)
		default:
			errs.Unknown(name, sourceMembers)
		}
	}
	_, has := members["value"]
	errs.AddIf(has && len(members) > 1, "value", "It is the same for every feature, and cannot be combined with others. Fix: use default for features where the file has no value.")
	errs.AddIf(!has && len(out.Properties) == 0 && len(errs) == 0, fault.NonField, "It has none of property, properties and value.")
	return out, errs
}

func readInto(raw json.RawMessage, to any, name, want string, errs fault.Fields) {
	if json.Unmarshal(raw, to) != nil {
		errs.Add(name, want)
	}
}

// valuesOf reads a translation from texts of the file to values of the member.
func valuesOf(raw json.RawMessage, errs fault.Fields) map[string]string {
	var values map[string]json.RawMessage
	if readInto(raw, &values, "values", `An object of the values in the file and what they mean, as {"J": true, "N": false}.`, errs); values == nil {
		return nil
	}
	out, wrong := make(map[string]string, len(values)), fault.Fields{}
	for text, meaning := range values {
		out[strings.TrimSpace(text)] = scalarOf(meaning, text, wrong)
	}
	errs.Nest("values", wrong)
	return out
}

// scalarOf reads a text, a number, true or false; null means nothing.
func scalarOf(raw json.RawMessage, name string, errs fault.Fields) string {
	var text string
	switch {
	case bytes.HasPrefix(raw, []byte("{")), bytes.HasPrefix(raw, []byte("[")):
		errs.Add(name, "A text, a number, true, false or null.")
	case bytes.Equal(raw, []byte("null")):
	case json.Unmarshal(raw, &text) == nil:
		return text
	default:
		return string(raw)
	}
	return ""
}
