package workbook

// Limit has sheets end after some rows.
func (w *Writer) Limit(rows int) { w.limit = rows }

// LimitText has a sheet hold some bytes of text.
func (r *Rows) LimitText(bytes int64) { r.maxSize = bytes }
