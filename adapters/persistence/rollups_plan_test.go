package persistence

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"tilth/core/access"
)

// TestPlansOfTheDashboard asserts that a dashboard comes out of indexes, in their order: its
// time does not grow with the number of assessments.
func TestPlansOfTheDashboard(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "tilth.db"), Options{Clock: stillClock{}, IDs: noIDs{}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.Migrator().Up(ctx)
	require.NoError(t, err)
	year := 2024
	require.NoError(t, db.once(ctx, false, func(ctx context.Context, s *session) error {
		us := access.Own(7)
		for index, q := range map[string]*bun.SelectQuery{
			"USING PRIMARY KEY (company_id=?)":           rollups{s}.summed(us),
			"ix_assessment_contributions_verified ":      rollups{s}.verified(us, nil, 100),
			"ix_assessment_contributions_verified_year ": rollups{s}.verified(us, &year, 100),
		} {
			plan := planOf(ctx, t, s, q)
			require.Contains(t, plan, index)
			require.NotContains(t, plan, "TEMP B-TREE", plan)
		}
		return nil
	}))
}
