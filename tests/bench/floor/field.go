package floor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// named is an id with a name.
type named struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// written is what a client sends to create a field without a boundary.
type written struct {
	Name           string   `json:"name"`
	FarmID         int64    `json:"farm_id"`
	DeclaredAreaHa *float64 `json:"declared_area_ha"`
	Category       *string  `json:"boundary_category"`
	Method         *string  `json:"boundary_method"`
	SoilType       string   `json:"soil_type"`
	Irrigated      *bool    `json:"irrigated"`
	Tenure         string   `json:"tenure"`
	Notes          string   `json:"notes"`
	ExternalID     string   `json:"external_id"`
	Source         string   `json:"source"`
}

// field is a field as the program returns it.
type field struct {
	ID        int64     `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	CreatedBy *named    `json:"created_by"`
	Company   named     `json:"company"`
	CompanyID int64     `json:"company_id"`
	written
	Boundary   json.RawMessage `json:"boundary"`
	ObservedOn *string         `json:"boundary_observed_on"`
	ActiveFrom *string         `json:"active_from"`
	ActiveTo   *string         `json:"active_to"`
	UUID       string          `json:"uuid"`
	Farm       named           `json:"farm"`
	AreaHa     *float64        `json:"area_ha"`
	PerimeterM *float64        `json:"perimeter_m"`
	Centroid   *[2]float64     `json:"centroid"`
	BBox       []float64       `json:"bbox"`
	Warnings   []string        `json:"warnings"`
	lineage
}

// lineage is what a field was made from, and what it became: empty, because the fields of the comparison are never split or merged.
type lineage struct {
	SplitFrom  *int64  `json:"split_from"`
	MergedFrom []int64 `json:"merged_from"`
	ReplacedBy []int64 `json:"replaced_by"`
}

var asMade = lineage{MergedFrom: []int64{}, ReplacedBy: []int64{}}

// stampLayout is how the program writes times into SQLite, where they sort as text.
const stampLayout = "2006-01-02T15:04:05.000000Z"

// stamp reads a time from either database.
type stamp struct{ at *time.Time }

// Scan implements sql.Scanner.
func (s stamp) Scan(src any) (err error) {
	switch v := src.(type) {
	case time.Time:
		*s.at = v.UTC()
	case string:
		*s.at, err = time.Parse(time.RFC3339Nano, v)
	default:
		err = fmt.Errorf("a time is a %T", src)
	}
	return err
}

const selectFields = `SELECT t.id, t.created_at, t.updated_at, t.created_by, u.name, c.name, t.company_id, t.name, t.farm_id, t.declared_area_ha,
 t.boundary_category, t.boundary_method, t.soil_type, t.irrigated, t.tenure, t.notes, t.external_id, t.source,
 t.boundary, t.uuid, f.name, t.area_ha, t.perimeter_m,
 EXISTS (SELECT 1 FROM field_lineage AS l WHERE l.to_id = t.id) OR EXISTS (SELECT 1 FROM field_lineage AS l WHERE l.from_id = t.id)
 FROM fields AS t LEFT JOIN users AS u ON u.id = t.created_by LEFT JOIN companies AS c ON c.id = t.company_id LEFT JOIN farms AS f ON f.id = t.farm_id WHERE `

// fields returns the fields that satisfy a condition.
func (f *floor) fields(ctx context.Context, where string, args ...any) ([]*field, error) {
	out := []*field{}
	err := f.ask(ctx, selectFields+where, args, func(scan func(...any) error) error {
		r := &field{Warnings: []string{}, lineage: asMade}
		var by *int64
		var creator *string
		var category, method string
		var boundary []byte
		var reshaped bool
		err := scan(&r.ID, stamp{&r.CreatedAt}, stamp{&r.UpdatedAt}, &by, &creator, &r.Company.Name, &r.CompanyID, &r.Name, &r.FarmID, &r.DeclaredAreaHa,
			&category, &method, &r.SoilType, &r.Irrigated, &r.Tenure, &r.Notes, &r.ExternalID, &r.Source,
			&boundary, &r.UUID, &r.Farm.Name, &r.AreaHa, &r.PerimeterM, &reshaped)
		if by != nil && creator != nil {
			r.CreatedBy = &named{*by, *creator}
		}
		if category != "" {
			r.Category = &category
		}
		if method != "" {
			r.Method = &method
		}
		r.Boundary, r.Company.ID, r.Farm.ID = boundary, r.CompanyID, r.FarmID
		if out = append(out, r); err == nil && reshaped {
			err = fmt.Errorf("field %d was made of others, or became others", r.ID)
		}
		return err
	})
	return out, err
}

// change is a member of a record in the audit trail.
type change struct {
	Member string `json:"member"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// changes are the members of a new field that have a value.
func (r *field) changes() []change {
	out := []change{{"uuid", nil, r.UUID}, {"name", nil, r.Name}, {"farm_id", nil, r.FarmID}}
	if r.DeclaredAreaHa != nil {
		out = append(out, change{"declared_area_ha", nil, *r.DeclaredAreaHa})
	}
	if r.Irrigated != nil {
		out = append(out, change{"irrigated", nil, *r.Irrigated})
	}
	for _, text := range []struct{ member, value string }{
		{"boundary_category", orEmpty(r.Category)}, {"boundary_method", orEmpty(r.Method)}, {"soil_type", r.SoilType}, {"tenure", r.Tenure},
		{"notes", r.Notes}, {"external_id", r.ExternalID}, {"source", r.Source},
	} {
		if text.value != "" {
			out = append(out, change{text.member, nil, text.value})
		}
	}
	return out
}

// insert stores new fields and their entries of the audit trail, in one statement each.
func insert(ctx context.Context, ask asks, made []*field) error {
	var rows [][]any
	for _, r := range made {
		rows = append(rows, []any{
			r.CompanyID, r.CreatedAt.Format(stampLayout), r.CreatedAt.Format(stampLayout), r.CreatedBy.ID, r.UUID, r.Name, strings.ToLower(r.Name), r.FarmID,
			r.DeclaredAreaHa, orEmpty(r.Category), orEmpty(r.Method), r.SoilType, r.Irrigated, r.Tenure, r.Notes, r.ExternalID, r.Source, 0,
		})
	}
	var ids []int64
	err := ask(ctx, values(`INSERT INTO fields (company_id, created_at, updated_at, created_by, uuid, name, name_folded, farm_id,
 declared_area_ha, boundary_category, boundary_method, soil_type, irrigated, tenure, notes, external_id, source, area_m2) VALUES `, len(rows), 18)+" RETURNING id",
		slices.Concat(rows...), func(scan func(...any) error) error {
			ids = append(ids, 0)
			return scan(&ids[len(ids)-1])
		})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	var entries [][]any
	for i, r := range made {
		r.ID = ids[i]
		changes, err := json.Marshal(r.changes())
		if err != nil {
			return err
		}
		entries = append(entries, []any{r.CompanyID, r.CreatedAt.Format(stampLayout), r.CreatedBy.ID, false, "create", "field", r.ID, string(changes)})
	}
	return ask(ctx, values("INSERT INTO audit_entries (company_id, at, user_id, operator, action, resource, record_id, changes) VALUES ", len(entries), 8),
		slices.Concat(entries...), nil)
}

// values adds the placeholders of rows to a statement.
func values(statement string, rows, columns int) string {
	var out strings.Builder
	out.WriteString(statement)
	for i := range rows {
		if i > 0 {
			out.WriteByte(',')
		}
		for j := range columns {
			out.WriteString(map[bool]string{true: "(", false: ","}[j == 0])
			fmt.Fprintf(&out, "$%d", i*columns+j+1)
		}
		out.WriteByte(')')
	}
	return out.String()
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
