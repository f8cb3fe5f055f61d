package workbook

// Limit makes sheets end after a number of rows.
func (w *Writer) Limit(rows int) { w.limit = rows }

// LimitText bounds the bytes of text of a sheet.
func (r *Rows) LimitText(bytes int64) { r.maxSize = bytes }
