package form

import (
	"slices"

	"tilth/adapters/http/rest"
	"tilth/app/external"
	"tilth/core/record"
)

// External states where a record came from.
type External struct {
	ExternalID string `json:"external_id" required:"false" maxLength:"255" doc:"The record's key in the system it came from. Only one live record of this kind in a company can have it."`
	Source     string `json:"source" required:"false" maxLength:"255" doc:"The system it came from, in your own words."`
}

// Record returns the origin of a record of the core.
func (e External) Record() record.External {
	return record.External{ExternalID: e.ExternalID, Source: e.Source}
}

// ExternalOf returns the origin of a record of the core for an answer.
func ExternalOf(e record.External) External { return External{e.ExternalID, e.Source} }

// ExternalID is the word for [rest.OnConflictParam] for records that are matched by their external id. SameExternal
// describes when such a record exists.
const (
	ExternalID   = "external_id"
	SameExternal = "a live record of your company with the same `external_id`"
)

// WithExternalID adds the key of the record in another system, and further parameters; to a list of records also their ids.
func WithExternalID(params []rest.Param, more ...rest.Param) []rest.Param {
	if !slices.ContainsFunc(append(slices.Clone(params), more...), func(p rest.Param) bool { return p.Name == IDsParam.Name }) {
		params = append(params, IDsParam)
	}
	return append(append(params, rest.Param{
		Name: ExternalID, Type: rest.Texts, Description: "The record's key in the system it came from, exactly; several are separated by commas.",
	}), more...)
}

// Keys are the parameters of [WithExternalID] for a list that is not a generic one.
type Keys struct {
	IDs         []int64  `query:"id"`
	ExternalIDs []string `query:"external_id"`
}

// Origin is the origin of a record whose body is a file.
type Origin struct {
	ExternalID string `query:"external_id"`
	Source     string `query:"source"`
}

// Chosen returns the records that the parameters name.
func (k Keys) Chosen() external.Chosen { return external.Chosen{IDs: k.IDs, Keys: k.ExternalIDs} }

// Record returns the origin of a record of the core.
func (o Origin) Record() record.External { return External(o).Record() }

// OriginParams are the parameters of [Origin].
func OriginParams() []rest.Param {
	return []rest.Param{
		{Name: ExternalID, Type: rest.String, Description: "The record's key in the system it came from. Only one live record of this kind in a company can have it."},
		{Name: "source", Type: rest.String, Description: "The system it came from, in your own words."},
	}
}
