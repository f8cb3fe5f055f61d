package geo

// AuditValue is what the audit trail keeps of a boundary: its figures. Its outlines, of
// up to thousands of vertices, are kept in the field's boundary history.
func (b Boundary) AuditValue() any {
	box := b.Bounds()
	return map[string]any{
		"area_ha": RoundHa(b.AreaHa()), "vertices": int64(b.Vertices()),
		"bbox": []any{box.MinX, box.MinY, box.MaxX, box.MaxY},
	}
}
