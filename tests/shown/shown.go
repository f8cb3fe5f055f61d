// Package shown makes maps of zones and sample plans for the tests of what shows them: files
// and pictures.
package shown

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	soilplan "tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// Case describes a map and a plan.
type Case struct {
	Name    string
	Fields  []Field
	Zones   int
	Samples int
	EPSG    int // 0: 32631
	Legacy  int // points that the plan keeps
	// The ends of its journey, from easting 500,000 and northing 5,400,000; there is no journey where both are nil.
	Start, End *geo.Position
}

// Field is an irregular field around a place in the plane, possibly with a pond in it.
type Field struct {
	Name       string
	X, Y, Size float64 // metres, from easting 500,000 and northing 5,400,000 or Case's own
	Pond       bool
}

// One is a single field with a pond, three zones, 24 samples.
var One = Case{Name: "North farm", Fields: []Field{{"Long acre", 0, 0, 420, true}}, Zones: 3, Samples: 24}

// Scattered is an area of interest of several fields far from each other.
var Scattered = Case{Name: "Ferme de l'Étang & <fils>", Zones: 4, Samples: 32, Fields: []Field{
	{"Поле № 1", 0, 0, 300, false}, {"Pièce \"à côté\"", 480, 60, 250, false}, {"农田", 6000, -2500, 380, true}, {"Αγρός", -4200, 5200, 260, false},
}}

// Many has eight zones and sixty samples in two neighbouring fields.
var Many = Case{Name: "Eight zones", Fields: []Field{{"West", 0, 0, 700, true}, {"East", 1100, 100, 600, false}}, Zones: 8, Samples: 60}

// Repeated keeps three points from before; its journey starts beside the field and ends far away.
var Repeated = Case{
	Name: "Second round", Fields: []Field{{"Long acre", 0, 0, 420, true}}, Zones: 3, Samples: 12, Legacy: 3,
	Start: &geo.Position{X: -360, Y: 100}, End: &geo.Position{X: 9000, Y: 7000},
}

// North lies at 69 degrees north, where a degree of longitude is a third of one of latitude.
var North = Case{Name: "Tromsø", Fields: []Field{{"Nord", 0, 2_255_000, 420, false}}, Zones: 2, Samples: 12}

// outline returns the field's outline in the plane.
func (f Field) outline() geo.MultiPolygon {
	ring := func(size, waves float64, turn int) geo.Ring {
		var out geo.Ring
		const corners = 48
		for i := range corners + 1 {
			angle := float64(turn) * 2 * math.Pi * float64(i%corners) / corners
			r := size * (1 + 0.12*math.Sin(3*angle+waves) + 0.05*math.Sin(7*angle))
			out = append(out, geo.Position{X: 500_000 + f.X + 1.4*r*math.Cos(angle), Y: 5_400_000 + f.Y + r*math.Sin(angle)})
		}
		return out
	}
	polygon := geo.Polygon{ring(f.Size/2, f.X, 1)}
	if f.Pond {
		polygon = append(polygon, ring(f.Size/12, 1, -1))
	}
	return geo.MultiPolygon{polygon}
}

var (
	making sync.Mutex
	made   = map[string]ports.ShownPlan{} // by the name of the case
)

// Plan returns the map and the plan of a case, made once with the rules that make those of orders. The caller may
// change names and settings, but not the zones and points.
func Plan(t testing.TB, c Case) ports.ShownPlan {
	t.Helper()
	making.Lock()
	defer making.Unlock()
	plan, ok := made[c.Name]
	if !ok {
		plan = planOf(t, c)
		made[c.Name] = plan
	}
	plan.Fields = slices.Clone(plan.Fields)
	return plan
}

func planOf(t testing.TB, c Case) ports.ShownPlan {
	t.Helper()
	epsg := c.EPSG
	if epsg == 0 {
		epsg = 32631
	}
	utm, err := geo.NewUTM(epsg)
	require.NoError(t, err)
	var out ports.ShownPlan
	var land []geo.MultiPolygon
	for _, f := range c.Fields {
		field := utm.Unproject(f.outline()).Rounded(7)
		land = append(land, field)
		out.Fields = append(out.Fields, ports.ShownField{Name: f.Name, Outline: field})
	}
	frame, err := frame.New(nil, land, frame.Options{CellSize: 10, EPSG: epsg})
	require.NoError(t, err)
	params := zoning.DefaultParams()
	params.MinZones, params.MaxZones, params.Seed, params.Starts, params.MaxSamples = c.Zones, c.Zones, 42, 5, 1000
	params.MinZoneAreaHa = 0.1
	result, err := zoning.Zones(t.Context(), &frame, layersOf(&frame), params, zoning.Work{Workers: 1})
	require.NoError(t, err)
	require.Len(t, result.Candidates, 1, result.Reason)
	require.Len(t, result.Candidates[0].Zones, c.Zones)
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	aoi := stratification.AOIRef{ID: 7, UUID: "6f1c8a52-90f4-4b7e-8d5e-1d2f3a4b5c6d", Name: c.Name}
	out.Stem = fmt.Sprintf("area-k%d", c.Zones)
	out.Map = zoning.Map{ID: 1, OrderID: 3, AOI: aoi, Candidate: result.Candidates[0], CreatedAt: at, About: result.About}
	choices := soilplan.DefaultParams()
	choices.Samples, choices.Seed = c.Samples, 9_007_199_254_740_991
	for i := range c.Legacy {
		choices.Legacy = append(choices.Legacy, frame.Centre((i+1)*len(frame.Cells)/(c.Legacy+1)))
	}
	end := func(at *geo.Position) *soilplan.Terminus {
		if at == nil {
			return nil
		}
		place := geo.Position{X: 500_000 + at.X, Y: 5_400_000 + at.Y}
		return &soilplan.Terminus{At: place, LonLat: *frame.RoundedLonLat(place)}
	}
	choices.Journey = soilplan.Journey{Start: end(c.Start), End: end(c.End)}
	plan, err := soilplan.New(nil, &frame, &result.Candidates[0].Zoning, choices)
	require.NoError(t, err)
	out.Plan = soilplan.SamplePlan{ID: 2, OrderID: 3, Map: out.Map, AOI: aoi, Plan: plan, CreatedAt: at}
	out.Address, out.Round = "https://tilth.example/api/v1.2/link/BwLq3nZ0nXnqz1x0Qp2r6V8o/", 1
	samples, err := sample.OfPlan(out.Plan, []sample.Depth{sample.DepthOf(0, 30), sample.DepthOf(30, 60)}, 1, nil)
	require.NoError(t, err)
	for i, s := range samples {
		out.Labels = append(out.Labels, ports.ShownLabel{Sample: *s, Address: fmt.Sprintf("https://tilth.example/api/v1.2/link/CAaBn5uEo2mYlC3sYk0d%04d/", i)})
	}
	return out
}

// layersOf returns two smooth layers.
func layersOf(f *frame.Frame) []layer.Layer {
	ndvi, clay := layer.Layer{Name: "ndvi_mean"}, layer.Layer{Name: "clay_content"}
	for i := range f.Cells {
		c := f.Centre(i)
		x, y := (c.X-500_000)/170, (c.Y-5_400_000)/130
		ndvi.Values = append(ndvi.Values, 0.6+0.2*math.Sin(x)+0.1*math.Cos(y))
		clay.Values = append(clay.Values, 22+6*math.Cos(0.7*x-y))
	}
	return []layer.Layer{ndvi, clay}
}
