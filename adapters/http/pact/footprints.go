package pact

import (
	"context"
	"net/http"
	"strconv"

	"tilth/adapters/http/pact/criteria"
	"tilth/adapters/http/rest"
	"tilth/app/ghg/exchange"
	"tilth/core/fault"
	"tilth/core/footprint"
)

// FootprintList is a page of footprints.
type FootprintList struct {
	Data []footprint.Document `json:"data" doc:"Footprints on the page."`
}

// OneFootprint is one footprint.
type OneFootprint struct {
	Data footprint.Document `json:"data" doc:"The footprint."`
}

func (r routes) registerFootprints() {
	list := rest.Route{
		Method: http.MethodGet, Path: listPath, OperationID: "pact_list_footprints", Summary: "List footprints", Tag: tag,
		Description: "The footprints that the company published, including deprecated ones, in the order of publication. Values of one criterion are alternatives; every criterion must hold. " +
			"Where there are more, `Link` leads to the next page (`rel=\"next\"`); it remains valid.",
		Query: []rest.Param{
			{Name: criteria.LimitParam, Type: rest.Integer, Description: "The maximum number of footprints; default and upper bound: " + strconv.Itoa(exchange.MaxPage) + "."},
			{Name: "productId", Type: rest.String, Many: true, Description: "URN of the product, whatever its case."},
			{Name: "companyId", Type: rest.String, Many: true, Description: "URN of the company, whatever its case."},
			{Name: "geography", Type: rest.String, Many: true, Description: "Region, country or subdivision, as the footprint states it."},
			{Name: "classification", Type: rest.String, Many: true, Description: "URN of a classification, whatever its case."},
			{Name: "validOn", Type: rest.String, Description: "A time at which it is valid (RFC 3339)."},
			{Name: "validAfter", Type: rest.String, Description: "Its validity starts after this time."},
			{Name: "validBefore", Type: rest.String, Description: "Its validity ends before this time."},
			{Name: "status", Type: rest.String, Many: true, Description: "Active or Deprecated; left out: both."},
			{Name: criteria.AfterParam, Type: rest.UUID, Description: "Set by the link to the next page: the footprint after which that page begins."},
		},
	}
	rest.Handle(r.api, list, r.list)
	rest.Handle(r.api, rest.Route{
		Method: http.MethodGet, Path: listPath + "/{id}", OperationID: "pact_get_footprint", Summary: "Retrieve a footprint", Tag: tag,
		Description: "Deprecated ones can be retrieved, too.", Noun: "footprint",
	}, func(ctx context.Context, c *rest.Call, in struct {
		ID string `path:"id,uuid"`
	}) (rest.Bare[OneFootprint], error) {
		found, err := r.use.Get(ctx, callerOf(c), in.ID)
		return rest.Bare[OneFootprint]{Data: OneFootprint{found}}, err
	})
}

func (r routes) list(ctx context.Context, c *rest.Call, _ struct{}) (rest.Bare[FootprintList], error) {
	given, err := c.Query()
	if err != nil {
		return rest.Bare[FootprintList]{}, fault.New(fault.Invalid, "bad_request", "The query string is not well-formed; percent-encode its contents.")
	}
	q, err := criteria.Read(given)
	if err != nil {
		return rest.Bare[FootprintList]{}, err
	}
	page, err := r.use.List(ctx, callerOf(c), q.Filter, q.After, q.Limit)
	if err != nil {
		return rest.Bare[FootprintList]{}, err
	}
	if page.Next != "" {
		given.Set(criteria.LimitParam, strconv.Itoa(q.Limit))
		given.Set(criteria.AfterParam, page.Next)
		c.SetHeader("Link", "<"+c.Link(listPath)+"?"+given.Encode()+`>; rel="next"`)
	}
	return rest.Bare[FootprintList]{Data: FootprintList{page.Footprints}}, nil
}
