package ghg

import (
	"context"
	"io"
	"iter"
	"slices"
	"strconv"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// Sizes of the pieces in which an export reads: assessments with their sections, and reports, which
// are a hundred times as large.
const (
	exportChunk = 500
	reportChunk = 50
)

// Template returns a function that writes an empty file with its heading, and one row of example values if asked for.
func (b *Batches) Template(ctx context.Context, who access.Principal, format string, example bool) (func(w io.Writer) error, error) {
	if err := b.Gate.Require(ctx, who, access.Assessments.View); err != nil {
		return nil, err
	}
	heading := b.Assessing.Table.Template()
	return func(w io.Writer) error {
		return b.Files.Write(w, format, heading, func(yield func([]string, error) bool) {
			if example {
				yield(exampleRow(heading), nil)
			}
		})
	}, nil
}

// exampleRow fills in what most rows hold: the first worked example of the guide.
func exampleRow(heading []string) []string {
	example := map[string]string{
		"resource_type": "field", "resource_name": "North field", "assessment_year": "2024", "growing_area.value": "10", "growing_area.unit": "ha",
		"average_temperature.value": "9.5", "average_temperature.unit": "celsius", "climate_region": "cool_temperate_moist", "farm_country": "france",
		"submitted_data_quality": "all_actual_data", "crop.crop_type": "winter_wheat", "crop.harvested_yield.value": "8", "crop.harvested_yield.unit": "t/ha",
		"soil.soil_class": "high_activity_clay", "fertilizers[0].product": "urea", "fertilizers[0].rate.value": "200", "fertilizers[0].rate.unit": "kg/ha",
		"residues.management[0].practice": "left_on_field", "residues.management[0].share_pct": "100",
		"fuel_energy[0].carrier": "diesel", "fuel_energy[0].amount.value": "900", "fuel_energy[0].amount.unit": "l",
		"crop_protection[0].category": "herbicide", "crop_protection[0].applications": "3",
		"land_management.tillage": "full", "land_management.carbon_inputs": "medium", "land_management.no_change_20y": "true",
		"section_declarations.organic_inputs": "none", "section_declarations.irrigation": "none",
	}
	out := make([]string, len(heading))
	for i, name := range heading {
		out[i] = example[name]
	}
	return out
}

// Export returns a function that writes the assessments that a list would return as a table: one row per assessment,
// which can be imported again. The assessments are read twice, the first time for the heading, and piece by piece, each
// on a view of its own. An assessment that meanwhile got a value for which the heading has no column ends the table: a
// partial row would not be what was entered. Fault of the writing: Conflict (changed_meanwhile).
func (b *Batches) Export(ctx context.Context, who access.Principal, shared bool, q ports.Query, format string) (func(w io.Writer) error, error) {
	if err := b.Gate.Require(ctx, who, access.Assessments.View); err != nil {
		return nil, err
	}
	scope, table := who.Scope(shared), b.Assessing.Table
	return func(w io.Writer) error {
		filled := map[string]bool{}
		for e, err := range eachWhole(ctx, b.Store, scope, q, exportChunk, func(_ context.Context, _ ports.Repos, piece []Whole) ([]Whole, error) { return piece, nil }) {
			if err != nil {
				return err
			}
			for _, cell := range table.Cells(&e.Assessment, e.Sheet) {
				filled[cell.Name] = true
			}
		}
		cells := make([]assessment.Cell, 0, len(filled))
		for name := range filled {
			cells = append(cells, assessment.Cell{Name: name})
		}
		heading := table.FileHeading(cells)
		return b.Files.Write(w, format, heading, rowsOf(ctx, b.Store, scope, q, exportChunk, tableRows(table, heading)))
	}, nil
}

// eachWhole returns what make produces from the assessments that a query selects, read in pieces in the order of their ids.
func eachWhole[T any](ctx context.Context, store ports.Store, scope access.Scope, q ports.Query, size int,
	make func(ctx context.Context, tx ports.Repos, piece []Whole) ([]T, error),
) iter.Seq2[T, error] {
	after := int64(0)
	return app.Pieces(ctx, store, func(ctx context.Context, tx ports.Repos) ([]T, bool, error) {
		ids, err := tx.Assessments.IDsAfter(ctx, scope, q, after, size)
		if err != nil || len(ids) == 0 {
			return nil, false, err
		}
		after = ids[len(ids)-1]
		piece, err := tx.Assessments.Whole(ctx, scope, ids)
		if err != nil {
			return nil, false, err
		}
		made, err := make(ctx, tx, piece)
		return made, len(ids) == size, err
	})
}

// rowMaker makes the rows of a piece, given the farms and fields of its assessments.
type rowMaker func(ctx context.Context, tx ports.Repos, piece []Whole, names map[copyTarget]ports.Resource) (rows [][]string, err error)

// rowsOf returns the rows of the assessments that a query selects.
func rowsOf(ctx context.Context, store ports.Store, scope access.Scope, q ports.Query, size int, rows rowMaker) iter.Seq2[[]string, error] {
	return eachWhole(ctx, store, scope, q, size, func(ctx context.Context, tx ports.Repos, piece []Whole) ([][]string, error) {
		names, err := resourcesOf(ctx, tx, scope, piece)
		if err != nil {
			return nil, err
		}
		return rows(ctx, tx, piece, names)
	})
}

// tableRows returns a rowMaker that makes a row of texts for each assessment.
func tableRows(table *assessment.Table, heading []string) rowMaker {
	at := make(map[string]int, len(heading))
	for i, name := range heading {
		at[name] = i
	}
	return func(_ context.Context, _ ports.Repos, piece []Whole, names map[copyTarget]ports.Resource) (rows [][]string, err error) {
		for _, e := range piece {
			row := make([]string, len(heading))
			for _, cell := range table.Cells(&e.Assessment, e.Sheet) {
				i, ok := at[cell.Name]
				if !ok {
					return nil, fault.Newf(fault.Conflict, "changed_meanwhile",
						"Assessment %d got a value for %s while the file was written; ask for the file again.", e.ID, cell.Name)
				}
				row[i] = cell.Text
			}
			resource := names[copyTarget{e.ResourceType, e.ResourceID, 0}]
			row[at[assessment.ColumnID]] = strconv.FormatInt(e.ID, 10)
			row[at[assessment.ColumnExternalID]], row[at[assessment.ColumnResourceName]] = resource.ExternalID, resource.Name
			row[at[assessment.ColumnStatus]] = string(e.Status)
			if e.SubmittedVersion > 0 {
				row[at[assessment.ColumnVersion]] = strconv.Itoa(e.SubmittedVersion)
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
}

// resourcesOf returns the farms and fields of assessments that are live and visible.
func resourcesOf(ctx context.Context, tx ports.Repos, scope access.Scope, of []Whole) (map[copyTarget]ports.Resource, error) {
	keys := map[assessment.ResourceType][]string{}
	for _, e := range of {
		keys[e.ResourceType] = append(keys[e.ResourceType], strconv.FormatInt(e.ResourceID, 10))
	}
	out := map[copyTarget]ports.Resource{}
	for _, kind := range assessment.ResourceTypes {
		slices.Sort(keys[kind])
		found, err := tx.Assessments.Resources(ctx, scope, kind, ports.ByID, slices.Compact(keys[kind]))
		if err != nil {
			return nil, err
		}
		for _, list := range found {
			for _, r := range list {
				out[copyTarget{kind, r.ID, 0}] = r
			}
		}
	}
	return out, nil
}

// lineColumns are the columns for the source lines of reports: kg of each gas, and t CO2e.
var lineColumns = []string{
	"assessment_id", "resource_type", "resource_id", "resource_external_id", "resource_name", "assessment_year", "version", "submitted_at",
	"engine", "engine_version", "factor_set", "factor_set_version", "gwp_set", "line", "section", "model", "label", "scope", "category",
	"co2_kg", "ch4_fossil_kg", "ch4_biogenic_kg", "n2o_kg", "not_split_kg_co2e", "co2e_t", "low_t", "high_t", "co2e_t_per_ha", "co2e_t_per_t",
	"tier", "range_assumed",
}

// ExportLines returns a function that writes the source lines of the newest submitted versions of the assessments that
// a list would return: one row per source of emissions or of removals, which the column line distinguishes.
func (b *Batches) ExportLines(ctx context.Context, who access.Principal, shared bool, q ports.Query, format string) (func(w io.Writer) error, error) {
	if err := b.Gate.Require(ctx, who, access.Assessments.View); err != nil {
		return nil, err
	}
	scope := who.Scope(shared)
	return func(w io.Writer) error {
		return b.Files.Write(w, format, lineColumns, rowsOf(ctx, b.Store, scope, q, reportChunk, lineRows(scope)))
	}, nil
}

// lineRows returns a rowMaker that makes a row for each source line of the newest versions.
func lineRows(scope access.Scope) rowMaker {
	return func(ctx context.Context, tx ports.Repos, piece []Whole, names map[copyTarget]ports.Resource) (rows [][]string, err error) {
		versions, err := newestVersions(ctx, tx, scope, piece)
		if err != nil {
			return nil, err
		}
		for _, e := range piece {
			version, submitted := versions[e.ID]
			if !submitted {
				continue
			}
			impact, err := reportOf(version)
			if err != nil {
				return nil, fault.New(fault.Internal, "internal", "").Because(err)
			}
			head := headOf(e, names[copyTarget{e.ResourceType, e.ResourceID, 0}], version)
			for line, sources := range [][]report.SourceLine{impact.BySource, impact.RemovalsBySrc} {
				for _, s := range sources {
					rows = append(rows, append(slices.Clone(head), lineOf([]string{"emission", "removal"}[line], s)...))
				}
			}
		}
		return rows, nil
	}
}

func newestVersions(ctx context.Context, tx ports.Repos, scope access.Scope, of []Whole) (map[int64]ports.AssessmentVersion, error) {
	ids := make([]int64, 0, len(of))
	for _, e := range of {
		if e.SubmittedVersion > 0 {
			ids = append(ids, e.ID)
		}
	}
	return tx.Assessments.NewestVersions(ctx, scope, ids)
}

func headOf(e Whole, r ports.Resource, v ports.AssessmentVersion) []string {
	year := ""
	if e.Year != nil {
		year = strconv.Itoa(*e.Year)
	}
	return []string{
		strconv.FormatInt(e.ID, 10), string(e.ResourceType), strconv.FormatInt(e.ResourceID, 10), r.ExternalID, r.Name, year,
		strconv.Itoa(v.Number), v.SubmittedAt.UTC().Format("2006-01-02T15:04:05Z"), v.Engine, v.EngineVersion, v.FactorSet, v.FactorSetVersion, v.GWPSet,
	}
}

func lineOf(kind string, s report.SourceLine) []string {
	return []string{
		kind, s.Section, s.Model, s.Label, strconv.Itoa(s.Scope), s.Category,
		decimal(&s.Kg.CO2), decimal(&s.Kg.CH4Fossil), decimal(&s.Kg.CH4Biogenic), decimal(&s.Kg.N2O), decimal(&s.Kg.NotSplit),
		decimal(&s.CO2e), decimal(&s.Low), decimal(&s.High), decimal(s.PerHa), decimal(s.PerT), strconv.Itoa(s.Tier), strconv.FormatBool(s.RangeAssumed),
	}
}

// decimal formats a number without an exponent; empty for nil.
func decimal(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}
