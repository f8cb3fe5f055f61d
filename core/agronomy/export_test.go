package agronomy

// Products returns every product: the fertilizers, then the organic inputs.
func Products() []Product { return append([]Product(nil), products...) }
