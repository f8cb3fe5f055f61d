package vegetation

import (
	"math"
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

	lastClass = ClassSnow
)

// classOf returns the class that a stored number stands for; ClassNoData for a number that cannot be one.
func classOf(number float64) Class {
	if !(number >= 0 && number <= math.MaxUint16) {
		return ClassNoData
	}
	return Class(number)
}

// bitSet is a set of small numbers.
type bitSet uint16

func setOf[T ~int | ~uint16](numbers ...T) (s bitSet) {
	for _, n := range numbers {
		s |= 1 << n
	}
	return s
}

func (s bitSet) has(n int) bool { return n < 16 && s>>n&1 == 1 }

var (
	everyClass    = bitSet(1<<(lastClass+1) - 1)
	standardKeeps = setOf(ClassVegetation, ClassNotVegetated, ClassWater, ClassUnclassified)
	strictKeeps   = setOf(ClassVegetation, ClassNotVegetated)
)

// Mask selects the pixels of a scene that count as a clear view of the ground, those of a field that count, and how
// many of them a date needs. The zero value is the standard mask. Two masks are the same if they are equal;
// ParseMask and String convert from and to text.
type Mask struct {
	differs         bitSet  // the classes that it does not treat as the standard mask does
	fmask, qaPixel  bitSet  // the bits of these masks that leave a pixel out, besides its class
	dilation        int     // pixels
	buffer          float64 // metres
	coverage        float64 // 0: MinCoverage
	fromProbability int     // percent; 0: not looked at
}

var (
	// MaskStandard keeps vegetation, bare ground, water and the unclassified.
	MaskStandard = Mask{}
	// MaskStrict keeps vegetation and bare ground only.
	MaskStrict = Mask{differs: standardKeeps ^ strictKeeps}
)

func (m Mask) keeps() bitSet { return standardKeeps ^ m.differs }

// Keeps reports whether a pixel of that class counts as clear.
func (m Mask) Keeps(c Class) bool { return m.keeps().has(int(c)) }

// MinCoverage returns the share, 0…1, of the field's pixels that must be usable on an accepted date.
func (m Mask) MinCoverage() float64 {
	if m.coverage == 0 {
		return MinCoverage
	}
	return m.coverage
}

// Buffer returns the width, in metres, of the strip along the field's outline that does not count.
func (m Mask) Buffer() float64 { return m.buffer }

// Dilation returns the number of pixels, of the classification's own grid, by which the area that is left out grows.
func (m Mask) Dilation() int { return m.dilation }

// NeedsProbability reports whether scenes need a band of cloud probability.
func (m Mask) NeedsProbability() bool { return m.fromProbability > 0 }

// Bits names the bits that a classification is stored as.
type Bits string

// The bits that masks know.
const (
	BitsFmask   Bits = "fmask"    // of HLS
	BitsQAPixel Bits = "qa_pixel" // of Landsat Collection 2
)

func (m Mask) leftOut(of Bits) bitSet {
	switch of {
	case BitsFmask:
		return m.fmask
	case BitsQAPixel:
		return m.qaPixel
	default:
		return 0
	}
}
