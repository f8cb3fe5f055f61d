package exchange

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"tilth/core/stratification/plan"
	"tilth/ports"
)

// gpxFile is a GPX 1.1 file of waypoints. The elements of a waypoint come in the order of the
// schema (https://www.topografix.com/GPX/1/1/gpx.xsd).
type gpxFile struct {
	XMLName   xml.Name      `xml:"http://www.topografix.com/GPX/1/1 gpx"`
	Version   string        `xml:"version,attr"`
	Creator   string        `xml:"creator,attr"`
	Name      string        `xml:"metadata>name"`
	Desc      string        `xml:"metadata>desc"`
	Waypoints []gpxWaypoint `xml:"wpt"`
}

type gpxWaypoint struct {
	Lat  string `xml:"lat,attr"`
	Lon  string `xml:"lon,attr"`
	Name string `xml:"name"`
	Desc string `xml:"desc"`
	Sym  string `xml:"sym"`
	Type string `xml:"type"`
}

// gpxSymbols are names of symbols that the receivers of the widest use know.
var gpxSymbols = map[plan.Role]string{
	plan.RoleSample: "Flag, Blue", plan.RoleReserve: "Flag, Red",
}

func writeGPX(to io.Writer, in ports.ShownPlan) error {
	plan := in.Plan.Plan
	f := gpxFile{
		Version: "1.1", Creator: "Tilth", Name: in.Plan.AOI.Name,
		Desc: fmt.Sprintf("Sample plan %s: %d samples in %d zones, %d reserve points, seed %d", plan.PlanUUID, plan.Samples, plan.Zones(), plan.Reserves, plan.Params.Seed),
	}
	for i := range plan.Points {
		p := &plan.Points[i]
		f.Waypoints = append(f.Waypoints, gpxWaypoint{
			Lat: degrees(p.LonLat.Y), Lon: degrees(p.LonLat.X), Name: p.ID,
			Desc: fmt.Sprintf("%s; zone %d, %s; %s m E, %s m N (EPSG:%d)", in.Fields[p.Field].Name, p.Zone, p.Role,
				metres(p.At.X), metres(p.At.Y), in.Map.About.EPSG),
			Sym: gpxSymbols[p.Role], Type: string(p.Role),
		})
	}
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

func degrees(v float64) string { return strconv.FormatFloat(v, 'f', degreeDecimals, 64) }

func metres(v float64) string { return strconv.FormatFloat(v, 'f', metreDecimals, 64) }
