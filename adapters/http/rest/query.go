package rest

import "tilth/adapters/http/query"

// The types with which routes and handlers describe a query; the package query reads it.
type (
	// Param is one query parameter of a route.
	Param = query.Param
	// Values are the query parameters of a request, read as their route declares them.
	Values = query.Values
	// PageSpec is the part of a list that a caller asks for.
	PageSpec = query.PageSpec
)

// The types of query parameters.
const (
	Integer   = query.Integer
	Number    = query.Number
	String    = query.String
	Boolean   = query.Boolean
	DateType  = query.Date
	Timestamp = query.Timestamp
	UUID      = query.UUID
	IDs       = query.IDs
	Texts     = query.Texts
	Box       = query.Box
	Limit     = query.Limit
)
