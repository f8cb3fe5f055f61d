package fieldmap

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tilth/core/fault"
)

// RateUnit is the unit of the rates of a prescription, with what terminals call it in the data dictionary of ISO 11783-11.
type RateUnit struct {
	Name  string
	DDI   string  // of the set point, four hexadecimal digits
	Scale float64 // how many units of the dictionary are in one of this
}

// RateUnits are the units of rates.
var RateUnits = []RateUnit{
	{"kg/ha", "0006", 100},     // mg/m²
	{"l/ha", "0001", 10_000},   // 0.01 mm³/m²
	{"seeds/m2", "000B", 1000}, // 0.001/m²
}

// UnitOfRate returns kilograms or, for a volume, litres per hectare.
func UnitOfRate(volume bool) RateUnit {
	if volume {
		return RateUnits[1]
	}
	return RateUnits[0]
}

// MaxRate bounds a rate, so that set points are whole numbers of 32 bits.
const MaxRate = 100_000

// Prescription states how much is to be applied in each zone. The zero value is no prescription.
type Prescription struct {
	Rates []float64 // of the zones, from number 1 on
	Unit  RateUnit
}

// NewPrescription reads the rates of a number of zones, with commas between them; the empty text is no prescription. The empty unit is
// kg/ha. Faults: Invalid (rates, unit).
func NewPrescription(rates, unit string, zones int) (p Prescription, err error) {
	fields := fault.Fields{}
	if unit == "" {
		unit = RateUnits[0].Name
	}
	var names []string
	for _, u := range RateUnits {
		names = append(names, u.Name)
		if u.Name == unit {
			p.Unit = u
		}
	}
	fields.AddIf(p.Unit.Name == "", "unit", "%.20q is not one of: %s.", unit, strings.Join(names, ", "))
	if rates == "" {
		return Prescription{}, fields.Err()
	}
	for _, text := range strings.Split(rates, ",") {
		rate, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(rate >= 0 && rate <= MaxRate) {
			fields.Addf("rates", "%.20q is not a rate: give a number from 0 to %d.", text, MaxRate)
			break
		}
		p.Rates = append(p.Rates, rate)
	}
	fields.AddIf(len(fields) == 0 && len(p.Rates) != zones, "rates", "There are %d rates for %d zones. Fix: give one for each zone, starting with number 1, such as %s.", len(p.Rates), zones, likeRates(zones))
	return p, fields.Err()
}

func likeRates(zones int) string {
	out := make([]string, zones)
	for i := range out {
		out[i] = fmt.Sprint(100 + 20*i)
	}
	return strings.Join(out, ",")
}

// SetPoint returns the rate of a zone in the unit of the dictionary.
func (p Prescription) SetPoint(number int) int64 {
	return int64(math.Round(p.Rates[number-1] * p.Unit.Scale))
}
