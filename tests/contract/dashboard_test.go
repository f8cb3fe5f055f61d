package contract

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/persistence"
	ghgapp "tilth/app/ghg"
	cropcheckapp "tilth/app/ghg/cropcheck"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/ports"
	"tilth/tests/rig"
)

const dashboardPath = assessmentsPath + "sustainability-dashboard/"

type (
	chart struct {
		Labels []string
		Values []float64
	}
	dashboard struct {
		Summary struct {
			Total      int64   `json:"total_assessments"`
			Drafts     int64   `json:"draft_count"`
			Submitted  int64   `json:"submitted_count"`
			Ready      int64   `json:"ready_for_submission_count"`
			Area       float64 `json:"total_area"`
			Completion float64 `json:"average_completion"`
			Latest     int     `json:"latest_assessment_year"`
		}
		Carbon struct {
			Emissions, Removals, Balance float64
			EmissionsPerHa               float64 `json:"emissions_per_ha"`
			RemovalsPerHa                float64 `json:"removals_per_ha"`
			EmissionsPerT                float64 `json:"emissions_per_t"`
			NetPerHa                     float64 `json:"net_intensity_per_ha"`
			Unit                         string
		}
		Verification struct {
			Pending int64 `json:"pending_crop_assessments_count"`
			Rate    float64
			List    []any `json:"verified_assessments"`
		}
		Sections map[string]struct {
			Status      string
			Completion  float64
			Assessments int64
			Counts      map[string]int64 `json:"status_counts"`
			Missing     int64            `json:"missing_fields_count"`
		}
		Charts struct {
			Emissions chart `json:"emissions_by_model"`
			Status    chart `json:"status_distribution"`
			Sections  chart `json:"completion_by_section"`
			Trend     struct {
				Labels                                   []string
				Completion, Emissions, Removals, Balance []float64
			} `json:"yearly_trend"`
		}
		Issues []struct {
			Field, Label, Message, Section string
			Count                          int64
		} `json:"top_issues"`
	}
)

func dashboardOf(t testing.TB, c *rig.Client, query string) (d dashboard) {
	t.Helper()
	c.Expect(200, http.MethodGet, dashboardPath+query, nil).Into(t, &d)
	return d
}

// submitAs stores a version with a report under an assessment, as a submission does.
func submitAs(t testing.TB, database string, c *rig.Client, id int64, report report.Report) {
	t.Helper()
	db, err := persistence.Open(t.Context(), database, persistence.Options{Clock: identity.Clock{}, IDs: identity.Random{}, BeforeCommit: ghgapp.SettleRollups})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	raw, err := json.Marshal(report)
	require.NoError(t, err)
	scope := access.Own(c.CompanyID)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		a, err := tx.Assessments.GetForUpdate(ctx, scope, id)
		if err != nil {
			return err
		}
		a.Status, a.SubmittedVersion, a.UpdatedAt = assessment.Submitted, a.SubmittedVersion+1, time.Now()
		version := ports.AssessmentVersion{AssessmentID: id, Number: a.SubmittedVersion, Digest: "d", Snapshot: []byte("{}"), Engine: "e", FactorSet: "f", GWPSet: "g", Report: raw}
		if err := tx.AssessmentVersions.Insert(ctx, scope, &version); err != nil {
			return err
		}
		if err := tx.Assessments.Update(ctx, scope, &a); err != nil {
			return err
		}
		return cropcheckapp.Ask(ctx, tx, a, a.UpdatedAt)
	}))
}

func TestSustainabilityDashboard(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, other := s.Company(access.RoleOwner, 0), s.Company(access.RoleOwner, 0)
		land := c.Land(rig.Square(300, 0), "2023-10-01", "2024-09-30")

		empty := dashboardOf(t, c, "")
		require.Zero(t, empty.Summary)
		require.Equal(t, "tCO2e", empty.Carbon.Unit)
		empty.Carbon.Unit = ""
		require.Zero(t, empty.Carbon)
		require.Len(t, empty.Sections, 16)
		require.Equal(t, "not_started", empty.Sections["soil"].Status)
		require.Empty(t, empty.Charts.Trend.Labels)

		body := map[string]any{"resource_type": "field", "resource_id": land.Field, "assessment_year": 2024, "growing_area": map[string]any{"value": 10, "unit": "ha"}}
		first, _ := assess(t, c, body)
		body["assessment_year"], body["growing_area"] = 2021, map[string]any{"value": 10, "unit": "acres"}
		second, _ := assess(t, c, body)
		completed(t, c, first)
		completed(t, c, second)
		ha, tonnes := 10.0, 80.0
		submitAs(t, database, c, first, report.Report{
			Totals: report.Totals{Emissions: 18.579, Removals: 0.579},
			BySource: []report.SourceLine{
				{Label: ghg.LabelUrea, CO2e: 1.467}, {Label: ghg.LabelDirect, CO2e: 6.315}, {Label: ghg.LabelDirect, CO2e: 10.797},
			},
			FunctionalUnit: report.FunctionalUnit{AreaHa: &ha, ProductT: &tonnes}, Allocation: report.Allocation{Main: 16},
		})
		d := dashboardOf(t, c, "")
		require.EqualValues(t, []int64{2, 1, 1}, []int64{d.Summary.Total, d.Summary.Drafts, d.Summary.Submitted})
		require.InDelta(t, 14.046856, d.Summary.Area, 1e-6, "10 ha and 10 acres")
		require.Equal(t, 2024, d.Summary.Latest)
		require.Equal(t, []float64{18.579, 0.579, 18, 1.8579, 0.0579, 1.8, 0.2}, []float64{
			d.Carbon.Emissions, d.Carbon.Removals, d.Carbon.Balance, d.Carbon.EmissionsPerHa, d.Carbon.RemovalsPerHa, d.Carbon.NetPerHa, d.Carbon.EmissionsPerT,
		})
		require.Equal(t, chart{[]string{ghg.LabelDirect, ghg.LabelUrea}, []float64{17.112, 1.467}}, d.Charts.Emissions)
		require.Equal(t, []string{"2021", "2024"}, d.Charts.Trend.Labels)
		require.Equal(t, []float64{0, 18.579}, d.Charts.Trend.Emissions)
		require.EqualValues(t, 2, d.Sections["fertilizers"].Assessments)
		require.EqualValues(t, 0, d.Sections["rice"].Assessments, "it is asked for where rice grows")
		require.EqualValues(t, 2, d.Issues[0].Count)
		require.NotEmpty(t, d.Issues[0].Label)
		require.NotEmpty(t, d.Issues[0].Message)

		year := dashboardOf(t, c, "?assessment_year=2021&verified_limit=0")
		require.EqualValues(t, 1, year.Summary.Total)
		require.Zero(t, year.Carbon.Emissions)
		require.Equal(t, d.Charts.Trend, year.Charts.Trend, "the trend is of all years")
		for _, none := range []string{"1999", "0", "-5", "9223372036854775807"} {
			require.Zero(t, dashboardOf(t, c, "?assessment_year="+none).Summary.Total, none)
		}

		// The verification that the submission asked for ends, pending: nothing grew here.
		var v struct {
			Status, Reason, Message *string
			Evidence                []struct{ Reason string }
		}
		rig.Eventually(t, func() bool {
			c.Expect(200, http.MethodGet, assessmentAt(first)+"verification/", nil).Into(t, &v)
			return v.Reason != nil && *v.Reason == "no_crop_type"
		}, 10*time.Minute, 20*time.Millisecond)
		require.Equal(t, "pending", *v.Status)
		require.EqualValues(t, 1, dashboardOf(t, c, "").Verification.Pending)
		c.Expect(200, http.MethodPost, assessmentAt(first)+"verification/", nil)
		require.Equal(t, "not_submitted", c.Expect(400, http.MethodPost, assessmentAt(second)+"verification/", nil).Map(t)["code"])
		c.Expect(200, http.MethodGet, assessmentAt(second)+"verification/", nil).Into(t, &v)
		require.Nil(t, v.Status)

		// It is shared with its assessment, for reading.
		grant := c.Make("share-grant/", map[string]any{"grantee_uuid": other.UUID(), "target": "all", "slugs": []string{"assessment.view"}})
		other.Expect(200, http.MethodPost, path("share-grant", grant)+"accept/", nil)
		other.Expect(200, http.MethodGet, assessmentAt(first)+"verification/?share=true", nil).Into(t, &v)
		require.NotNil(t, v.Status)
		other.Expect(404, http.MethodGet, assessmentAt(first)+"verification/", nil)
		other.Expect(404, http.MethodPost, assessmentAt(first)+"verification/?share=true", nil)

		// What is deleted does not count, and a restore brings it back unchanged.
		c.Expect(204, http.MethodDelete, assessmentAt(first), nil)
		require.Zero(t, dashboardOf(t, c, "").Carbon.Emissions)
		require.EqualValues(t, 1, dashboardOf(t, c, "").Summary.Total)
		c.Expect(200, http.MethodPost, assessmentAt(first)+"restore/", nil)
		require.Equal(t, d.Carbon, dashboardOf(t, c, "").Carbon)
		require.Zero(t, dashboardOf(t, other, "").Summary.Total, "another company's are not among them")

		for _, bad := range []string{"?assessment_year=x", "?assessment_year=2024.5", "?assessment_year=", "?verified_limit=-1", "?verified_limit=1001", "?verified_limit=x"} {
			c.Expect(400, http.MethodGet, dashboardPath+bad, nil)
		}
		_, err := s.Operating.CreateUser(t.Context(), operating.NewUser{Email: "op@test.example", Name: "Op", Operator: true})
		require.NoError(t, err)
		token, err := s.Operating.CreateToken(t.Context(), "op@test.example", time.Hour)
		require.NoError(t, err)
		status, text := with(t, s, http.MethodGet, dashboardPath, "", "Authorization", "Bearer "+token)
		require.Equal(t, 400, status, text)
		require.Contains(t, text, "company_required")
		status, text = with(t, s, http.MethodGet, dashboardPath, "", "Authorization", "Bearer "+token, "X-Company", itoa(c.CompanyID))
		require.Equal(t, 200, status, text)
	})
}
