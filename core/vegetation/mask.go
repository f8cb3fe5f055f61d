package vegetation

import (
	"math"

	"tilth/core/fault"
)

// Class is a class of Sentinel-2's scene classification (SCL) as Sen2Cor numbers them (Sentinel-2
// L2A product definition, table "Scene classification").
type Class uint16

// The classes that the rules name.
const (
	ClassNoData       Class = 0
	ClassShadow       Class = 3 // of a cloud
	ClassVegetation   Class = 4
	ClassNotVegetated Class = 5
	ClassWater        Class = 6
	ClassUnclassified Class = 7
	ClassNearCloud    Class = 8 // a cloud with medium probability
	ClassCloud        Class = 9
	ClassCirrus       Class = 10
	ClassSnow         Class = 11
)

// classOf returns the class that a stored number stands for; ClassNoData for a number that is none.
func classOf(number float64) Class {
	if !(number >= 0 && number <= math.MaxUint16) {
		return ClassNoData
	}
	return Class(number)
}

// Mask selects the classes that count as a clear view of the ground.
type Mask string

const (
	// MaskStandard keeps vegetation, bare ground, water and the unclassified.
	MaskStandard Mask = "standard"
	// MaskStrict keeps vegetation and bare ground only.
	MaskStrict Mask = "strict"
)

// ParseMask finds a mask by its name, empty for the standard. Fault: Invalid, of the field "mask".
func ParseMask(name string) (Mask, error) {
	switch m := Mask(name); m {
	case "":
		return MaskStandard, nil
	case MaskStandard, MaskStrict:
		return m, nil
	default:
		return "", fault.Field("mask", "The mask is standard or strict.")
	}
}

// Keeps reports whether a pixel of that class counts as clear.
func (m Mask) Keeps(c Class) bool {
	switch c {
	case ClassVegetation, ClassNotVegetated:
		return true
	case ClassWater, ClassUnclassified:
		return m != MaskStrict
	default:
		return false
	}
}
