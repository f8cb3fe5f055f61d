package render_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render"
	"tilth/core/geo"
	"tilth/ports"
	"tilth/tests/leaving"
	"tilth/tests/shown"
)

// dense returns an outline with many vertices on each edge.
func dense(m geo.MultiPolygon, times int) (out geo.MultiPolygon) {
	for _, polygon := range m {
		var rings geo.Polygon
		for _, ring := range polygon {
			dense := geo.Ring{ring[0]}
			for i := 1; i < len(ring); i++ {
				a, b := ring[i-1], ring[i]
				for k := range times {
					share := float64(k+1) / float64(times)
					dense = append(dense, geo.Position{X: a.X + share*(b.X-a.X), Y: a.Y + share*(b.Y-a.Y)})
				}
			}
			rings = append(rings, dense)
		}
		out = append(out, rings)
	}
	return out
}

// A picture or a document whose caller has left is drawn no further, and none of it is written.
func TestDrawingEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.One)
	for i := range plan.Fields {
		plan.Fields[i].Outline = dense(plan.Fields[i].Outline, 5_000)
	}
	doc := document(t, "North", nil)
	for name, draw := range map[string]func(ctx context.Context, out *bytes.Buffer) error{
		"zones": func(ctx context.Context, out *bytes.Buffer) error {
			return render.Charts{}.DrawZones(ctx, out, ports.SVG, plan.ShownMap)
		},
		"plan": func(ctx context.Context, out *bytes.Buffer) error {
			return render.Charts{}.DrawPlan(ctx, out, ports.PNG, plan)
		},
		"sheet": func(ctx context.Context, out *bytes.Buffer) error {
			return render.Charts{}.DrawSheet(ctx, out, ports.PaperA4, plan)
		},
		"report": func(ctx context.Context, out *bytes.Buffer) error {
			return render.Documents{}.PrintImpact(ctx, out, doc)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leaving.Asks(t, 2, func(ctx context.Context) error {
				var out bytes.Buffer
				err := draw(ctx, &out)
				if err != nil {
					require.Zero(t, out.Len())
				}
				return err
			})
		})
	}
}
