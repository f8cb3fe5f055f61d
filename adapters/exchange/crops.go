// Package exchange reads and writes the files that people import and export, such as the crop
// catalog, reference curves and series as CSV. It decides nothing about their contents.
package exchange

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"tilth/core/farm"
)

//go:embed crops.csv
var builtInCrops []byte

var builtIn = sync.OnceValues(func() ([]farm.Crop, error) { return ReadCrops(bytes.NewReader(builtInCrops)) })

// BuiltInCrops returns the catalog that Tilth comes with.
func BuiltInCrops() ([]farm.Crop, error) {
	crops, err := builtIn()
	return slices.Clone(crops), err
}

// ReadCrops reads a catalog: CSV with a header, columns in any order, `slug` and `name`
// required; flags are true or false; codes are text. Faults: Invalid, with the line.
func ReadCrops(r io.Reader) ([]farm.Crop, error) {
	var crops []farm.Crop
	seen := map[string]bool{}
	err := readTable(r, []string{"slug", "name"}, func(row *row) error {
		crop, err := readCrop(row.get)
		if err == nil && seen[crop.Slug] {
			err = fmt.Errorf("the slug %q occurs twice", crop.Slug)
		}
		seen[crop.Slug] = true
		crops = append(crops, crop)
		return err
	})
	return crops, err
}

var lifecycles = []string{"", "annual", "biennial", "perennial"}

func readCrop(get func(string) string) (farm.Crop, error) {
	c := farm.Crop{
		Slug: get("slug"), Name: get("name"), ScientificName: get("scientific_name"),
		ICCGroup: get("icc_group"), ICCCode: get("icc_code"), CPCCode: get("cpc_code"), HCAT3Code: get("hcat3_code"),
		Lifecycle: get("lifecycle"), Family: get("family"), GHGCropType: get("ghg_crop_type"),
		Names: map[string]string{}, IsActive: true,
	}
	if c.Slug == "" || c.Name == "" {
		return c, errors.New("slug and name are required")
	}
	if !slices.Contains(lifecycles, c.Lifecycle) {
		return c, fmt.Errorf("lifecycle must be annual, biennial or perennial, not %q", c.Lifecycle)
	}
	for name, flag := range map[string]*bool{
		"is_n_fixing": &c.IsNFixing, "is_flooded": &c.IsFlooded, "is_grassland": &c.IsGrassland, "is_cover": &c.IsCover, "is_active": &c.IsActive,
	} {
		switch v := get(name); v {
		case "true":
			*flag = true
		case "false":
			*flag = false
		case "":
		default:
			return c, fmt.Errorf("%s must be true or false, not %q", name, v)
		}
	}
	if classes := get("curve_classes"); classes != "" {
		c.CurveClasses = strings.Split(classes, "|")
	}
	for _, language := range []string{"fr", "es", "de", "pt"} {
		if name := get("names_" + language); name != "" {
			c.Names[language] = name
		}
	}
	return c, nil
}
