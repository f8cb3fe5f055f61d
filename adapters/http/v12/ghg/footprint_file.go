package ghg

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"tilth/adapters/http/rest"
	ghgapp "tilth/app/ghg"
	"tilth/app/ghg/exchange"
	"tilth/core/fault"
	"tilth/core/footprint"
)

// pactFormat is the format of a product footprint.
const pactFormat = "pact"

// footprintQuery is what the footprint of an unpublished version is made with.
type footprintQuery struct {
	Product  string   `query:"product_ids"`
	Standard string   `query:"cross_sectoral_standards"`
	Exempted *float64 `query:"exempted_emissions_percent"`
}

var footprintParams = []rest.Param{
	{Name: "product_ids", Type: rest.String, Description: "With format=pact, for a version that is not published: a URN that identifies the product, such as urn:gtin:4712345060507."},
	{Name: "cross_sectoral_standards", Type: rest.String, Description: "Likewise: a standard that the footprint complies with, such as ISO14067."},
	{Name: "exempted_emissions_percent", Type: rest.Number, Description: "Likewise: emissions that are left out under an exemption rule, per cent."},
}

func (r assessmentRoutes) footprint(ctx context.Context, c *rest.Call, in reportInput) (rest.OrFile[AssessmentReport], error) {
	var out rest.OrFile[AssessmentReport]
	of := exchange.VersionOf{Assessment: in.ID}
	switch {
	case in.Basis == ghgapp.BasisLive:
		return out, fault.Field("basis", "A footprint is of a submitted version. Fix: leave basis out, or give submitted.")
	case in.Version != nil && *in.Version < 1:
		return out, fault.Field(versionParam.Name, "Give the number of a version, from 1.")
	case in.Version != nil:
		of.Number = int(*in.Version)
	}
	terms := footprint.Terms{ExemptedPercent: in.Exempted}
	if in.Product != "" {
		terms.ProductIDs = []string{in.Product}
	}
	if in.Standard != "" {
		terms.Standards = []string{in.Standard}
	}
	found, err := r.footprints.Footprint(ctx, c.Principal(), in.Share, of, terms)
	if err != nil {
		return out, err
	}
	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return out, fmt.Errorf("encode a footprint: %w", err)
	}
	out.File = &rest.Raw{
		ContentType: "application/json", Filename: fmt.Sprintf("footprint-%s.json", found.ID),
		Write: func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err },
	}
	return out, nil
}
