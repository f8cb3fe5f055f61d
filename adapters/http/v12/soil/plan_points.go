package soil

import (
	"bytes"
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
)

// maxPointFile bounds a file of points, which is held in memory.
const maxPointFile = 16 << 20

// held is a file in memory.
type held struct{ *bytes.Reader }

func (held) Close() error { return nil }

// registerPlanPoints adds the route that places the samples of a plan at the points of a file.
func registerPlanPoints(a *rest.API, plans *soil.Plans) {
	place := planRoute(http.MethodPost, plansPath+"{map_uuid}/points/", access.SamplePlans.Create.For("import_points"), "Take the samples of a plan at the points of a file")
	place.Description = "Takes the flags (`PNT` of type 1) in the fields of task data (ISO 11783-10), as `field/export/?format=isoxml` writes them for plans, and returns a new custom plan whose " +
		"samples lie there: not a probability sample, since the file states neither zones nor draws. Points with the name of a sample of the plan keep it, reserves and legacy points " +
		"stay, and points outside the area of interest are left out with a warning. Each zone needs a sample. If the file has the same points as the plan, the answer is the plan itself."
	place.Query = []rest.Param{{Name: "preview", Type: rest.Boolean, Description: "With true: stores nothing."}}
	place.MaxBody = maxPointFile
	place.Body = rest.FileBody(map[string]string{
		"application/zip": "Zipped task data.", "application/xml": "The main file of task data alone.", "application/octet-stream": "Either, told apart by the content.",
	})
	rest.Handle(a, place, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		Preview bool `query:"preview"`
	}) (Plan, error) {
		form.Previewed(c, in.Preview)
		made, err := plans.PlaceAt(ctx, c.Principal(), in.MapUUID, in.Preview, func() (soil.PlaceFile, error) {
			content, err := c.Body()
			return soil.PlaceFile{Media: form.MediaType(c), File: held{bytes.NewReader(content)}}, err
		})
		return showMade(ctx, c, plans, made, err)
	})
}
