package stratification

// columnsOf makes points of columns, as they are or standardised.
func columnsOf(columns map[string][]float64, names []string, standardised bool) matrix {
	m := newMatrix(len(columns[names[0]]), len(names))
	for j, name := range names {
		mean, sd := 0.0, 1.0
		if standardised {
			mean, sd = meanAndSD(columns[name])
		}
		m.setColumn(j, columns[name], mean, sd, 1)
	}
	return m
}
