package satellite

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/vegetation"
	"tilth/ports"
)

func showSmoothed(s vegetation.Series) *[]ProfilePoint {
	days := slices.Concat(s.Smoothed()...)
	return new(form.Each(days, func(p vegetation.Point) ProfilePoint { return ProfilePoint{rest.DateOf(p.Date), p.Value} }))
}

// profileFiles are the files of a profile.
var profileFiles = []struct{ name, format, media, summary, description string }{
	{"chart.svg", ports.SVG, "image/svg+xml", "The profile as a picture, SVG", chartText},
	{"chart.png", ports.PNG, "image/png", "The profile as a picture, PNG", chartText},
	{"export.csv", satellite.CSV, form.MediaCSV, "The profile as a table, CSV", "A line a date, accepted and rejected ones in one order: " +
		"date, value, status, reason, coverage, n_valid, n_polygon, median, std, min, max, p10, p90, items (separated by spaces). " +
		"A rejected date has its reason, and neither a value nor statistics."},
}

const chartText = "The accepted dates as points, the smoothed line, the rejected dates as ticks on the axis, the season shaded. " +
	"Where there is no accepted date, the picture says why."

func registerProfileFiles(a *rest.API, files *satellite.ProfileFiles) {
	for _, kind := range profileFiles {
		media, _, _ := strings.Cut(kind.media, ";")
		route := rest.Route{
			Method: http.MethodGet, Path: ordersPath + "{id}/" + kind.name, OperationID: "vi_profile_order_" + strings.ReplaceAll(kind.name, ".", "_"),
			Summary: kind.summary, Description: kind.description + "\n\n" + waitingText, Tag: profileTag, Noun: "order",
			Permission: access.ProfileOrders.View.For("retrieve"), Query: []rest.Param{form.ShareParam, indexParam}, Media: []string{media},
		}
		rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in profileInput) (rest.Raw, error) {
			index, err := in.index()
			if err != nil {
				return rest.Raw{}, err
			}
			file, err := files.File(ctx, c.Principal(), satellite.ProfileFileRequest{
				Shared: in.Share, ID: in.ID, Index: index, Format: kind.format, Wait: waitGiven(c),
			})
			sayLater(c, file.Order)
			out := rest.Raw{ContentType: kind.media, Write: file.Write}
			if kind.format == ports.SVG {
				c.SetHeader("Content-Security-Policy", form.DrawingPolicy)
			}
			if kind.format == satellite.CSV {
				out.Filename = fmt.Sprintf("profile-%d-%s.csv", in.ID, strings.ToLower(file.Order.Index))
			}
			return out, err
		})
	}
}
