package soil

import (
	_ "embed" // the page behind a code

	"tilth/core/markup"
	"tilth/core/stratification/plan"
)

//go:embed link.html
var linkText string

// LinkPage returns the page, in HTML, that a phone shows for what a code opens; nil: the code opens nothing.
func LinkPage(opens *Linked) markup.Text {
	switch {
	case opens == nil:
		return markup.Fill(linkText, map[string]any{"Title": "Nothing here", "Body": markup.Text(`<h1>This code opens nothing</h1>
<p>It has expired, was revoked, or was not read completely. Ask whoever gave you the paper to print it again.</p>`)})
	case opens.Sample != nil:
		return markup.Fill(linkText, map[string]any{"Title": opens.Sample.Label, "Body": opens.Sample.html() + opens.footer()})
	default:
		return markup.Fill(linkText, map[string]any{"Title": "Field sheet", "Body": opens.Plan.html() + opens.footer()})
	}
}

func (l Linked) footer() markup.Text {
	return markup.Sprintf("<footer>%s · this code opens until %s, to be read only</footer>", l.Area, l.ExpiresAt.UTC().Format("2006-01-02"))
}

// place returns a link that opens the map application of a phone.
func place(lat, lon float64) markup.Text {
	return markup.Sprintf(`<a href="geo:%.7f,%.7f">%.7[1]f, %.7[2]f</a>`, lat, lon)
}

func (s LinkedSample) html() markup.Text {
	var taken markup.Text
	if s.CollectedAt != nil {
		taken = markup.Sprintf("  <dt>Taken</dt><dd>%s UTC</dd>\n", s.CollectedAt.UTC().Format("2006-01-02 15:04"))
	}
	return markup.Sprintf(`<h1>%s</h1>
<dl>
  <dt>Point</dt><dd>%s%s</dd>
  <dt>Depth</dt><dd>%v to %v cm</dd>
  <dt>Field</dt><dd>%s</dd>
  <dt>Zone</dt><dd>%d</dd>
  <dt>Round</dt><dd>%d</dd>
  <dt>State</dt><dd>%s</dd>
%s  <dt>Planned at</dt><dd>%s</dd>
</dl>
`, s.Label, s.Point, markup.If(s.Role == string(plan.RoleReserve), ", a reserve point"), s.DepthFrom, s.DepthTo, s.Field, s.Zone, s.Round, s.Status, taken,
		place(s.Planned.Lat, s.Planned.Lon))
}

func (p LinkedPlan) html() markup.Text {
	fields := markup.Join(p.Fields, func(i int, name string) markup.Text { return markup.If(i > 0, ", ") + markup.Escape(name) })
	return markup.Sprintf(`<h1>Field sheet</h1>
<dl>
  <dt>Fields</dt><dd>%s</dd>
  <dt>Points</dt><dd>%d</dd>
  <dt>Round</dt><dd>%d</dd>
  <dt>Plan</dt><dd>%s</dd>
</dl>
<ol>
%s</ol>
`, fields, len(p.Points), p.Round, p.MapUUID, markup.Join(p.Points, func(_ int, one LinkedPoint) markup.Text { return one.html() }))
}

func (p LinkedPoint) html() markup.Text {
	samples := markup.Join(p.Samples, func(_ int, s LabelledSample) markup.Text {
		return markup.Sprintf("<br>%v to %v cm: %s, %s", s.DepthFrom, s.DepthTo, s.Label, s.Status)
	})
	return markup.Sprintf(`<li><strong>%s</strong>%s · %s · zone %d<br>
  %s
  %s</li>
`, p.ID, markup.If(p.Role == string(plan.RoleReserve), " (reserve)"), p.Field, p.Zone, place(p.Lat, p.Lon), samples)
}
