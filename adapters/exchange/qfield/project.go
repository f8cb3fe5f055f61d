package qfield

import (
	"fmt"

	"tilth/adapters/exchange/internal/geopackage"
	"tilth/core/geo"
	"tilth/core/stratification/crew"
)

// pair is a name with a value.
type pair struct{ Name, Value string }

// form is how a column is shown and filled in; the widgets are those of QGIS.
type form struct {
	Alias    string
	Widget   string
	Values   []pair // of a value map: what people read, and what is stored
	OnUpdate string // an expression of QGIS whose value the column takes whenever the feature is saved
	ReadOnly bool
	Lines    bool // more than one line of text
}

// The widgets of forms.
const (
	line       = "TextEdit"
	choice     = "ValueMap"
	moment     = "DateTime"
	attachment = "ExternalResource"
	hidden     = "Hidden"
)

// class is how features of a value are drawn.
type class struct {
	Value, Label string
	Class        string // of the symbol's layer
	Alpha        string
	Options      []pair
}

// styled is a layer with what the project states about it.
type styled struct {
	layer
	Shape, Symbol, WKB      string
	Editable                bool
	ClassedBy, ClassType    string
	Classes                 []class
	Label                   string // column whose value is shown on the map
	LabelColour, LabelPlace string
	LabelSize               int
	Photos                  string // how photos are named: JSON, an expression of QGIS by column
	Children                bool   // its form shows the samples of the feature
	Preview                 string // expression of a feature's name
}

// project is a project of QGIS.
type project struct {
	Title, Stem string
	ID          string // of its layers, appended to their names
	Extent      geo.Box
	Layers      []styled
}

// first is true once the crew has recorded that a point was sampled, until its time is set: the device's clock and receiver are read once.
const first = `"status" in ('collected', 'moved') and "collected_at" is null and "collected_utc" is null`

// measured sets a column to a value of the receiver when the crew records that a point was sampled. The variables are those
// of QField (docs.qfield.org, "Expression Variables"); elsewhere they are null.
func measured(column, value string) string {
	return fmt.Sprintf(`if(%s and "lon" is null and "lat" is null, coalesce("%s", %s), "%[2]s")`, first, column, value)
}

// statuses returns what the crew can choose; words are the labels that it reads.
func statuses(words ...string) (out []pair) {
	for i, status := range crew.Statuses {
		if words[i] != "" {
			out = append(out, pair{words[i], string(status)})
		}
	}
	return out
}

const (
	// clock is the local time of the device. A GeoPackage does not state its time zone.
	clock = `if(` + first + `, now(), "collected_at")`
	// utc is the same moment in microseconds since 1970, which needs no zone.
	utc = `if("status" in ('collected', 'moved') and ("collected_at" is not null or "collected_utc" is null), epoch(coalesce("collected_at", now())) * 1000, "collected_utc")`
	// photoName names photos by their points, so that people find them.
	photoName = `'` + attachments + `/' || "point" || '-' || format_date(now(), 'yyyyMMdd-HHmmss') || '.{extension}'`
)

// pointColumns are the columns of the layer points, in the order of its form.
var pointColumns = []column{
	{"point", geopackage.Text, form{Alias: "Point", Widget: line, ReadOnly: true}},
	{"field", geopackage.Text, form{Alias: "Field", Widget: line, ReadOnly: true}},
	{"depths", geopackage.Text, form{Alias: "Depths, cm", Widget: line, ReadOnly: true}},
	{"status", geopackage.Text, form{Alias: "Status", Widget: choice, Values: statuses("Taken here", "Taken elsewhere", "Missed")}},
	{"collected_at", geopackage.DateTime, form{Alias: "Taken at (local time)", Widget: moment, OnUpdate: clock}},
	{"collected_by", geopackage.Text, form{Alias: "Crew", Widget: line}},
	{"notes", geopackage.Text, form{Alias: "Remark", Widget: line, Lines: true}},
	{"photo", geopackage.Text, form{Alias: "Photo", Widget: attachment}},
	{"photo_2", geopackage.Text, form{Alias: "Second photo", Widget: attachment}},
	{"photo_3", geopackage.Text, form{Alias: "Third photo", Widget: attachment}},
	{"lon", geopackage.Number, form{Alias: "Longitude measured", Widget: line, OnUpdate: measured("lon", "x(@gnss_coordinate)")}},
	{"lat", geopackage.Number, form{Alias: "Latitude measured", Widget: line, OnUpdate: measured("lat", "y(@gnss_coordinate)")}},
	{"accuracy_m", geopackage.Number, form{Alias: "GPS accuracy, m", Widget: line, OnUpdate: measured("accuracy_m", "@gnss_horizontal_accuracy")}},
	{"zone", geopackage.Whole, form{Alias: "Zone", Widget: line, ReadOnly: true}},
	{"role", geopackage.Text, form{Alias: "Role", Widget: line, ReadOnly: true}},
	{"field_order", geopackage.Whole, form{Alias: "Field on the way", Widget: line, ReadOnly: true}},
	{"walk", geopackage.Whole, form{Alias: "Point of the walk", Widget: line, ReadOnly: true}},
	{"planned_lon", geopackage.Number, form{Alias: "Planned longitude", Widget: hidden, ReadOnly: true}},
	{"planned_lat", geopackage.Number, form{Alias: "Planned latitude", Widget: hidden, ReadOnly: true}},
	{"collected_utc", geopackage.Whole, form{Alias: "Taken at (UTC)", Widget: hidden, OnUpdate: utc}},
}

// sampleColumns are the columns of the table samples.
var sampleColumns = []column{
	{"label", geopackage.Text, form{Alias: "Label", Widget: line, ReadOnly: true}},
	{"point", geopackage.Text, form{Alias: "Point", Widget: line, ReadOnly: true}},
	{"depth", geopackage.Text, form{Alias: "Depth, cm", Widget: line, ReadOnly: true}},
	{"composite", geopackage.Text, form{Alias: "Bag of the composite", Widget: line, ReadOnly: true}},
	{"status", geopackage.Text, form{Alias: "Status, where it is not the point's", Widget: choice, Values: statuses("Taken", "", "Missed")}},
	{"notes", geopackage.Text, form{Alias: "Remark", Widget: line, Lines: true}},
}

var zoneColumns = []column{
	{"zone", geopackage.Whole, form{Alias: "Zone", Widget: line, ReadOnly: true}},
	{"area_ha", geopackage.Number, form{Alias: "Area, ha", Widget: line, ReadOnly: true}},
}

var fieldColumns = []column{
	{"name", geopackage.Text, form{Alias: "Field", Widget: line, ReadOnly: true}},
	{"field_order", geopackage.Whole, form{Alias: "Field on the way", Widget: line, ReadOnly: true}},
}

var wayColumns = []column{{"km", geopackage.Number, form{Alias: "Length, km", Widget: line, ReadOnly: true}}}
