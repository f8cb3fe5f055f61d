package qfield

import (
	"fmt"
	"strconv"

	"tilth/core/stratification/crew"
	"tilth/core/stratification/plan"
)

// pointClasses draws points to be taken as dots, legacy points as triangles, reserves as rings, and points that are done in
// colours that people who cannot distinguish red and green can tell apart.
var pointClasses = []class{
	mark(string(plan.RoleSample), "To take", "circle", "0,90,181,255", "255,255,255,255", "3.6"),
	mark(string(plan.RoleLegacy), "To take, legacy point", "triangle", "0,90,181,255", "255,255,255,255", "4"),
	mark(string(plan.RoleReserve), "Reserve", "circle", "255,255,255,255", "0,90,181,255", "2.8"),
	mark(string(crew.Taken), "Taken here", "square", "0,158,115,255", "255,255,255,255", "3.4"),
	mark(string(crew.Moved), "Taken elsewhere", "diamond", "0,158,115,255", "255,255,255,255", "4"),
	mark(string(crew.Missed), "Missed", "cross2", "213,94,0,255", "213,94,0,255", "3.2"),
}

func mark(value, label, shape, fill, edge, size string) class {
	return class{Value: value, Label: label, Class: "SimpleMarker", Alpha: "1", Options: []pair{
		{"name", shape}, {"color", fill}, {"outline_color", edge}, {"outline_width", "0.5"}, {"outline_width_unit", "MM"},
		{"size", size}, {"size_unit", "MM"}, {"scale_method", "diameter"},
	}}
}

var (
	wayClasses = []class{{Value: "1", Label: "Way along the samples", Class: "SimpleLine", Alpha: "1", Options: []pair{
		{"line_color", "60,60,60,255"}, {"line_style", "dash"}, {"line_width", "0.4"}, {"line_width_unit", "MM"},
	}}}
	fieldClasses = []class{{Value: "1", Label: "Outline", Class: "SimpleFill", Alpha: "1", Options: []pair{
		{"style", "no"}, {"outline_color", "40,40,40,255"}, {"outline_style", "solid"}, {"outline_width", "0.6"}, {"outline_width_unit", "MM"},
	}}}
)

// The colours of the lowest and the highest zone.
var lowest, highest = [3]int{255, 247, 188}, [3]int{161, 90, 19}

func zoneClass(number, place, of int) class {
	var c [3]int
	for i := range c {
		c[i] = lowest[i] + (highest[i]-lowest[i])*place/max(of-1, 1)
	}
	return class{Value: strconv.Itoa(number), Label: fmt.Sprintf("Zone %d", number), Class: "SimpleFill", Alpha: "0.5", Options: []pair{
		{"style", "solid"}, {"color", fmt.Sprintf("%d,%d,%d,255", c[0], c[1], c[2])}, {"outline_style", "no"},
	}}
}
