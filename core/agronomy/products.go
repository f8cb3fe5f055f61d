package agronomy

import "slices"

// Product is something that is spread on land to feed a crop or to lime it.
type Product struct {
	Key     string
	Name    string
	Organic bool
	// Contents in per cent of the product as it is spread (fresh); nil where they differ and must be stated.
	N, P2O5, K2O *float64
	// Density of an organic input as it is spread, t/m3; nil where it must be stated with a volume.
	Density *float64
}

// Keys of products whose contents must be stated.
const (
	CustomProduct = "custom"
	OtherOrganic  = "other"
)

// products are the fertilizers and the organic inputs. Contents of the mineral products, and nitrogen of the organic ones,
// are those of the Cool Farm Tool's public schema; digestate and sewage sludge of the EU FaST Navigator; green manure and
// straw from IPCC 2019, volume 4, table 11.1A: nitrogen in dry matter x dry matter. A mineral product holds none of what its
// formula does not name. Phosphorus and potassium of organic inputs vary too much for a default. Densities are those of the
// rows organic.density.* of the factor tables, which name the source of each.
var products = []Product{
	mineral("urea", "Urea", 46, 0, 0),
	mineral("uan", "Urea ammonium nitrate solution", 32, 0, 0),
	mineral("ammonium_nitrate", "Ammonium nitrate", 33.5, 0, 0),
	mineral("can", "Calcium ammonium nitrate", 27, 0, 0),
	mineral("ammonium_sulphate", "Ammonium sulphate", 21, 0, 0),
	mineral("map", "Monoammonium phosphate", 11, 52, 0),
	mineral("dap", "Diammonium phosphate", 18, 46, 0),
	mineral("tsp", "Triple superphosphate", 0, 48, 0),
	mineral("ssp", "Single superphosphate", 0, 21, 0),
	mineral("mop", "Muriate of potash", 0, 0, 60),
	mineral("sop", "Sulphate of potash", 0, 0, 50),
	mineral("npk_15_15_15", "NPK 15-15-15", 15, 15, 15),
	mineral("anhydrous_ammonia", "Anhydrous ammonia", 82, 0, 0),
	mineral("calcium_nitrate", "Calcium nitrate", 15.5, 0, 0),
	mineral("limestone", "Limestone", 0, 0, 0),
	mineral("dolomite", "Dolomite", 0, 0, 0),
	{Key: CustomProduct, Name: "Another fertilizer"},
	organic("cattle_manure", "Cattle manure", 0.6, 0.75),
	organic("pig_manure", "Pig manure", 0.7, 0.75),
	organic("sheep_manure", "Sheep manure", 0.7, 0.5),
	organic("horse_manure", "Horse manure", 0.5, 0.4),
	organic("cattle_slurry", "Cattle slurry", 0.26, 1),
	organic("pig_slurry", "Pig slurry", 0.36, 1),
	organic("layer_manure", "Layer manure", 1.9, 0.605),
	organic("broiler_litter", "Broiler litter", 3, 0.6),
	organic("compost", "Compost", 1, 0.7),
	organic("digestate", "Digestate", 0.36, 1),
	organic("sewage_sludge", "Sewage sludge", 1, 0),
	organic("green_manure", "Green manure", 0.625, 0),
	organic("straw", "Straw", 0.534, 0.077),
	organic("biochar", "Biochar", 0, 0),
	{Key: OtherOrganic, Name: "Another organic input", Organic: true},
}

func mineral(key, name string, n, p2o5, k2o float64) Product {
	return Product{Key: key, Name: name, N: &n, P2O5: &p2o5, K2O: &k2o}
}

// organic makes an organic input; a density of 0 means that it is not known.
func organic(key, name string, n, density float64) Product {
	p := Product{Key: key, Name: name, Organic: true, N: &n}
	if density > 0 {
		p.Density = &density
	}
	return p
}

// FindProduct returns the product of a key.
func FindProduct(key string) (Product, bool) {
	if i := slices.IndexFunc(products, func(p Product) bool { return p.Key == key }); i >= 0 {
		return products[i], true
	}
	return Product{}, false
}

// ProductKeys returns the key of every product.
func ProductKeys() []string {
	out := make([]string, len(products))
	for i, p := range products {
		out[i] = p.Key
	}
	return out
}

// Inhibitors slow the turnover of nitrogen.
var Inhibitors = []string{"none", "nitrification", "urease", "both"}

// Methods are the ways of application.
var Methods = []string{"broadcast", "incorporated", "injected", "fertigation"}
