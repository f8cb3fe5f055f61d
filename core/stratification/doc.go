// Package stratification holds areas of interest and the orders for their layers. The steps of a
// stratification are the packages below: frame (the grid), layer (covariates on its cells),
// zoning (zones of like cells), plan (where to sample) and sample (results and estimates).
package stratification
