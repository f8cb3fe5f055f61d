package soil

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

type sampleRow struct {
	bun.BaseModel `bun:"table:soil_samples,alias:t"`
	sqlstore.MetaRow
	PlanID             int64
	AOIID              int64 `bun:"aoi_id"`
	Round              int64
	SampledOn          *sqlstore.Day
	Point              string
	Zone               int
	Role               string
	DepthFromMm        int64
	DepthToMm          int64
	Longitude          float64
	Latitude           float64
	Status             string
	Label              string
	CollectedAt        *sqlstore.Stamp
	CollectedBy        string
	CollectedLongitude *float64
	CollectedLatitude  *float64
	CollectedZone      int
	AccuracyM          *float64 `bun:"accuracy_m"`
	MovedM             *float64 `bun:"moved_m"`
	SOCPct             *float64 `bun:"soc_pct"`
	SOCLimitPct        *float64 `bun:"soc_limit_pct"`
	BulkDensity        *float64
	CoarseFragmentsPct *float64
	LabMethod          string
	LabRef             string
	AnalysedAt         *sqlstore.Stamp
	Notes              string
	Composite          string
	ExternalID         string
	Source             string

	PlanUUID string `bun:"plan_uuid,scanonly"`
	MapUUID  string `bun:"map_uuid,scanonly"`
	AOIUUID  string `bun:"aoi_uuid,scanonly"`
	AOIName  string `bun:"aoi_name,scanonly"`
}

var sampleTable = &sqlstore.Table[sample.Sample, sampleRow]{
	Word:    "sample",
	Columns: []string{"plan.plan_uuid AS plan_uuid", "zones.map_uuid AS map_uuid", "aoi.uuid AS aoi_uuid", "aoi.name AS aoi_name"},
	Joins: []string{
		"LEFT JOIN stratification_plans AS plan ON plan.id = t.plan_id",
		"LEFT JOIN stratification_maps AS zones ON zones.id = plan.map_id",
		"LEFT JOIN aois AS aoi ON aoi.id = t.aoi_id",
	},
	Filters: sqlstore.KeyedFilters(map[string]sqlstore.Filter{
		"aoi": {Exact: "t.aoi_id"}, "farm": ofFarm("t.aoi_id"), "plan": {Exact: "t.plan_id"}, "plan_uuid": {Exact: "plan.plan_uuid"}, "zone": {Exact: "t.zone"},
		"status": {Exact: "t.status"}, "round": {Exact: "t.round"}, "point": {Exact: "t.point"}, "role": {Exact: "t.role"}, "label": {Exact: "t.label"},
		sqlstore.InBoxes: {Where: sqlstore.PointOf("COALESCE(t.collected_longitude, t.longitude)", "COALESCE(t.collected_latitude, t.latitude)")},
		sqlstore.InSpan:  {When: &sqlstore.Spell{From: "t.collected_at", To: "t.collected_at"}},
	}),
	Orders: map[string]sqlstore.OrderKey{},
	Shared: func(s *sqlstore.Session, scope access.Scope) sqlstore.Condition {
		return sqlstore.Both(sqlstore.When("aoi.deleted_at IS NULL"), sharedOfOrder(s, access.Samples.View.Slug(), scope, "plan.order_id", "t.aoi_id"))
	},
	Within: sqlstore.When("EXISTS (SELECT 1 FROM aois AS a WHERE a.id = t.aoi_id AND a.deleted_at IS NULL)"),
	Row:    rowOfSample,
	Record: sampleOfRow,
	Kept:   []string{"plan_id", "aoi_id", "round", "point", "zone", "role", "depth_from_mm", "depth_to_mm", "longitude", "latitude"},
}

// samples implements ports.SoilSamples.
type samples struct {
	sqlstore.Records[sample.Sample, sampleRow, *sample.Sample, *sampleRow]
}

func sampleRecords(s *sqlstore.Session) samples { return samples{sqlstore.NewRecords(s, sampleTable)} }

func (r samples) OfPlan(ctx context.Context, scope access.Scope, planID, round int64) ([]sample.Sample, error) {
	q := r.Query(scope).Where("t.plan_id = ?", planID).Where("t.round = ?", round).OrderExpr("t.id")
	return sqlstore.Collect(sqlstore.Stream(ctx, r.Session, q, sampleOfRow))
}

func (r samples) ByLabels(ctx context.Context, scope access.Scope, labels []string) (map[string]sample.Sample, error) {
	out := make(map[string]sample.Sample, len(labels))
	labels = slices.DeleteFunc(slices.Clone(labels), func(label string) bool { return !sqlstore.Storable(label) })
	slices.Sort(labels) // all callers lock in the same order
	for chunk := range slices.Chunk(slices.Compact(labels), sqlstore.ListChunk) {
		q := r.Query(scope).Where("t.label IN (?)", prepared.List(chunk)).OrderExpr("t.id")
		if r.Session.Writes {
			q = r.Session.ForUpdate(q)
		}
		for sample, err := range sqlstore.Stream(ctx, r.Session, q, sampleOfRow) {
			if err != nil {
				return nil, err
			}
			out[sample.Label] = sample
		}
	}
	return out, nil
}

func (r samples) ByComposites(ctx context.Context, scope access.Scope, labels []string) (map[string][]sample.Sample, error) {
	out := map[string][]sample.Sample{}
	wanted, plans := map[string]bool{}, []int64(nil)
	for _, label := range labels {
		if id, ok := sample.PlanOfComposite(label); ok && !wanted[label] {
			wanted[label] = true
			plans = append(plans, id)
		}
	}
	slices.Sort(plans) // all callers lock in the same order
	for chunk := range slices.Chunk(slices.Compact(plans), sqlstore.ListChunk) {
		q := r.Query(scope).Where("t.plan_id IN (?)", prepared.List(chunk)).Where("t.composite <> ''").OrderExpr("t.id")
		if r.Session.Writes {
			q = r.Session.ForUpdate(q)
		}
		for s, err := range sqlstore.Stream(ctx, r.Session, q, sampleOfRow) {
			if err != nil {
				return nil, err
			}
			if label := s.CompositeLabel(); wanted[label] {
				out[label] = append(out[label], s)
			}
		}
	}
	return out, nil
}

func rowOfSample(s *sample.Sample) sampleRow {
	row := sampleRow{
		MetaRow: sqlstore.MetaRowOf(s.Meta), PlanID: s.PlanID, AOIID: s.AOI.ID, Round: s.Round, SampledOn: sqlstore.NullableDay(s.SampledOn), Point: s.Point, Zone: s.Zone, Role: string(s.Role),
		DepthFromMm: s.Depth.FromMm, DepthToMm: s.Depth.ToMm, Longitude: s.Planned.X, Latitude: s.Planned.Y,
		Status: string(s.Status), Label: s.Label, Notes: s.Notes, Composite: s.Composite, ExternalID: s.ExternalID, Source: s.Source,
	}
	if c := s.Collected; c != nil {
		row.CollectedAt, row.CollectedBy, row.CollectedZone = sqlstore.NullableStamp(&c.At), c.By, c.Zone
		row.AccuracyM, row.MovedM = c.AccuracyM, c.MovedM
		if c.LonLat != nil {
			row.CollectedLongitude, row.CollectedLatitude = &c.LonLat.X, &c.LonLat.Y
		}
	}
	if l := s.Lab; l != nil {
		row.SOCPct, row.SOCLimitPct, row.BulkDensity, row.CoarseFragmentsPct = &l.SOCPct, l.SOCLimitPct, l.BulkDensity, l.CoarseFragmentsPct
		row.LabMethod, row.LabRef, row.AnalysedAt = l.Method, l.Ref, sqlstore.NullableStamp(l.At)
	}
	return row
}

func sampleOfRow(row *sampleRow) (sample.Sample, error) {
	s := sample.Sample{
		Meta: row.Meta(), External: record.External{ExternalID: row.ExternalID, Source: row.Source}, PlanID: row.PlanID, PlanUUID: row.PlanUUID, MapUUID: row.MapUUID,
		AOI: stratification.AOIRef{ID: row.AOIID, UUID: row.AOIUUID, Name: row.AOIName}, Round: row.Round, SampledOn: row.SampledOn.Nullable(),
		Point: row.Point, Zone: row.Zone, Role: plan.Role(row.Role), Depth: sample.Depth{FromMm: row.DepthFromMm, ToMm: row.DepthToMm},
		Planned: geo.Position{X: row.Longitude, Y: row.Latitude}, Status: sample.Status(row.Status), Label: row.Label, Notes: row.Notes, Composite: row.Composite,
	}
	if row.CollectedAt != nil {
		s.Collected = &sample.Collected{
			At: row.CollectedAt.Time, By: row.CollectedBy, AccuracyM: row.AccuracyM, MovedM: row.MovedM, Zone: row.CollectedZone,
		}
		if row.CollectedLongitude != nil && row.CollectedLatitude != nil {
			s.Collected.LonLat = &geo.Position{X: *row.CollectedLongitude, Y: *row.CollectedLatitude}
		}
	}
	if row.SOCPct != nil {
		s.Lab = &sample.Lab{
			SOCPct: *row.SOCPct, SOCLimitPct: row.SOCLimitPct, BulkDensity: row.BulkDensity, CoarseFragmentsPct: row.CoarseFragmentsPct,
			Method: row.LabMethod, Ref: row.LabRef, At: row.AnalysedAt.Nullable(),
		}
	}
	return s, nil
}

var _ ports.SoilSamples = samples{}
