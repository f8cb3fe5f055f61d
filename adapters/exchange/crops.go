// Package exchange reads and writes the files that people bring and take: the crop
// catalog, reference curves and series as CSV. It decides nothing about what is in them.
package exchange

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tilth/core/farm"
	"tilth/core/fault"
)

//go:embed crops.csv
var builtInCrops []byte

// BuiltInCrops returns the catalog that Tilth comes with.
func BuiltInCrops() ([]farm.Crop, error) { return ReadCrops(bytes.NewReader(builtInCrops)) }

var requiredColumns = []string{"slug", "name"}

// ReadCrops reads a catalog: CSV with a header, columns in any order, `slug` and `name`
// required; flags are true or false; codes are text. Faults: Invalid, with the line.
func ReadCrops(r io.Reader) ([]farm.Crop, error) {
	lines := csv.NewReader(r)
	head, err := lines.Read()
	if err != nil {
		return nil, fault.Field("file", "This is no CSV file with a header: "+err.Error())
	}
	column := map[string]int{}
	for i, name := range head {
		column[strings.TrimPrefix(name, "\uFEFF")] = i
	}
	for _, name := range requiredColumns {
		if _, ok := column[name]; !ok {
			return nil, fault.Field("file", "The column "+name+" is missing.")
		}
	}
	var crops []farm.Crop
	seen := map[string]bool{}
	for {
		row, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return crops, nil
		}
		if err != nil {
			return nil, fault.Field("file", err.Error())
		}
		line, _ := lines.FieldPos(0)
		crop, err := readCrop(func(name string) string {
			if i, ok := column[name]; ok {
				return strings.TrimSpace(row[i])
			}
			return ""
		})
		if err == nil && seen[crop.Slug] {
			err = fmt.Errorf("the slug %q stands twice", crop.Slug)
		}
		if err != nil {
			return nil, fault.Field("file", fmt.Sprintf("Line %d: %v.", line, err))
		}
		seen[crop.Slug] = true
		crops = append(crops, crop)
	}
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
		return c, fmt.Errorf("lifecycle is annual, biennial or perennial, not %q", c.Lifecycle)
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
			return c, fmt.Errorf("%s is true or false, not %q", name, v)
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
