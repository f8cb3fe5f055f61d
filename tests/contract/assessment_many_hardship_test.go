package contract

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// kill -9 in the middle of an import, then a restart: it continues where it stopped,
// and no assessment exists twice.
func TestKilledWhileImportingAssessments(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		imagery := newGate(t)
		objects := "TILTH_OBJECTS_URL=file:" + t.TempDir()
		first := rig.StartProcess(t, database, imagery.URL, objects)
		c := rig.Remote(t, first.URL, tokenOf(t, database))
		c.Make("field/", map[string]any{"name": "North", "farm_id": newFarm(c)})
		const total = 1_100
		var job, made int64
		for seen := int64(total); seen == total; made += total { // an import that ends between two polls does not count
			lines := []string{"resource_type,resource_name,assessment_year,soil.ph,fertilizers[0].product"}
			for i := range total {
				lines = append(lines, fmt.Sprintf("field,North,%d,6,urea", 1+made+int64(i)))
			}
			job = *batchOf(t, c.Upload(assessmentsPath+"import/", "text/csv", csvOf(lines...)), 202).JobID
			rig.Eventually(t, func() bool {
				seen = batchOf(t, c.Do(http.MethodGet, fmt.Sprintf("%simport/%d/", assessmentsPath, job), nil), 200).Done
				return seen > 0
			}, 10*time.Minute, 5*time.Millisecond)
		}
		first.Kill()

		second := rig.StartProcess(t, database, imagery.URL, objects)
		c = rig.Remote(t, second.URL, c.Token)
		report := ended(t, c, "import/", job)
		require.Equal(t, "completed", report.Status)
		require.Equal(t, map[string]int64{"create": total}, report.Counts)
		require.Equal(t, rig.Itoa(made), c.Expect(200, http.MethodGet, assessmentsPath+"?page_size=1", nil).Header.Get("X-Total-Count"))
	})
}

// Copies requested at the same time make one draft of each assessment.
func TestCopiesAtTheSameTimeMakeOneDraft(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		c := rig.Start(t, rig.Options{Database: database}).Company(access.RoleOwner, 0)
		field := c.Make("field/", map[string]any{"name": "North", "farm_id": newFarm(c)})
		for range 2 { // two of the same year: the first is copied
			assess(t, c, map[string]any{"resource_type": "field", "resource_id": field, "assessment_year": 2024})
		}
		var all sync.WaitGroup
		answers := make([]rig.Answer, 4)
		for i := range answers {
			all.Go(func() {
				answers[i] = c.Do(http.MethodPost, assessmentsPath+"copy-forward/", map[string]any{"from_year": 2024, "to_year": 2025})
			})
		}
		all.Wait()
		made := int64(0)
		for _, a := range answers {
			made += batchOf(t, a, 200).Counts["create"]
		}
		require.EqualValues(t, 1, made)
		var drafts []struct{ ID int64 }
		c.Expect(200, http.MethodGet, assessmentsPath+"?assessment_year=2025", nil).Into(t, &drafts)
		require.Len(t, drafts, 1)
	})
}
