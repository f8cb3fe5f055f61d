package farm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The members by which fields are found again.
const (
	memberUUID       = "uuid"
	memberExternalID = "external_id"
	memberName       = "name"
)

// The members that say what grows on a field, and in which season.
const (
	memberCrop   = "crop"
	memberSeason = "season_id"
)

// memberFarm says which farm a feature goes to: by its external id, or else by its name.
const memberFarm = "farm"

// memberProduct selects which of the products that a file says were applied to its fields are imported, and names them.
const memberProduct = "product"

// member is a member of a field that a file can state. Where the file states what the field has already, changed is
// false and the field keeps its text to the letter.
type member struct {
	name string
	set  func(f *Field, text string, cut bool) (changed bool, wrong string) // nil: a file does not set it
}

var members = []member{
	{memberUUID, nil},
	{memberExternalID, setText(func(f *Field) *string { return &f.ExternalID }, plainText)},
	{memberName, setText(func(f *Field) *string { return &f.Name }, oneLine)},
	{"declared_area_ha", setArea},
	{"soil_type", setText(func(f *Field) *string { return &f.SoilType }, plainText)},
	{"irrigated", setFlag},
	{"tenure", setText(func(f *Field) *string { return &f.Tenure }, plainText)},
	{"notes", setText(func(f *Field) *string { return &f.Notes }, plainText)},
	{"source", setText(func(f *Field) *string { return &f.Source }, plainText)},
	{"boundary_category", setText(func(f *Field) *string { return &f.BoundaryCategory }, plainText)},
	{"boundary_method", setText(func(f *Field) *string { return &f.BoundaryMethod }, plainText)},
	{"boundary_observed_on", setDay(func(f *Field) **time.Time { return &f.BoundaryObservedOn })},
	{"active_from", setDay(func(f *Field) **time.Time { return &f.ActiveFrom })},
	{"active_to", setDay(func(f *Field) **time.Time { return &f.ActiveTo })},
	{memberFarm, nil},
	{memberCrop, nil},
	{memberSeason, nil},
	{memberProduct, nil},
}

func setText(of func(*Field) *string, plain func(string) string) func(*Field, string, bool) (bool, string) {
	return func(f *Field, text string, cut bool) (bool, string) {
		current := of(f)
		if kept := plain(*current); kept == plain(text) || cut && text != "" && strings.HasPrefix(kept, plain(text)) {
			return false, ""
		}
		*current = text
		return true, ""
	}
}

// plainText returns a text in the form that every format can hold: uniform line ends, and no blanks at either end.
func plainText(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
}

// oneLine returns a name in the form that formats with a single line for it can hold.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// sameArea is the relative difference up to which two areas are the same: formats write numbers with fewer digits than they have.
const sameArea = 1e-9

func setArea(f *Field, text string, _ bool) (bool, string) {
	ha, wrong := areaOf(text)
	if wrong != "" {
		return false, wrong
	}
	if p := f.DeclaredAreaHa; p != nil && math.Abs(*p-ha) <= sameArea*math.Abs(ha) {
		return false, ""
	}
	f.DeclaredAreaHa = &ha
	return true, ""
}

// areaOf reads a number. A comma separates decimals, unless three digits follow it: that may be thousands.
func areaOf(text string) (float64, string) {
	whole, decimals, comma := strings.Cut(text, ",")
	if comma && !strings.ContainsAny(decimals, ".,") && !strings.Contains(whole, ".") {
		if len(decimals) == 3 {
			return 0, fmt.Sprintf("%q may have decimals or a thousands separator. Fix: write a point before decimals.", text)
		}
		text = whole + "." + decimals
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Sprintf("%.60q is not a number of hectares. Fix: write it as 12.5.", text)
	}
	return v, ""
}

// flags are the words for yes and no that are understood without a translation.
var flags = map[string]bool{"true": true, "t": true, "yes": true, "y": true, "1": true, "false": false, "f": false, "no": false, "n": false, "0": false}

func setFlag(f *Field, text string, _ bool) (bool, string) {
	flag, ok := flags[strings.ToLower(text)]
	if !ok {
		return false, fmt.Sprintf("%.60q is neither true nor false. Fix: translate it in the mapping, as {\"irrigated\": {\"property\": \"…\", \"values\": {%.20q: true}}}.", text, text)
	}
	if f.Irrigated != nil && *f.Irrigated == flag {
		return false, ""
	}
	f.Irrigated = &flag
	return true, ""
}

func setDay(of func(*Field) **time.Time) func(*Field, string, bool) (bool, string) {
	return func(f *Field, text string, _ bool) (bool, string) {
		day, wrong := dayOf(text)
		if wrong != "" {
			return false, wrong
		}
		current := of(f)
		if *current != nil && (*current).Equal(day) {
			return false, ""
		}
		*current = &day
		return true, ""
	}
}

// dayOf reads a day: 2026-05-01, also followed by a time, and 20260501, as in the tables of shapefiles.
func dayOf(text string) (time.Time, string) {
	said := text
	if len(said) > len(time.DateOnly) && (said[len(time.DateOnly)] == 'T' || said[len(time.DateOnly)] == ' ') {
		said = said[:len(time.DateOnly)]
	}
	for _, form := range []string{time.DateOnly, "20060102", "2006/01/02"} {
		if day, err := time.Parse(form, said); err == nil {
			return day, ""
		}
	}
	return time.Time{}, fmt.Sprintf("%.60q is not a date. Fix: write it as 2026-05-01.", text)
}
