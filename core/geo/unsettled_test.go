package geo_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

// unsettled are three fields in metres, the last along an edge of the first: moving their crossings makes others again and again.
const unsettled = `[
	{"type":"Polygon","coordinates":[[[500089,-46],[500094,-19],[500068,-4],[500062,25],[500029,16],[500007,-4],[499993,-4],[499959,37],[499954,1],[499918,3],[499906,-21],[499904,-48],[499903,-75],[499914,-100],[499953,-99],[499950,-140],[499975,-150],[500001,-105],[500027,-144],[500048,-129],[500074,-121],[500047,-77],[500099,-73],[500089,-46]]]},
	{"type":"Polygon","coordinates":[[[500100,10],[500092,41],[500054,49],[500051,87],[500011,50],[499991,101],[499960,93],[499960,47],[499947,33],[499902,23],[499939,-5],[499934,-27],[499925,-65],[499954,-76],[499988,-53],[500005,-49],[500032,-73],[500064,-71],[500086,-50],[500098,-21],[500100,10]],[[500019,8],[500013,-14],[499990,-14],[499981,6],[499999,13],[500019,8]]]},
	{"type":"Polygon","coordinates":[[[500089,-46],[500117.85,-41.01],[500094,-19],[500090.85,-36.01],[500089,-46]]]}
]`

// Outlines whose crossings move one another come to rest.
func TestUnionOfOutlinesThatMoveEachOther(t *testing.T) {
	t.Parallel()
	var fields []geo.MultiPolygon
	require.NoError(t, json.Unmarshal([]byte(unsettled), &fields))
	whole, err := geo.Union(nil, fields...)
	require.NoError(t, err)
	requireUnion(t, whole, fields)
}
