package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/mapfile"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/tests/rig"
)

// mappedField is a map of a parcel of the synthetic archive, beside the profile of the same field and season.
type mappedField struct {
	*rig.Client
	server  *rig.Server
	id      int64
	path    string // of the order
	profile rig.Profile
	outline geo.MultiPolygon
}

func newMappedField(t *testing.T, s *rig.Server) mappedField {
	t.Helper()
	c := s.Company(access.RoleOwner, 1000_00)
	outline := rig.Archive(t).Parcels[0].Boundary
	land := c.Land(outline, "2025-03-01", "2025-10-31")
	profile := int64(c.Expect(200, http.MethodPost, rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
	placed := c.Expect(200, http.MethodPost, viMapsPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season, "is_background": false}).Data(t)
	require.Equal(t, "active", placed["status"])
	id := int64(placed["order_id"].(float64))
	return mappedField{c, s, id, viMapsPath + itoa(id) + "/", c.Until(profile, "active"), outline}
}

// layer returns a date as stored in its GeoTIFF.
func (m mappedField) layer(t *testing.T, date string) indexmap.Layer {
	t.Helper()
	file := m.Expect(200, http.MethodGet, m.path+"maps/"+date+".tif", nil)
	require.Equal(t, "image/tiff; application=geotiff", file.Header.Get("Content-Type"))
	require.Contains(t, file.Header.Get("Content-Disposition"), "map-"+itoa(m.id)+"-ndvi-"+date+".tif")
	l, err := mapfile.Files{}.ReadLayer(t.Context(), bytes.NewReader(file.Body), int64(len(file.Body)))
	require.NoError(t, err)
	return l
}

// What a map shows of its dates, as a client sees it.
func TestDatesOfMaps(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		m := newMappedField(t, s)
		checkMapFigures(t, m)
		checkMapPictures(t, m)
		checkMapTiles(t, m)
		checkMapZones(t, m)
		checkMapCredentials(t, s, m)
		checkMapLinks(t, s, m)
	})
}

// checkMapFigures compares the figures of a map with the profile, and its file and pixels with both.
func checkMapFigures(t *testing.T, m mappedField) {
	t.Helper()
	var all struct {
		IndexCode string `json:"index_code"`
		Method    string `json:"method"`
		Dates     []struct {
			Date      string           `json:"date"`
			Mean, Std float64          `json:",omitzero"`
			NValid    int              `json:"n_valid"`
			Synthetic bool             `json:"synthetic"`
			Classes   []map[string]any `json:"classes"`
		} `json:"dates"`
	}
	m.Expect(200, http.MethodGet, m.path+"statistics/?classes=4&method=equal_interval", nil).Into(t, &all)
	require.Equal(t, "NDVI", all.IndexCode)
	require.Equal(t, m.Expect(200, http.MethodGet, m.path, nil).Data(t)["method"], all.Method)
	require.Contains(t, all.Method, "NDVI = (B08 - B04) / (B08 + B04)")
	require.Len(t, all.Dates, len(m.profile.Observations))
	for i, o := range m.profile.Observations {
		d := all.Dates[i]
		require.Equal(t, o.Date, d.Date)
		require.InDelta(t, o.Value, d.Mean, 1e-9, "the mean of the map is the profile's on %s", o.Date)
		require.Equal(t, o.NValid, d.NValid)
		require.True(t, d.Synthetic)
		require.NotEmpty(t, d.Classes)
	}
	for _, i := range []int{0, len(all.Dates) / 2} {
		l := m.layer(t, all.Dates[i].Date)
		require.InDelta(t, all.Dates[i].Mean, l.Describe().Mean, 1e-6)
		require.True(t, l.Synthetic)
	}
	place := m.outline.Centroid()
	var values struct {
		Method string
		Values []struct {
			Date      string
			Value     *float64
			InField   bool `json:"in_field"`
			Col, Row  int
			Items     []string
			Synthetic bool
		}
	}
	m.Expect(200, http.MethodGet, m.path+fmt.Sprintf("value/?lon=%v&lat=%v", place.X, place.Y), nil).Into(t, &values)
	require.Len(t, values.Values, len(all.Dates))
	v := values.Values[3]
	require.True(t, v.InField)
	require.True(t, v.Synthetic, "every answer says so")
	require.Equal(t, all.Method, values.Method)
	require.Equal(t, m.layer(t, v.Date).Scenes, v.Items)
	l := m.layer(t, v.Date)
	if v.Value != nil {
		require.InDelta(t, *v.Value, l.Values[v.Row*l.Cols+v.Col], 1e-6)
	}
	require.Contains(t, m.Expect(400, http.MethodGet, m.path+"value/?lon=9&lat=9", nil).Map(t)["details"], "lon")
	m.Expect(400, http.MethodGet, m.path+"value/?lon=9", nil)
	style := m.Expect(200, http.MethodGet, m.path+"style/?low=0.2", nil).Data(t)
	require.InDelta(t, 0.2, style["low"], 0)
	require.Len(t, style["stops"], 11)
}

func checkMapPictures(t *testing.T, m mappedField) {
	t.Helper()
	date := m.profile.Observations[5].Date
	for query, width := range map[string]int{"": 2000, "?legend=false": 1400, "?classes=5&method=quantile": 2000, "?low=0&high=0.4": 2000} {
		picture := m.Expect(200, http.MethodGet, m.path+"maps/"+date+".png"+query, nil)
		require.Equal(t, "image/png", picture.Header.Get("Content-Type"))
		img, err := png.DecodeConfig(bytes.NewReader(picture.Body))
		require.NoError(t, err)
		require.Equal(t, width, img.Width, query)
	}
	drawing := string(m.Expect(200, http.MethodGet, m.path+"maps/"+date+".svg", nil).Body)
	for _, text := range []string{"NDVI on " + date, "SYNTHETIC", ">Field<"} {
		require.True(t, strings.Contains(drawing, text), "the picture does not say %q", text)
	}
	checkMapColours(t, m, date)
	missing := m.Expect(404, http.MethodGet, m.path+"maps/2025-03-02.png", nil).Map(t)
	require.Equal(t, "map_date", missing["code"])
	require.Len(t, missing["details"].(map[string]any)["nearest"], 4)
	if len(m.profile.Rejected) > 0 {
		r := m.profile.Rejected[0]
		require.Equal(t, r.Reason, m.Expect(404, http.MethodGet, m.path+"maps/"+r.Date+".tif", nil).Map(t)["details"].(map[string]any)["reason"])
	}
	for path, status := range map[string]int{"maps/x.png": 404, "maps/" + date + ".gif": 404, "maps/" + date + ".png?classes=1": 400, "maps/" + date + ".png?classes=0": 400, "maps/" + date + ".png?low=1&high=0": 400, "maps/" + date + ".png?colour=1": 400} {
		m.Expect(status, http.MethodGet, m.path+path, nil)
	}
}

// checkMapColours checks a date in the colours of its scenes: crops reflect more green than blue, and most of all near infrared.
func checkMapColours(t *testing.T, m mappedField, date string) {
	t.Helper()
	for style, want := range map[string]func(r, g, b uint32) bool{
		"true-colour":  func(r, g, b uint32) bool { return g > b },
		"false-colour": func(r, g, b uint32) bool { return r > g && r > b },
	} {
		picture := m.Expect(200, http.MethodGet, m.path+"maps/"+date+".png?legend=false&style="+style, nil)
		img, err := png.Decode(bytes.NewReader(picture.Body))
		require.NoError(t, err)
		r, g, b, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
		require.True(t, want(r, g, b), "%s: %d %d %d", style, r>>8, g>>8, b>>8)
		drawing := string(m.Expect(200, http.MethodGet, m.path+"maps/"+date+".svg?style="+style, nil).Body)
		require.Contains(t, drawing, "SYNTHETIC")
		require.Contains(t, drawing, "B04")
	}
	m.Expect(404, http.MethodGet, m.path+"maps/2025-03-02.png?style=true-colour", nil)
	for _, wrong := range []string{".png?style=sepia", ".tif?style=true-colour", ".png?style=true-colour&classes=3", ".png?style=true-colour&low=0.1"} {
		m.Expect(400, http.MethodGet, m.path+"maps/"+date+wrong, nil)
	}
}

func checkMapTiles(t *testing.T, m mappedField) {
	t.Helper()
	at := m.outline.Centroid()
	tile := func(z int) string {
		half := geo.ToWebMercator(geo.Position{X: 180}).X
		n, p := math.Ldexp(1, z)/(2*half), geo.ToWebMercator(at)
		return itoa(int64(z)) + "/" + itoa(int64((p.X+half)*n)) + "/" + itoa(int64((half-p.Y)*n))
	}
	opaque := func(answer rig.Answer, size int) (n int) {
		t.Helper()
		require.Equal(t, "image/png", answer.Header.Get("Content-Type"))
		img, err := png.Decode(bytes.NewReader(answer.Body))
		require.NoError(t, err)
		require.Equal(t, size, img.Bounds().Dx())
		for y := range size {
			for x := range size {
				if _, _, _, a := img.At(x, y).RGBA(); a > 0 {
					n++
				}
			}
		}
		return n
	}
	first := m.Expect(200, http.MethodGet, m.path+"tiles/"+tile(15)+".png", nil)
	shown := opaque(first, 256)
	require.Positive(t, shown)
	require.InEpsilon(t, 4*shown, opaque(m.Expect(200, http.MethodGet, m.path+"tiles/"+tile(15)+"@2x.png?date="+m.profile.Observations[len(m.profile.Observations)-1].Date, nil), 512), 0.02)
	require.Greater(t, opaque(m.Expect(200, http.MethodGet, m.path+"tiles/"+tile(15)+".png?margin=true&resampling=bilinear", nil), 256), shown)
	require.Zero(t, opaque(m.Expect(200, http.MethodGet, m.path+"tiles/15/1/1.png", nil), 256), "beside the field")
	for path, status := range map[string]int{"23/0/0.png": 400, "3/8/0.png": 400, "a/0/0.png": 404, "3/0/-1.png": 404, "3/0/0.png?size=300": 400, "3/0/0.png?size=0": 400, "3/0/0.png?date=2025-03-02": 404} {
		m.Expect(status, http.MethodGet, m.path+"tiles/"+path, nil)
	}
	tag := first.Header.Get("ETag")
	require.NotEmpty(t, tag)
	require.Contains(t, first.Header.Get("Cache-Control"), "max-age")
	again := send(t, m.server, m.Client, http.MethodGet, m.path+"tiles/"+tile(15)+".png", nil, "If-None-Match", tag)
	require.Equal(t, 304, again.Status)
	other := m.Expect(200, http.MethodGet, m.path+"tiles/"+tile(15)+".png?date="+m.profile.Observations[2].Date, nil)
	require.NotEqual(t, tag, other.Header.Get("ETag"))
}

func checkMapZones(t *testing.T, m mappedField) {
	t.Helper()
	answer := m.Expect(200, http.MethodGet, m.path+"zones/?classes=3&method=quantile&date="+m.profile.Observations[4].Date, nil)
	require.Equal(t, "application/geo+json", answer.Header.Get("Content-Type"))
	var zones struct {
		Type     string
		Notes    []string
		Method   string
		Features []struct {
			Properties struct {
				Class  *int
				AreaHa float64 `json:"area_ha"`
				Share  *float64
				Color  string
			}
			Geometry json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(answer.Body, &zones))
	require.Equal(t, "FeatureCollection", zones.Type)
	require.NotNil(t, zones.Notes)
	require.Contains(t, zones.Method, "NDVI = ")
	sum := 0.0
	for _, z := range zones.Features {
		sum += z.Properties.AreaHa
		require.Contains(t, string(z.Geometry[:30]), `"MultiPolygon"`)
		require.Regexp(t, "^#[0-9a-f]{6}$", z.Properties.Color)
	}
	require.InEpsilon(t, geo.AreaM2(m.outline)/1e4, sum, 1e-3, "they are the field")
	require.Contains(t, m.Expect(400, http.MethodGet, m.path+"zones/?classes=12", nil).Map(t)["details"], "classes")
}

// checkMapCredentials opens a map with every credential that may, and with some that may not.
func checkMapCredentials(t *testing.T, s *rig.Server, m mappedField) {
	t.Helper()
	picture := m.path + "tiles/15/1/1.png"
	stranger, nobody := s.Company(access.RoleOwner, 0), s.Anonymous()
	s.User(m.CompanyID, access.RoleViewer).Expect(200, http.MethodGet, picture, nil)
	stranger.Expect(404, http.MethodGet, picture, nil)
	nobody.Expect(401, http.MethodGet, picture, nil)
	key, _ := newKey(t, m.Client, nil)
	require.Equal(t, 200, send(t, s, nobody, http.MethodGet, picture, nil, "X-API-Key", key).Status)
	for _, path := range []string{"maps/2025-03-01.png", "maps/2025-03-01.tif", "statistics/", "value/?lon=1&lat=1", "zones/", "style/"} {
		stranger.Expect(404, http.MethodGet, m.path+path, nil)
	}
	stranger.Expect(404, http.MethodPost, m.path+"links/", map[string]any{})
}

// checkMapLinks makes a link, and tries what it opens.
func checkMapLinks(t *testing.T, s *rig.Server, m mappedField) {
	t.Helper()
	nobody := s.Anonymous()
	made := m.Expect(200, http.MethodPost, m.path+"links/", map[string]any{"expires_in": 120}).Data(t)
	link := made["link"].(string)
	require.True(t, strings.HasPrefix(made["tiles"].(string), s.URL+"/api/v1.2/"+m.path+"tiles/{z}/{x}/{y}.png?link="))
	for _, path := range []string{"tiles/15/1/1.png", "maps/" + m.profile.Observations[0].Date + ".tif", "statistics/", "zones/", "style/"} {
		nobody.Expect(200, http.MethodGet, m.path+path+"?link="+link, nil)
	}
	expires := func(path string) { nobody.Expect(401, http.MethodGet, path, nil) }
	expires(m.path + "?link=" + link) // the order itself stays closed
	expires(viMapsPath + itoa(m.id+1) + "/style/?link=" + link)
	expires(viMapsPath + itoa(m.id) + "9/style/?link=" + link)
	expires("field/?link=" + link)
	require.Equal(t, 401, send(t, s, nobody, http.MethodGet, m.path+"style/", nil, "Authorization", "Bearer "+link).Status, "it is no access token")
	expires(m.path + "style/?link=" + m.Token) // and a token is not a link
	for _, at := range []int{5, len(link) / 2, len(link) - 30} {
		forged := []byte(link)
		forged[at] = map[bool]byte{true: 'B', false: 'A'}[forged[at] == 'A']
		expires(m.path + "style/?link=" + string(forged))
	}
	nobody.Expect(401, http.MethodPost, m.path+"links/?link="+link, map[string]any{})
	m.Expect(400, http.MethodPost, m.path+"links/", map[string]any{"expires_in": 86_401})
	require.Contains(t, string(m.Expect(200, http.MethodGet, "audit/?resource=vi-map&record="+itoa(m.id), nil).Body), "issue_link")
}
