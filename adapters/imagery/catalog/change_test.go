package catalog_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/core/vegetation"
)

// living is an open folder whose files change.
type living struct {
	t   *testing.T
	dir string
	c   *catalog.Catalog
	log *bytes.Buffer
	now time.Time // moved by the test
}

func live(t *testing.T, f folder) *living {
	t.Helper()
	l := &living{t: t, dir: f.write(t), log: &bytes.Buffer{}, now: day("2025-06-01")}
	var err error
	l.c, err = catalog.Open(l.dir, catalog.WithLog(slog.New(slog.NewTextHandler(l.log, nil))),
		catalog.WithClock(func() time.Time { return l.now }))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.c.Close()) })
	return l
}

// put writes files elsewhere and moves them into the folder, as a well-kept archive is updated.
func (l *living) put(f folder) {
	l.t.Helper()
	from := f.write(l.t)
	for name := range f {
		require.NoError(l.t, os.MkdirAll(filepath.Dir(filepath.Join(l.dir, name)), 0o700))
		require.NoError(l.t, os.Rename(filepath.Join(from, name), filepath.Join(l.dir, name)))
	}
}

func (l *living) ids() []string {
	l.t.Helper()
	return ids(l.t, l.c, at(-4.5, 41.5), "2025-01-01", "2026-01-01")
}

func (l *living) scenes() []vegetation.Scene {
	l.t.Helper()
	scenes, err := l.c.Search(l.t.Context(), at(-4.5, 41.5), day("2025-01-01"), day("2026-01-01"))
	require.NoError(l.t, err)
	return scenes
}

func plainItem(id, date string) object {
	return stacItem(id, date+"T00:00:00Z", object{"red": object{"href": "B04.tif"}})
}

func TestTheNextSearchSeesWhatChanged(t *testing.T) {
	l := live(t, folder{
		"catalog.json": links("child", "c.json"), "c.json": links("item", "one.json", "two.json"), "B04.tif": flat(1, 0, 0),
		"one.json": plainItem("one", "2025-05-01"), "two.json": plainItem("two", "2025-05-02"),
	})
	require.Equal(t, []string{"one", "two"}, l.ids())

	l.put(folder{"three.json": plainItem("three", "2025-05-03")})
	require.Equal(t, []string{"one", "two"}, l.ids(), "nothing links to it yet")
	l.put(folder{"c.json": links("item", "one.json", "two.json", "three.json")})
	require.Equal(t, []string{"one", "two", "three"}, l.ids())

	two := filepath.Join(l.dir, "two.json")
	before, err := os.Stat(two)
	require.NoError(t, err)
	l.put(folder{"two.json": plainItem("TWO", "2025-05-02")})
	require.NoError(t, os.Chtimes(two, before.ModTime(), before.ModTime()))
	require.Equal(t, []string{"one", "TWO", "three"}, l.ids(), "of the same length and time, but another file")
	require.NoError(t, os.WriteFile(filepath.Join(l.dir, "two.json"), []byte(strings.Repeat(" ", 10)), 0o600))
	require.Equal(t, []string{"one", "three"}, l.ids(), "what is no item any more is left out")
	require.Contains(t, l.c.Troubles()[0], "two.json")
	require.NoError(t, os.Remove(filepath.Join(l.dir, "one.json")))
	require.Equal(t, []string{"three"}, l.ids())
	require.Len(t, l.c.Troubles(), 2)
	l.put(folder{"one.json": plainItem("one", "2025-05-01"), "two.json": plainItem("two", "2025-05-02")})
	require.Equal(t, []string{"one", "two", "three"}, l.ids())
	require.Empty(t, l.c.Troubles())
}

// A folder that cannot be read as a whole is still being written: what was known about it holds.
func TestTheIndexIsKeptWhereTheNewOneCannotBeRead(t *testing.T) {
	whole := links("child", "c.json")
	for name, broken := range map[string]folder{
		"entrance":         {"catalog.json": `{"type":"Cata`},
		"collection":       {"c.json": `{"type":"Coll`},
		"a way out":        {"c.json": links("item", "../one.json")},
		"all of its items": {"one.json": `{"type":"Fea`},
	} {
		t.Run(name, func(t *testing.T) {
			l := live(t, folder{"catalog.json": whole, "c.json": links("item", "one.json"), "one.json": plainItem("one", "2025-05-01"), "B04.tif": flat(1, 0, 0)})
			l.put(broken)
			for range 3 {
				require.Equal(t, []string{"one"}, l.ids())
			}
			require.Len(t, l.c.Troubles(), 1)
			require.Equal(t, 1, strings.Count(l.log.String(), "its last usable state is kept"), "said once: %s", l.log)
			l.put(folder{"catalog.json": whole, "c.json": links("item", "one.json"), "one.json": plainItem("uno", "2025-05-01")})
			require.Equal(t, []string{"uno"}, l.ids())
			require.Empty(t, l.c.Troubles())
		})
	}
}

func TestAnItemThatCannotBeUsedCostsItsDateOnly(t *testing.T) {
	timeless := plainItem("timeless", "2025-05-03")
	timeless["properties"] = object{}
	located := plainItem("located", "2025-05-04")
	located["assets"] = 7
	elsewhere := plainItem("elsewhere", "2025-05-05")
	elsewhere["assets"], elsewhere["bbox"] = 7, []float64{10, 10, 11, 11}
	jp2 := stacItem("jp2", "2025-05-06T00:00:00Z", object{"red": object{"href": "B04.jp2", "type": "image/jp2"}})
	lost := stacItem("lost", "2025-05-08T00:00:00Z", object{"red": object{"href": "lost/B04.tif"}})
	far := stacItem("far", "2025-05-09T00:00:00Z", object{"red": object{"href": "s3://bucket/B04.tif"}})
	radar := stacItem("radar", "2025-05-10T00:00:00Z", object{"vv": object{"href": "vv.tif"}})
	l := live(t, folder{
		"catalog.json": links("item", "one.json", "gone.json", "cut.json", "timeless.json", "located.json", "elsewhere.json", "jp2.json", "all.json", "lost.json", "far.json", "radar.json"),
		"one.json":     plainItem("one", "2025-05-01"), "cut.json": `{"type":"Feature","id":"c`, "timeless.json": timeless, "located.json": located,
		"elsewhere.json": elsewhere, "jp2.json": jp2, "B04.tif": flat(1, 0, 0), "lost.json": lost, "far.json": far, "radar.json": radar,
		"all.json": object{"type": "FeatureCollection", "features": []any{object{"type": "Feature"}, plainItem("seven", "2025-05-07")}},
	})
	var got []string
	for _, s := range l.scenes() {
		got = append(got, s.ID)
		why := map[string]string{"located": "located.json", "jp2": "JPEG 2000", "lost": "lost/B04.tif", "far": "s3://bucket/B04.tif"}[s.ID]
		require.Equal(t, why != "", s.Broken != "", s.ID)
		require.Contains(t, s.Broken, why)
	}
	require.Equal(t, []string{"one", "located", "jp2", "seven", "lost", "far"}, got)
	troubles := strings.Join(l.c.Troubles(), "\n")
	for _, name := range []string{"gone.json", "cut.json", "timeless.json", "located.json", "elsewhere.json", "jp2.json", "all.json"} {
		require.Contains(t, troubles, name)
		require.Contains(t, l.log.String(), name)
	}
	require.Len(t, l.c.Troubles(), 7)
}

// A folder of nothing but another sensor says so; otherwise it would seem to cover no field.
func TestAFolderOfAnotherSensorSaysSo(t *testing.T) {
	l := live(t, folder{"catalog.json": links("item", "radar.json"), "radar.json": stacItem("radar", "2025-05-10T00:00:00Z", object{"vv": object{"href": "vv.tif"}})})
	scenes := l.scenes()
	require.Len(t, scenes, 1)
	require.Contains(t, scenes[0].Broken, "none of the bands")
}

// A file that is replaced, comes late or disappears while its item stays the same makes another
// revision of its scene.
func TestRevisionsFollowTheFiles(t *testing.T) {
	l := live(t, folder{
		"catalog.json": links("item", "one.json", "two.json"), "B04.tif": flat(1, 0, 0), "b/B04.tif": flat(1, 0, 0),
		"one.json": stacItem("one", "2025-05-01T00:00:00Z", object{"red": object{"href": "B04.tif"}, "nir": object{"href": "B08.tif"}}),
		"two.json": stacItem("two", "2025-05-02T00:00:00Z", object{"red": object{"href": "b/B04.tif"}}),
	})
	first := l.scenes()
	require.NotEqual(t, first[0].Revision, first[1].Revision)
	require.Equal(t, first[0].Revision, l.scenes()[0].Revision)

	l.put(folder{"B08.tif": flat(2, 0, 0)})
	late := l.scenes()
	require.True(t, late[0].Bands[vegetation.B08])
	require.NotEqual(t, first[0].Revision, late[0].Revision)

	old := time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
	require.NoError(t, os.Chtimes(filepath.Join(l.dir, "B04.tif"), old, old))
	require.Equal(t, late, l.scenes(), "for a moment what was seen holds")
	l.now = l.now.Add(2 * time.Second)
	replaced := l.scenes()
	require.NotEqual(t, late[0].Revision, replaced[0].Revision)
	require.NoError(t, os.Remove(filepath.Join(l.dir, "B08.tif")))
	l.now = l.now.Add(2 * time.Second)
	require.NotEqual(t, replaced[0].Revision, l.scenes()[0].Revision)
	require.Equal(t, first[1].Revision, l.scenes()[1].Revision, "the other scene is as it was")
}

func TestSearchesWhileTheFolderChanges(t *testing.T) {
	f := folder{"catalog.json": links("item", "one.json", "two.json"), "B04.tif": flat(1, 0, 0), "one.json": plainItem("one", "2025-05-01")}
	f["two.json"] = plainItem("two", "2025-05-02")
	l := live(t, f)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 50 {
				scenes, err := l.c.Search(t.Context(), at(-4.5, 41.5), day("2025-01-01"), day("2026-01-01"))
				if err != nil || len(scenes) != 2 {
					t.Errorf("%d scenes, %v", len(scenes), err)
				}
				_ = l.c.Describe()
			}
		})
	}
	for i := range 50 {
		l.put(folder{"two.json": plainItem(strings.Repeat("2", 1+i%3), "2025-05-02")})
	}
	group.Wait()
}
