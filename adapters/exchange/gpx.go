package exchange

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"tilth/core/stratification/plan"
	"tilth/ports"
)

// gpxFile is a GPX 1.1 file of waypoints and a route. The elements come in the order of the
// schema (https://www.topografix.com/GPX/1/1/gpx.xsd).
type gpxFile struct {
	XMLName   xml.Name      `xml:"http://www.topografix.com/GPX/1/1 gpx"`
	Version   string        `xml:"version,attr"`
	Creator   string        `xml:"creator,attr"`
	Name      string        `xml:"metadata>name"`
	Desc      string        `xml:"metadata>desc"`
	Waypoints []gpxWaypoint `xml:"wpt"`
	Route     gpxRoute      `xml:"rte"`
}

// gpxRoute is the way through all fields along the samples, from the start of the journey to its end.
type gpxRoute struct {
	Name   string        `xml:"name"`
	Desc   string        `xml:"desc"`
	Points []gpxWaypoint `xml:"rtept"`
}

type gpxWaypoint struct {
	Lat  string `xml:"lat,attr"`
	Lon  string `xml:"lon,attr"`
	Name string `xml:"name"`
	Desc string `xml:"desc,omitempty"`
	Sym  string `xml:"sym"`
	Type string `xml:"type"`
}

// gpxSymbols are names of symbols that the most widely used receivers know.
var gpxSymbols = map[plan.Role]string{
	plan.RoleSample: "Flag, Blue", plan.RoleReserve: "Flag, Red", plan.RoleLegacy: "Pin, Blue",
}

func writeGPX(to io.Writer, in ports.ShownPlan) error {
	made := in.Plan.Plan
	f := gpxFile{
		Version: "1.1", Creator: "Tilth", Name: in.Plan.AOI.Name,
		Desc: fmt.Sprintf("Sample plan %s: %d samples in %s, %d reserve points, %d legacy points, seed %d", made.PlanUUID, made.Samples, made.SharedOut(), made.Reserves, made.Legacy, made.Params.Seed),
	}
	f.Route.Name = in.Plan.AOI.Name
	f.Route.Desc = fmt.Sprintf("%.1f km along the samples, %.1f km of it between fields", made.WayKm, made.DriveKm)
	f.Route.add("start", made.Params.Journey.Start)
	order := made.FieldOrder()
	for i := range made.Points {
		p := &made.Points[i]
		point := gpxWaypoint{
			Lat: degrees(p.LonLat.Y), Lon: degrees(p.LonLat.X), Name: p.ID,
			Desc: fmt.Sprintf("%s (field %d on the way, point %d of the walk); zone %d, %s; %s m E, %s m N (EPSG:%d)", in.Fields[p.Field].Name,
				order[p.Field], p.Walk, p.Zone, p.Role, metres(p.At.X), metres(p.At.Y), in.Map.About.EPSG),
			Sym: gpxSymbols[p.Role], Type: string(p.Role),
		}
		f.Waypoints = append(f.Waypoints, point)
		if p.Role.Visited() {
			f.Route.Points = append(f.Route.Points, point)
		}
	}
	f.Route.add("end", made.Params.Journey.End)
	if _, err := io.WriteString(to, xml.Header); err != nil {
		return err
	}
	out := xml.NewEncoder(to)
	out.Indent("", " ")
	if err := out.Encode(f); err != nil {
		return err
	}
	_, err := io.WriteString(to, "\n")
	return err
}

// add adds an end of a journey, if it has one.
func (r *gpxRoute) add(name string, end *plan.Terminus) {
	if end != nil {
		r.Points = append(r.Points, gpxWaypoint{Lat: degrees(end.LonLat.Y), Lon: degrees(end.LonLat.X), Name: name, Sym: "Flag, Green", Type: name})
	}
}

func degrees(v float64) string { return strconv.FormatFloat(v, 'f', degreeDecimals, 64) }

func metres(v float64) string { return strconv.FormatFloat(v, 'f', metreDecimals, 64) }
