package contract

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// untilImported waits for the end of a background import, whose progress never exceeds
// its total.
func untilImported(t testing.TB, c *rig.Client, job int64) imported {
	t.Helper()
	var now imported
	rig.Eventually(t, func() bool {
		now = importOf(t, c.Do("GET", fmt.Sprintf("field/import/%d/", job), nil), 200)
		require.LessOrEqual(t, now.Done, now.Total)
		return now.Status == "completed" || now.Status == "failed"
	}, 3*time.Minute, 50*time.Millisecond, "the import never ended")
	return now
}

// spoolFiles lists the waiting files of an object store.
func spoolFiles(t testing.TB, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "imports", "*"))
	require.NoError(t, err)
	return found
}

func TestLargeImportsRunInTheBackground(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		objects := t.TempDir()
		server := rig.Start(t, rig.Options{Database: database, Batches: rig.SmallBatches, Config: func(cfg *cli.Config) { cfg.ObjectsURL = "file:" + objects }})
		c, stranger := server.Company("owner", 0), server.Company("owner", 0)
		farm := newFarm(c)
		const total, bad = 110, 99 // more than one request takes, in five pieces
		body := collection(t, 0, total, func(i int, p map[string]any) {
			if i%10 != 7 {
				p["name"] = strings.Repeat("x", 300)
			}
		})
		upload := func(more string) imported {
			return importOf(t, c.Upload(importPath(farm, "&external_id_property=key"+more), mediaGeoJSON, strings.NewReader(body)), 202)
		}

		preview := upload("&preview=true")
		require.Equal(t, "queued", preview.Status)
		require.NotNil(t, preview.JobID)
		require.EqualValues(t, total, preview.Total)
		judged := untilImported(t, c, *preview.JobID)
		require.Equal(t, "completed", judged.Status)
		require.Equal(t, []int64{total, total - bad, bad}, []int64{judged.Done, judged.Created, judged.Failed})
		require.Zero(t, fieldCount(t, c, farm), "a preview writes nothing")

		atomic := untilImported(t, c, *upload("&atomic=true").JobID)
		require.Equal(t, "failed", atomic.Status)
		require.Contains(t, *atomic.Reason, "nothing was stored")
		require.Len(t, atomic.Features, bad)
		require.Zero(t, fieldCount(t, c, farm), "an atomic import with errors writes nothing")

		job := *upload("").JobID
		report := untilImported(t, c, job)
		require.Equal(t, "completed", report.Status)
		require.Equal(t, []int64{total, total - bad, bad}, []int64{report.Done, report.Created, report.Failed})
		require.Len(t, report.Features, bad)
		require.EqualValues(t, []int64{6, 8, total - 1}, []int64{report.Features[6].Index, report.Features[7].Index, report.Features[bad-1].Index})
		require.Equal(t, "fail", report.Features[7].Verdict)
		require.Contains(t, report.Features[7].Errors["name"][0], "255")
		require.EqualValues(t, total-bad, fieldCount(t, c, farm))
		require.Equal(t, 404, stranger.Do("GET", fmt.Sprintf("field/import/%d/", job), nil).Status)

		again := untilImported(t, c, *upload("").JobID)
		require.Equal(t, []int64{0, 0, total - bad}, []int64{again.Created, again.Updated, again.Skipped})

		sound := newFarm(c)
		whole := importOf(t, c.Upload(importPath(sound, "&atomic=true"), mediaGeoJSON, strings.NewReader(collection(t, 0, 51, nil))), 202)
		require.Equal(t, "completed", untilImported(t, c, *whole.JobID).Status)
		require.EqualValues(t, 51, fieldCount(t, c, sound))
		rig.Eventually(t, func() bool { return len(spoolFiles(t, objects)) == 0 }, 10*time.Minute, 20*time.Millisecond, "the files are cleaned up")
	})
}

// The trail names the key that requested an import, even if it is carried out later; nothing else does.
func TestAnImportByAKeyInTheBackground(t *testing.T) {
	t.Parallel()
	var log locked
	server := rig.Start(t, rig.Options{Batches: rig.SmallBatches, Log: &log})
	c := server.Company("owner", 0)
	key, id := newKey(t, c, map[string]any{"slugs": []string{"field.*"}})
	body := collection(t, 0, 51, func(i int, p map[string]any) {
		if i > 0 {
			p["name"] = strings.Repeat("x", 300)
		}
	})
	status, answer := with(t, server, "POST", importPath(newFarm(c), "&api_key="+key), body, "Content-Type", mediaGeoJSON)
	require.Equal(t, 202, status, answer)
	var begun struct {
		Data struct {
			JobID int64 `json:"job_id"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(answer), &begun))
	require.EqualValues(t, 1, untilImported(t, c, begun.Data.JobID).Created)
	require.Equal(t, &id, trailOf(t, c, "?resource=field")[0].APIKey)
	require.NotContains(t, log.String()+answer, key)
}

// The farm is deleted while its import waits: the import fails with a reason, and stores nothing.
func TestImportOfADeletedFarmFails(t *testing.T) {
	t.Parallel()
	database, objects := rig.SQLite(t), t.TempDir()
	first := rig.Start(t, rig.Options{Database: database, Config: func(cfg *cli.Config) { cfg.ObjectsURL = "file:" + objects }})
	c := first.Company("owner", 0)
	farm := newFarm(c)
	job := *importOf(t, c.Upload(importPath(farm, ""), mediaGeoJSON, strings.NewReader(collection(t, 0, 6_000, nil))), 202).JobID
	c.Expect(204, "DELETE", "farm/"+itoa(farm)+"/", nil)
	report := untilImported(t, c, job)
	require.Equal(t, "failed", report.Status)
	require.Contains(t, *report.Reason, "no longer exists")
	require.Zero(t, fieldCount(t, c, farm))
	rig.Eventually(t, func() bool { return len(spoolFiles(t, objects)) == 0 }, 10*time.Minute, 20*time.Millisecond, "the file is removed after the import fails")
}

// kill -9 in the middle of an import, then a restart: it continues where it stopped,
// and no field exists twice.
func TestKilledWhileImporting(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		imagery := newGate(t)
		objects := "TILTH_OBJECTS_URL=file:" + t.TempDir()
		first := rig.StartProcess(t, database, imagery.URL, objects)
		c := rig.Remote(t, first.URL, tokenOf(t, database))
		const total = 1_600
		var farm, job int64
		for seen := int64(total); seen == total; { // an import that ends between two polls does not count
			farm = newFarm(c)
			job = *importOf(t, c.Upload(importPath(farm, ""), mediaGeoJSON, strings.NewReader(collection(t, 0, total, nil))), 202).JobID
			rig.Eventually(t, func() bool {
				seen = importOf(t, c.Do("GET", fmt.Sprintf("field/import/%d/", job), nil), 200).Done
				return seen > 0
			}, 10*time.Minute, 5*time.Millisecond)
		}
		first.Kill()

		second := rig.StartProcess(t, database, imagery.URL, objects)
		c = rig.Remote(t, second.URL, c.Token)
		report := untilImported(t, c, job)
		require.Equal(t, "completed", report.Status)
		require.EqualValues(t, total, report.Created)
		require.EqualValues(t, total, fieldCount(t, c, farm))
	})
}
