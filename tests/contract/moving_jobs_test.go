package contract

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence/moving"
	"tilth/tests/rig"
)

// behind are the kinds of jobs that do not move with a company, and why.
var behind = map[string]string{
	"field_import": "its file stays", "assessment_import": "its file stays", "stratification_maps": "nobody has saved its maps",
	"assessment_copy_forward": "whoever asked for it asks again", "assessment_submit_many": "whoever asked for it asks again", "company_export": "of the company here",
	"event": "the bus is another", "webhook": "its address was told of what is here", "pact_messages": "they were announced from here", "mail": "its links lead here",
}

// Every kind of job moves with its company, or there is a reason why it stays: a new kind cannot be forgotten.
func TestEveryKindOfJobMovesOrStays(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	var known []string
	chore := regexp.MustCompile(`_(sweep|watch|forget|prune|purge)$`) // these belong to no company
	for _, found := range regexp.MustCompile(`(?m)^tilth_job_runs_total\{kind="([a-z_]+)",outcome="done"\}`).FindAllStringSubmatch(s.Metrics(), -1) {
		if !chore.MatchString(found[1]) {
			known = append(known, found[1])
		}
	}
	require.ElementsMatch(t, known, slices.Concat(moving.Kinds(), slices.Collect(maps.Keys(behind))))
}
