package contract

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/access"
	"tilth/tests/rig"
)

// edits are a crew's changes to points, by their ids, and to samples, by their labels. "move" is a place on the map.
type edits struct {
	Points  map[string]map[string]any `json:"points"`
	Samples map[string]map[string]any `json:"samples"`
}

// pack is the folder of a package, as it is stored on a device.
type pack struct {
	t      *testing.T
	folder string
	stem   string
}

func unpack(t *testing.T, file []byte) pack {
	t.Helper()
	p := pack{t: t, folder: t.TempDir()}
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	for _, entry := range archive.File {
		name := filepath.Join(p.folder, filepath.FromSlash(entry.Name))
		if strings.HasSuffix(entry.Name, "/") {
			require.NoError(t, os.MkdirAll(name, 0o700))
			continue
		}
		in, err := entry.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(in)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, content, 0o600))
		if stem, ok := strings.CutSuffix(entry.Name, ".gpkg"); ok {
			p.stem = stem
		}
	}
	return p
}

func (p pack) path(ending string) string { return filepath.Join(p.folder, p.stem+ending) }

// zipped returns the folder as devices share it: as a zip archive.
func (p pack) zipped() []byte {
	p.t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	require.NoError(p.t, w.AddFS(os.DirFS(p.folder)))
	require.NoError(p.t, w.Close())
	return out.Bytes()
}

// edit changes the tables of the GeoPackage.
func (p pack) edit(e edits) {
	p.t.Helper()
	db, err := sql.Open("sqlite", p.path(".gpkg"))
	require.NoError(p.t, err)
	defer db.Close()
	for _, of := range []struct {
		table, key string
		changes    map[string]map[string]any
	}{{"points", "point", e.Points}, {"samples", "label", e.Samples}} {
		for key, columns := range of.changes {
			for column, value := range columns {
				if column == "move" {
					continue // only QGIS moves points; here lon and lat change
				}
				_, err := db.Exec(fmt.Sprintf("UPDATE %s SET %s = ? WHERE %s = ?", of.table, column, of.key), value, key)
				require.NoError(p.t, err)
			}
		}
	}
}

func (p pack) photo(name, content string) {
	p.t.Helper()
	require.NoError(p.t, os.WriteFile(filepath.Join(p.folder, "DCIM", name), []byte(content), 0o600))
}

// crewed is a company with a plan whose samples have yet to be taken, and the queries about them.
type crewed struct {
	t      *testing.T
	c      *rig.Client
	plan   string
	labels map[string][]string // by point, the uppermost depth first
	places map[string][2]float64
}

func crewOf(t *testing.T, c *rig.Client) crewed {
	t.Helper()
	out := crewed{t: t, c: c, plan: sampled(t, c), labels: map[string][]string{}, places: map[string][2]float64{}}
	for _, s := range out.samples() {
		point, planned := s["point"].(string), s["planned"].(map[string]any)
		out.labels[point] = append(out.labels[point], s["label"].(string))
		out.places[point] = [2]float64{planned["lon"].(float64), planned["lat"].(float64)}
	}
	return out
}

func (w crewed) samples() (out []map[string]any) {
	w.t.Helper()
	for _, s := range w.c.Expect(200, http.MethodGet, samplesPath+"?page_size=200&plan_uuid="+w.plan, nil).Map(w.t)["data"].([]any) {
		out = append(out, s.(map[string]any))
	}
	return out
}

func (w crewed) sample(label string) map[string]any {
	w.t.Helper()
	all := w.samples()
	i := slices.IndexFunc(all, func(s map[string]any) bool { return s["label"] == label })
	require.GreaterOrEqual(w.t, i, 0, label)
	return all[i]
}

// photos asserts the content of the photos of a point's topmost sample, and removes the first.
func (w crewed) photos(point string, want ...string) {
	w.t.Helper()
	path := fmt.Sprintf("%s%v/photos/", samplesPath, w.sample(w.labels[point][0])["id"])
	all := w.c.Expect(200, http.MethodGet, path, nil).Data(w.t)
	listed := all["photos"].([]any)
	require.Len(w.t, listed, len(want))
	for i, one := range listed {
		got := w.c.Expect(200, http.MethodGet, fmt.Sprintf("%s%v/", path, one.(map[string]any)["id"]), nil)
		require.Equal(w.t, want[i], string(got.Body))
		require.Equal(w.t, "image/jpeg", got.Header.Get("Content-Type"))
		require.Contains(w.t, got.Header.Get("Content-Security-Policy"), "sandbox")
		require.Contains(w.t, got.Header.Get("Content-Disposition"), "attachment")
	}
	first := fmt.Sprintf("%s%v/", path, listed[0].(map[string]any)["id"])
	at := fmt.Sprintf("%s?id=%v", path, listed[0].(map[string]any)["id"])
	w.c.Expect(404, http.MethodDelete, at+",999999", nil)
	w.c.Expect(200, http.MethodGet, first, nil)
	w.c.Expect(204, http.MethodDelete, at, nil)
	w.c.Expect(404, http.MethodGet, first, nil)
	w.c.Expect(404, http.MethodDelete, first, nil)
	require.Equal(w.t, "No sample with that id.", w.c.Expect(404, http.MethodDelete, samplesPath+"999999/photos/?id=1", nil).Map(w.t)["message"])
	require.Equal(w.t, 201, w.c.Upload(path+"?name=again.jpg", "image/jpeg", strings.NewReader(want[0])).Status)
	require.Equal(w.t, []any{2.0, 4096.0}, []any{all["max_photos"], all["max_bytes"]}, "as the settings say")
	require.Equal(w.t, 413, w.c.Upload(path+"?name=large.jpg", "image/jpeg", strings.NewReader(want[0]+strings.Repeat("x", 4096))).Status)
	if len(want) == 2 {
		more := w.c.Upload(path+"?name=more.jpg", "image/jpeg", strings.NewReader(want[0]+" and more"))
		require.Equal(w.t, 409, more.Status)
		require.Contains(w.t, string(more.Body), "TILTH_MAX_PHOTOS")
	}
	require.Equal(w.t, 400, w.c.Upload(path+"?name=a.pdf", "application/pdf", strings.NewReader("%PDF-1.7")).Status)
}

func (w crewed) export() pack {
	w.t.Helper()
	file := w.c.Expect(200, http.MethodGet, "soil/stratification/sample-plan/"+w.plan+"/export/?format=qfield", nil)
	require.Equal(w.t, "application/zip", file.Header.Get("Content-Type"))
	require.Contains(w.t, file.Header.Get("Content-Disposition"), ".qfield.zip")
	return unpack(w.t, file.Body)
}

func (w crewed) send(query string, content []byte) rig.Answer {
	return w.c.Upload(samplesPath+"import/crew/"+query, "application/octet-stream", bytes.NewReader(content))
}

// TestCrewPackage takes a package to the field and back. Afterwards points and samples are as the crew recorded them.
func TestCrewPackage(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t), Config: func(c *cli.Config) { c.MaxPhotos, c.MaxPhotoBytes = 2, 4096 }})
	c, stranger := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 0)
	s.Subscribe(c)
	w := crewOf(t, c)
	path := "soil/stratification/sample-plan/" + w.plan + "/export/?format=qfield"
	stranger.Expect(404, http.MethodGet, path, nil)
	require.Equal(t, "no_samples", c.Expect(409, http.MethodGet, path+"&round=2", nil).Map(t)["code"])
	p := w.export()
	for _, ending := range []string{".qgs", ".gpkg"} {
		require.FileExists(t, p.path(ending))
	}
	require.DirExists(t, filepath.Join(p.folder, "DCIM"))
	unchanged := w.send("", p.zipped())
	require.Equal(t, 200, unchanged.Status, "%s", unchanged.Body)
	require.EqualValues(t, len(w.samples()), unchanged.Data(t)["skipped"])

	points := slices.Sorted(maps.Keys(w.labels))
	near := func(point string) float64 { return w.places[point][1] + 0.0001 } // 11 m to the north
	p.edit(edits{
		Points: map[string]map[string]any{
			points[0]: {
				"status": "collected", "lon": w.places[points[0]][0], "lat": near(points[0]), "accuracy_m": 2.5, "collected_by": "Ana", "notes": "wet",
				"collected_at": "2026-03-01T06:30:00.000", "collected_utc": 1772357400000000, // three hours behind UTC
				"photo": "DCIM/one.jpg", "photo_2": `DCIM\two.jpg`,
			},
			points[1]: {"status": "missed", "notes": "a ditch", "photo": "DCIM/ditch.jpg"},
			points[2]: {"status": "moved", "collected_at": "2026-03-01T10:00:00.000"},
			points[3]: {"status": "collected", "collected_at": "2026-03-01T10:30:00.000"},
		},
		Samples: map[string]map[string]any{w.labels[points[0]][1]: {"status": "missed", "notes": "stone at 40 cm"}},
	})
	const jpeg = "\xff\xd8\xff\xe0 a photo"
	p.photo("one.jpg", jpeg)
	p.photo("two.jpg", jpeg+" of the same point")
	p.photo("ditch.jpg", "<html>no photo</html>")
	seen := w.send("?preview=true", p.zipped())
	require.Equal(t, 200, seen.Status)
	require.Equal(t, "planned", w.sample(w.labels[points[0]][0])["status"], "a preview stores nothing")
	require.Equal(t, 400, w.send("?atomic=true", p.zipped()).Status, "points[2] says that it was moved, and not where to")
	stored := w.send("", p.zipped())
	require.Equal(t, 207, stored.Status, "%s", stored.Body)
	require.Contains(t, string(stored.Body), "nothing states where")
	require.Contains(t, string(stored.Body), "its time zone is not known")
	report := stored.Map(t)["data"].(map[string]any)
	require.Equal(t, []any{5.0, 3.0}, []any{report["updated"], report["failed"]})
	require.Contains(t, string(stored.Body), "DCIM/ditch.jpg: By its content the file is HTML")
	seenRows, rows := seen.Map(t)["data"].(map[string]any)["rows"], report["rows"]
	require.Equal(t, seenRows, rows, "the preview said so")
	p.photo("ditch.jpg", jpeg+" of a ditch")
	stored = w.send("", p.zipped())
	require.Contains(t, string(stored.Body), "DCIM/one.jpg is attached already")
	require.EqualValues(t, 1, stored.Map(t)["data"].(map[string]any)["updated"])
	w.photos(points[0], jpeg, jpeg+" of the same point")
	w.photos(points[1], jpeg+" of a ditch")
	taken := w.sample(w.labels[points[0]][0])
	collected := taken["collected"].(map[string]any)
	require.Equal(t, []any{"collected", "wet", "Ana", 2.5, "2026-03-01T09:30:00Z"}, []any{taken["status"], taken["notes"], collected["by"], collected["accuracy_m"], collected["at"]})
	require.InDelta(t, 11.1, collected["moved_m"], 0.1)
	below := w.sample(w.labels[points[0]][1])
	require.Equal(t, []any{"missed", "wet\nstone at 40 cm", nil}, []any{below["status"], below["notes"], below["collected"]})
	require.Equal(t, "missed", w.sample(w.labels[points[1]][0])["status"])

	// A second package contains what is known, and the GeoPackage alone is accepted as well.
	again, err := os.ReadFile(w.export().path(".gpkg"))
	require.NoError(t, err)
	same := w.send("", again)
	require.Equal(t, 200, same.Status, "%s", same.Body)
	require.EqualValues(t, len(w.samples()), same.Data(t)["skipped"], "%s", same.Body)
	for what, content := range map[string][]byte{"neither a zipped folder": []byte("label,status\n"), "0 GeoPackages": pack{t: t, folder: t.TempDir()}.zipped(), "damaged": again[:5000]} {
		wrong := w.send("", content)
		require.Equal(t, 400, wrong.Status)
		require.Contains(t, string(wrong.Body), what)
	}
	require.Contains(t, string(c.Upload(samplesPath+"import/", "text/csv", bytes.NewReader(again)).Body), "import/crew/")
	s.Subscribe(stranger)
	require.Equal(t, 400, stranger.Upload(samplesPath+"import/crew/", "application/zip", bytes.NewReader(p.zipped())).Status, "a stranger has no such samples")
}
