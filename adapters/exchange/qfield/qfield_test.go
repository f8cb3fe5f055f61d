package qfield_test

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange/qfield"
	"tilth/core/fault"
	"tilth/core/stratification/crew"
	"tilth/core/stratification/sample"
	"tilth/ports"
	"tilth/tests/shown"
)

// object is a file in memory.
type object struct{ *bytes.Reader }

func (object) Close() error { return nil }

func read(t testing.TB, content []byte) (ports.CrewRecords, error) {
	t.Helper()
	return qfield.Packages{}.Read(t.Context(), object{bytes.NewReader(content)}, 100)
}

func written(t testing.TB, plan ports.ShownPlan) []byte {
	t.Helper()
	var out, again bytes.Buffer
	require.NoError(t, qfield.Packages{}.Write(t.Context(), &out, plan))
	require.NoError(t, qfield.Packages{}.Write(t.Context(), &again, plan))
	require.Equal(t, out.Bytes(), again.Bytes(), "the same plan gives the same bytes")
	return out.Bytes()
}

// entry returns a file of an archive by its ending.
func entry(t testing.TB, archive []byte, ending string) (name string, content []byte) {
	t.Helper()
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	for _, file := range files.File {
		if strings.HasSuffix(file.Name, ending) {
			in, err := file.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(in)
			require.NoError(t, err)
			return file.Name, content
		}
	}
	require.Fail(t, "no file", ending)
	return "", nil
}

func zipped(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range files {
		to, err := w.Create(name)
		require.NoError(t, err)
		_, err = to.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// changed returns a GeoPackage after some statements.
func changed(t testing.TB, content []byte, statements ...string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.gpkg")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	db, err := sql.Open("sqlite", name)
	require.NoError(t, err)
	for _, statement := range statements {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
	require.NoError(t, db.Close())
	content, err = os.ReadFile(name)
	require.NoError(t, err)
	return content
}

// partlyDone is a plan of which one point is taken, one is taken at only one depth, and one is missed.
func partlyDone(t testing.TB) ports.ShownPlan {
	t.Helper()
	plan := shown.Plan(t, shown.Scattered)
	plan.Labels = append([]ports.ShownLabel(nil), plan.Labels...)
	at, accuracy := time.Date(2026, 3, 1, 9, 30, 0, 123456000, time.UTC), 2.5
	for i := range plan.Labels[:6] {
		s := &plan.Labels[i].Sample
		place := s.Planned
		place.Y += 0.0001
		switch i {
		case 0, 1, 2:
			s.Collected, s.Status = &sample.Collected{At: at, By: "Ana & Bob", LonLat: &place, AccuracyM: &accuracy}, sample.StatusCollected
		case 4, 5:
			s.Status, s.Notes = sample.StatusMissed, "a ditch"
		}
		s.Normalise()
	}
	return plan
}

// TestAPackageComesBackAsItLeft: what is known about a plan's samples goes to the field, and none of it changes on the way.
func TestAPackageComesBackAsItLeft(t *testing.T) {
	t.Parallel()
	plan := partlyDone(t)
	archive := written(t, plan)
	got, err := read(t, archive)
	require.NoError(t, err)
	asItLeft(t, plan, got)
	_, err = got.Photo("DCIM/none.jpg")
	require.True(t, fault.Is(err, fault.Invalid))
	_, alone := entry(t, archive, ".gpkg")
	got, err = read(t, alone)
	require.NoError(t, err)
	asItLeft(t, plan, got)
	require.Nil(t, got.Photo)
	name, project := entry(t, archive, ".qgs")
	require.Equal(t, plan.Stem+".qgs", name)
	require.Contains(t, string(project), "Ferme de l&#39;Étang &amp; &lt;fils&gt;")
}

// Names that people give are text of the project, not markup.
func TestProjectsEscapeNames(t *testing.T) {
	t.Parallel()
	const hostile = `"/><script>alert('1')</script>&amp;`
	plan := partlyDone(t)
	plan.Plan.AOI.Name, plan.Stem = hostile, `a'&"b`
	_, project := entry(t, written(t, plan), ".qgs")
	require.NotContains(t, string(project), "%!")
	var read struct {
		Name   string   `xml:"projectname,attr"`
		Title  string   `xml:"title"`
		Others []string `xml:"script"`
		Layers []struct {
			Source string `xml:"source,attr"`
		} `xml:"layer-tree-group>layer-tree-layer"`
		Shown []struct {
			From   string `xml:"datasource"`
			Fields []struct {
				Name string `xml:"name,attr"`
			} `xml:"fieldConfiguration>field"`
		} `xml:"projectlayers>maplayer"`
	}
	require.NoError(t, xml.Unmarshal(project, &read))
	require.Contains(t, read.Title, hostile)
	require.Equal(t, read.Title, read.Name)
	require.Empty(t, read.Others)
	require.Len(t, read.Shown, len(read.Layers))
	for i, layer := range read.Layers {
		require.Equal(t, layer.Source, read.Shown[i].From)
		require.Contains(t, layer.Source, "./"+plan.Stem+".gpkg|")
		require.NotEmpty(t, read.Shown[i].Fields)
	}
}

func asItLeft(t *testing.T, plan ports.ShownPlan, got ports.CrewRecords) {
	t.Helper()
	require.Equal(t, crew.Taken, got.Points[0].Status)
	rows, _ := crew.Rows(got.Points, got.Samples)
	require.Len(t, rows, len(plan.Labels))
	byLabel := map[string]sample.Sample{}
	for _, l := range plan.Labels {
		byLabel[l.Sample.Label] = l.Sample
	}
	for _, r := range rows {
		require.Empty(t, r.Errors, r.Label)
		after, _, wrong := r.Apply(byLabel[r.Label])
		after.Normalise()
		require.Empty(t, wrong)
		require.Equal(t, byLabel[r.Label], after)
	}
}

// TestLegacyPointsGoToTheField: with a mark of their own; the way goes by them, from its start to its end.
func TestLegacyPointsGoToTheField(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.Repeated)
	archive := written(t, plan)
	_, project := entry(t, archive, ".qgs")
	require.Contains(t, string(project), "To take, legacy point")
	_, content := entry(t, archive, ".gpkg")
	name := filepath.Join(t.TempDir(), "a.gpkg")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	db, err := sql.Open("sqlite", name)
	require.NoError(t, err)
	defer db.Close()
	var legacy int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM points WHERE role = 'legacy'").Scan(&legacy))
	require.Equal(t, 3, legacy)
	var line []byte
	require.NoError(t, db.QueryRow("SELECT geom FROM way").Scan(&line))
	const head = 8 + 4*8 + 1 + 4 + 4 // of the blob with its envelope, and of the line
	require.Equal(t, 12+3+2, (len(line)-head)/16, "samples, legacy points, start and end")
}

// TestGDALReadsAndWritesThePackage: GDAL finds the layers, and what it copies is read as the original.
func TestGDALReadsAndWritesThePackage(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ogr2ogr"); err != nil {
		t.Skip("LEFT OUT: GeoPackages copied by GDAL, which is not here. Fix: install gdal-bin.")
	}
	plan := partlyDone(t)
	_, content := entry(t, written(t, plan), ".gpkg")
	folder := t.TempDir()
	from, to := filepath.Join(folder, "from.gpkg"), filepath.Join(folder, "to.gpkg")
	require.NoError(t, os.WriteFile(from, content, 0o600))
	said, err := exec.Command("ogrinfo", "-ro", "-so", "-al", from).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.NotContains(t, string(said), "Warning")
	for _, want := range []string{"Geometry: Multi Polygon", "Geometry: Line String", "Geometry: None", fmt.Sprintf("Feature Count: %d", len(plan.Labels)), "collected_at: DateTime"} {
		require.Contains(t, string(said), want)
	}
	said, err = exec.Command("ogr2ogr", "-f", "GPKG", to, from).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Empty(t, string(said))
	copied, err := os.ReadFile(to)
	require.NoError(t, err)
	got, err := read(t, copied)
	require.NoError(t, err)
	asItLeft(t, plan, got)
}

// TestWhatTheLogHolds: a device that was switched off leaves the last changes in the log beside the GeoPackage.
func TestWhatTheLogHolds(t *testing.T) {
	t.Parallel()
	_, content := entry(t, written(t, shown.Plan(t, shown.One)), ".gpkg")
	name := filepath.Join(t.TempDir(), "a.gpkg")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	db, err := sql.Open("sqlite", name+"?_pragma=journal_mode(WAL)&_pragma=wal_autocheckpoint(0)")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("UPDATE points SET notes = 'in the log', status = 'missed' WHERE fid = 1")
	require.NoError(t, err)
	main, err := os.ReadFile(name)
	require.NoError(t, err)
	log, err := os.ReadFile(name + "-wal")
	require.NoError(t, err)
	got, err := read(t, zipped(t, map[string][]byte{"x/a.gpkg": main, "x/a.gpkg-wal": log}))
	require.NoError(t, err)
	require.Equal(t, "in the log", got.Points[0].Notes)
	got, err = read(t, zipped(t, map[string][]byte{"x/a.gpkg": main}))
	require.NoError(t, err)
	require.Empty(t, got.Points[0].Notes)
}

// TestHostilePackages: each is refused with what to do about it, and nothing that it holds is run.
func TestHostilePackages(t *testing.T) {
	t.Parallel()
	_, sound := entry(t, written(t, shown.Plan(t, shown.One)), ".gpkg")
	const others = "fid INTEGER PRIMARY KEY, point TEXT, status TEXT, planned_lon REAL, planned_lat REAL"
	endless := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS fid, NULL AS geom, 'a' AS point, '' AS status, 0 AS planned_lon, 0 AS planned_lat FROM n"
	damaged := bytes.Clone(sound)
	for i := 4096; i < len(damaged); i += 7 {
		damaged[i] ^= 0x5a
	}
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"a view":             {changed(t, sound, "DROP TABLE points", "CREATE VIEW points AS "+endless), "not a table but a view"},
		"a virtual table":    {changed(t, sound, "DROP TABLE points", "CREATE VIRTUAL TABLE points USING fts5(point)"), "virtual table"},
		"a computed column":  {changed(t, sound, "DROP TABLE points", "CREATE TABLE points ("+others+", geom BLOB AS (hex(zeroblob(500000000))))"), "no column geom"},
		"no points":          {changed(t, sound, "DROP TABLE points"), "no layer points"},
		"no samples":         {changed(t, sound, "ALTER TABLE samples RENAME TO other"), "no layer samples"},
		"too many rows":      {changed(t, sound, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) INSERT INTO samples (label) SELECT i FROM n"), "more than 100 rows"},
		"a huge value":       {changed(t, sound, "UPDATE points SET notes = hex(zeroblob(2000000)) WHERE fid = 1"), "cannot be read"},
		"damaged":            {damaged, "damaged"},
		"cut off":            {sound[:len(sound)/2], "damaged"},
		"only a head":        {[]byte("SQLite format 3\x00"), "damaged"},
		"a way out":          {zipped(t, map[string][]byte{"../a.gpkg": sound}), "leads out"},
		"an absolute name":   {zipped(t, map[string][]byte{"/a.gpkg": sound}), "leads out"},
		"two GeoPackages":    {zipped(t, map[string][]byte{"a.gpkg": sound, "b.gpkg": sound}), "2 GeoPackages"},
		"an unfinished save": {zipped(t, map[string][]byte{"a.gpkg": sound, "a.gpkg-journal": []byte("x")}), "cut off while it was saved"},
		"one that swells":    {zipped(t, map[string][]byte{"a.gpkg": append(bytes.Clone(sound), make([]byte, 65<<20)...)}), "larger than 64 MiB"},
		"something else":     {[]byte("label\n"), "neither a zipped folder"},
		"no whole archive":   {[]byte("PK\x03\x04 and no more"), "not a complete zip archive"},
	} {
		_, err := read(t, c.content)
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", name, err)
		require.ErrorContains(t, err, c.says, name)
	}
	// What a schema would run when something is written is not run, and other tables are ignored.
	got, err := read(t, changed(t, sound, "CREATE TRIGGER tr AFTER UPDATE ON points BEGIN DELETE FROM samples; END", "CREATE TABLE other (a)", "CREATE VIEW v AS "+endless))
	require.NoError(t, err)
	require.NotEmpty(t, got.Samples)
	// A wrong value is reported for its row.
	got, err = read(t, changed(t, sound, "UPDATE points SET lon = 'x', lat = 1, collected_at = 'today', geom = x'00', photo = '../../etc/passwd' WHERE fid = 1"))
	require.NoError(t, err)
	for _, field := range []string{"lon", "collected_at", "geom", "photo"} {
		require.Contains(t, got.Points[0].Errors, field)
	}
	require.Empty(t, got.Points[1].Errors)
	require.Empty(t, got.Points[0].Photos)
}

func FuzzGeoPackage(f *testing.F) {
	_, sound := entry(f, written(f, shown.Plan(f, shown.One)), ".gpkg")
	f.Add(sound[16:])
	f.Add(sound[16:8192])
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := read(t, append([]byte("SQLite format 3\x00"), content...))
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		rows, _ := crew.Rows(got.Points, got.Samples)
		require.GreaterOrEqual(t, len(rows), len(got.Samples))
	})
}
