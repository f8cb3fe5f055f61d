package ghg_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
)

// TestEvidenceOfTheTables checks the numbers of rows by their status, and the table of docs/ghg.md with them: a row
// that is added, or read again in its source, changes both.
func TestEvidenceOfTheTables(t *testing.T) {
	t.Parallel()
	values, ranges, marks := map[string]int{}, map[string]int{}, map[string]int{}
	recalled, seen, empty := 0, 0, 0
	for _, f := range factors(t, ghg.IPCC2019).Rows() {
		values[f.Status]++
		if f.Ranged {
			require.NotEmpty(t, f.RangeStatus, f.Key)
			ranges[f.RangeStatus]++
		}
		if strings.Contains(f.Note, "range recalled") && f.Status != ghg.Unverified {
			recalled++
			require.Equal(t, ghg.RangeRecalled, f.RangeStatus, f.Key)
		}
		if strings.Contains(f.Source, "seen in") && f.Status != ghg.Unverified {
			seen++
			require.Equal(t, ghg.Secondary, f.Status, f.Key)
		}
		if f.Status == ghg.Unverified {
			require.NotEqual(t, ghg.RangePublished, f.RangeStatus, "%s: the range of a value that was not read was not read either", f.Key)
			if f.Empty {
				empty++
			}
		}
		if f.Status == ghg.Secondary {
			for _, mark := range ghg.SecondaryMarks() {
				if strings.Contains(f.Source, mark) || strings.Contains(f.Note, mark) {
					marks[mark]++
				}
			}
		}
	}
	require.Equal(t, map[string]int{ghg.Verified: 662, ghg.Secondary: 701, ghg.Unverified: 134}, values)
	require.Equal(t, map[string]int{ghg.RangePublished: 324, ghg.RangeRecalled: 126, ghg.RangeAssumed: 923}, ranges)
	require.Equal(t, []int{89, 238, 9}, []int{recalled, seen, empty})

	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "ghg.md"))
	require.NoError(t, err)
	for _, mark := range ghg.SecondaryMarks() {
		require.Positive(t, marks[mark], "no row is marked by %q", mark)
		require.Contains(t, string(guide), "`"+strings.TrimSpace(mark)+"`")
	}
	for _, row := range []string{
		fmt.Sprintf("| `secondary` | %d |", values[ghg.Secondary]), fmt.Sprintf("| `verified` | %d |", values[ghg.Verified]),
		fmt.Sprintf("| `unverified` | %d |", values[ghg.Unverified]), fmt.Sprintf("| `published` | %d |", ranges[ghg.RangePublished]),
		fmt.Sprintf("| `recalled` | %d |", ranges[ghg.RangeRecalled]), fmt.Sprintf("| `assumed` | %d |", ranges[ghg.RangeAssumed]),
	} {
		require.Contains(t, string(guide), row)
	}
}

// TestEvidenceOfLines: every line states how many rows move it and their status, with a trace and without; the whole
// counts each row once.
func TestEvidenceOfLines(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	traced, err := ghg.Calculate(paddy(), set, ghg.Options{Trace: true})
	require.NoError(t, err)
	res := calculate(t, paddy(), set)
	require.Equal(t, traced.Evidence, res.Evidence)

	known := map[string]ghg.Factor{}
	for _, step := range traced.Trace {
		for _, f := range step.Factors {
			row, _ := set.Row(f.Key)
			require.Equal(t, row.RangeStatus, f.RangeStatus, f.Key)
			if f.Lower != nil {
				known[f.Key] = row
			}
		}
	}
	want := ghg.Evidence{Factors: len(known)}
	for _, f := range known {
		if f.Status == ghg.Unverified {
			want.Unverified++
		}
		if f.Status == ghg.Secondary {
			want.Secondary++
		}
		if f.RangeStatus == ghg.RangeRecalled {
			want.RangesRecalled++
		}
		if f.RangeStatus == ghg.RangeAssumed {
			want.RangesAssumed++
		}
	}
	require.Equal(t, want, res.Evidence)
	require.Equal(t, 2, res.Evidence.Unverified, "the pump efficiency and the flooding head")
	require.Equal(t, ghg.Unverified, res.Evidence.Status())
	for _, l := range res.Lines {
		switch l.Label {
		case ghg.LabelIrrigation:
			require.Equal(t, 2, l.Evidence.Unverified)
			require.Equal(t, ghg.RangeAssumed, l.Evidence.RangeStatus())
		case ghg.LabelUrea:
			require.Equal(t, ghg.Evidence{Factors: 1, RangesRecalled: 1}, l.Evidence)
			require.Equal(t, ghg.Verified, l.Evidence.Status())
			require.Equal(t, ghg.RangeRecalled, l.Evidence.RangeStatus())
		case ghg.LabelCombustion:
			require.Equal(t, ghg.Secondary, l.Evidence.Status())
		}
	}
	require.Empty(t, ghg.Evidence{}.Status())
}
