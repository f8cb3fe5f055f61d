package vegetation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tilth/core/fault"
	"tilth/core/list"
)

// MaxReadings is the maximum number of readings of an order besides its own: each is kept up to date with the order.
const MaxReadings = 24

// AllDatasets stands for every data set of the archive, unadjusted; it is the zero value.
const AllDatasets DatasetCode = ""

const allName = "all"

// String returns the code as it is written: all for AllDatasets.
func (c DatasetCode) String() string { return cmp.Or(string(c), allName) }

// DatasetChoices returns the data sets that a reading may select, in the order of the documentation.
func DatasetChoices() []string {
	codes := list.Map(datasets, func(d Dataset) string { return string(d.Code) })
	return append(append([]string{allName}, codes...), string(Harmonised))
}

// ParseDataset returns the data set that a text selects; an empty text selects all. Fault: Invalid, of the field "dataset".
func ParseDataset(text string) (DatasetCode, error) {
	switch {
	case text == "" || text == allName:
		return AllDatasets, nil
	case slices.Contains(DatasetChoices(), text):
		return DatasetCode(text), nil
	default:
		return "", fault.Field("dataset", fmt.Sprintf("%.30q is not a data set; choose one of %s.", text, strings.Join(DatasetChoices(), ", ")))
	}
}

// Method describes, for people, how the value of a pixel is computed.
func (r Reading) Method() string {
	text := fmt.Sprintf("from surface reflectance, on the pixels that the mask (%s) keeps", r.Mask)
	if index, err := ParseIndex(string(r.Index)); err == nil {
		text = fmt.Sprintf("%s = %s (%s) %s", index.Code, index.Formula, index.Source, text)
	}
	if r.Dataset == Harmonised {
		text += ", with bands adjusted to those of Landsat 8 by published coefficients"
	}
	return text + "; of scenes of one pass that overlap, the one that shows more of the field comes first"
}

// Of returns the scenes that a reading of the data set looks at. A scene that names no data set is of Sentinel-2 L2A.
func (c DatasetCode) Of(scenes []Scene) []Scene {
	if c == AllDatasets {
		return scenes
	}
	return slices.DeleteFunc(slices.Clone(scenes), func(s Scene) bool { return cmp.Or(s.Dataset, SentinelL2A) != c })
}

// Reading is one way to look at the imagery of a field: through an index and a mask, at one data set or at all.
type Reading struct {
	Index   IndexCode
	Mask    Mask
	Dataset DatasetCode
}

// String returns the reading's text, which is unique to it.
func (r Reading) String() string { return fmt.Sprintf("%s %s %s", r.Index, r.Mask, r.Dataset) }

// ParseReading returns the reading that a text describes; a missing mask or data set is the usual one. Fault: Invalid.
func ParseReading(text string) (Reading, error) {
	words := append(strings.Fields(text), "", "", "")
	index, err := ParseIndex(words[0])
	if err != nil {
		return Reading{}, err
	}
	mask, err := ParseMask(words[1])
	if err != nil {
		return Reading{}, err
	}
	dataset, err := ParseDataset(words[2])
	return Reading{index.Code, mask, dataset}, err
}

// Choice holds the parts of a reading that a caller chooses; what is left open is as in the order's own reading.
type Choice struct {
	Index   IndexCode
	Mask    *Mask
	Dataset *DatasetCode
}

// IsZero reports whether nothing is chosen, which selects the order's own reading.
func (c Choice) IsZero() bool { return c == Choice{} }

// Of returns the reading of an order that the choice selects.
func (c Choice) Of(order OrderState) Reading {
	r := order.Reading()
	r.Index = cmp.Or(c.Index, r.Index)
	if c.Mask != nil {
		r.Mask = *c.Mask
	}
	if c.Dataset != nil {
		r.Dataset = *c.Dataset
	}
	return r
}

// Reading returns the order's own reading.
func (s OrderState) Reading() Reading { return Reading{IndexCode(s.Index), s.Mask, s.Dataset} }

// As returns the order as it stands for a reading.
func (s OrderState) As(r Reading) OrderState {
	s.Index, s.Mask, s.Dataset = string(r.Index), r.Mask, r.Dataset
	return s
}

// Reading returns the reading of the series.
func (s Series) Reading() Reading { return Reading{s.Index, s.Mask, s.Dataset} }

// TooManyReadings refuses a further reading of an order that has as many as it may.
func TooManyReadings() error {
	return fault.Newf(fault.Conflict, "limit_reached",
		"An order has at most %d readings in addition to its own. Fix: use an existing one, with the same index_code, mask and dataset.", MaxReadings).
		With("limit", MaxReadings).With("of", "readings")
}
