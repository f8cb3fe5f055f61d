package qfield

import (
	_ "embed" // the frame of projects

	"tilth/core/geo"
	"tilth/core/markup"
)

//go:embed project.qgs
var frame string

const system markup.Text = `<spatialrefsys><proj4>+proj=longlat +datum=WGS84 +no_defs</proj4><srsid>3452</srsid><srid>4326</srid><authid>EPSG:4326</authid><description>WGS 84</description><projectionacronym>longlat</projectionacronym><ellipsoidacronym>EPSG:7030</ellipsoidacronym><geographicflag>true</geographicflag></spatialrefsys>`

// text returns the project as QGIS reads it.
func (p project) text() markup.Text {
	return markup.Fill(frame, map[string]any{
		"Title": p.Title, "System": system, "Extent": corners(p.Extent), "ID": p.ID,
		"Tree": markup.Join(p.Layers, func(_ int, s styled) markup.Text {
			return markup.Sprintf(`
    <layer-tree-layer id="%s_%s" name="%s" source="./%s.gpkg|layername=%s" providerKey="ogr" checked="Qt::Checked" expanded="%d"/>`,
				s.Name, p.ID, s.Title, p.Stem, s.Name, bit(len(s.Classes) > 0))
		}),
		"Layers": markup.Join(p.Layers, func(_ int, s styled) markup.Text { return s.text(p) }),
		"Order": markup.Join(p.Layers, func(_ int, s styled) markup.Text {
			return markup.Sprintf("\n    <layer id=\"%s_%s\"/>", s.Name, p.ID)
		}),
	})
}

func corners(b geo.Box) markup.Text {
	return markup.Sprintf("<xmin>%v</xmin><ymin>%v</ymin><xmax>%v</xmax><ymax>%v</ymax>", b.MinX, b.MinY, b.MaxX, b.MaxY)
}

func option(name, value string) markup.Text {
	return markup.Sprintf(`<Option name="%s" type="QString" value="%s"/>`, name, value)
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (s styled) text(p project) markup.Text {
	var extent markup.Text
	if s.Geometry != "" {
		extent = markup.Sprintf("\n      <extent>%s</extent>", corners(s.box))
	}
	return markup.Sprintf(`
    <maplayer type="vector" geometry="%s" wkbType="%s" hasScaleBasedVisibilityFlag="0" labelsEnabled="%d" readOnly="%d" styleCategories="AllStyleCategories">
      <id>%s_%s</id>
      <datasource>./%s.gpkg|layername=%s</datasource>
      <layername>%s</layername>
      <srs>%s</srs>%s
      <provider encoding="UTF-8">ogr</provider>
      <flags><Identifiable>1</Identifiable><Removable>0</Removable><Searchable>1</Searchable><Private>0</Private></flags>%s
      <blendMode>0</blendMode>
      <layerOpacity>1</layerOpacity>%s
      <previewExpression>%s</previewExpression>
    </maplayer>`, s.Shape, s.WKB, bit(s.Label != ""), bit(!s.Editable), s.Name, p.ID, p.Stem, s.Name, s.Title, system, extent,
		s.renderer()+s.labels()+s.properties(), s.fields()+s.aliases()+s.form()+s.rights(), s.Preview)
}

// renderer states how the features of each class are drawn.
func (s styled) renderer() markup.Text {
	if len(s.Classes) == 0 {
		return ""
	}
	return markup.Sprintf(`
      <renderer-v2 type="categorizedSymbol" attr="%s" symbollevels="0" forceraster="0" enableorderby="0">
        <categories>%s
        </categories>
        <symbols>%s
        </symbols>
      </renderer-v2>`, s.ClassedBy, markup.Join(s.Classes, func(i int, c class) markup.Text {
		return markup.Sprintf("\n          <category value=\"%s\" type=\"%s\" symbol=\"%d\" label=\"%s\" render=\"true\"/>", c.Value, s.ClassType, i, c.Label)
	}), markup.Join(s.Classes, func(i int, c class) markup.Text {
		return markup.Sprintf(`
          <symbol name="%d" type="%s" alpha="%s" clip_to_extent="1" force_rhr="0">
            <layer class="%s" enabled="1" locked="0" pass="0"><Option type="Map">%s</Option></layer>
          </symbol>`, i, s.Symbol, c.Alpha, c.Class, markup.Join(c.Options, func(_ int, o pair) markup.Text { return option(o.Name, o.Value) }))
	}))
}

func (s styled) labels() markup.Text {
	if s.Label == "" {
		return ""
	}
	return markup.Sprintf(`
      <labeling type="simple">
        <settings calloutType="simple">
          <text-style fieldName="%s" isExpression="0" fontFamily="Sans Serif" namedStyle="Regular" fontSize="%d" fontSizeUnit="Point" textColor="%s" textOpacity="1" multilineHeight="1">
            <text-buffer bufferDraw="1" bufferSize="0.8" bufferSizeUnits="MM" bufferColor="255,255,255,255" bufferOpacity="1"/>
          </text-style>
          <text-format/>
          <placement placement="%s" dist="1" distUnits="MM" priority="5"/>
          <rendering drawLabels="1" displayAll="0" obstacle="1" scaleVisibility="0" fontMinPixelSize="3" fontMaxPixelSize="10000"/>
        </settings>
      </labeling>`, s.Label, s.LabelSize, s.LabelColour, s.LabelPlace)
}

// properties are for QField: features are edited offline, and photos are named.
func (s styled) properties() markup.Text {
	var photos markup.Text
	if s.Photos != "" {
		photos = "\n          " + option("QFieldSync/attachment_naming", s.Photos) + "\n          " + option("QFieldSync/photo_naming", s.Photos)
	}
	return markup.Sprintf(`
      <customproperties>
        <Option type="Map">
          %s%s
        </Option>
      </customproperties>`, option("QFieldSync/action", "offline"), photos)
}

// fields states with which widget each column is filled in.
func (s styled) fields() markup.Text {
	return markup.Sprintf(`
      <fieldConfiguration>
        <field name="fid" configurationFlags="None"><editWidget type="Hidden"><config><Option/></config></editWidget></field>%s
      </fieldConfiguration>`, markup.Join(s.Columns, func(_ int, c column) markup.Text {
		return markup.Sprintf(`
        <field name="%s" configurationFlags="None">
          <editWidget type="%s">
            <config>
              <Option type="Map">%s
              </Option>
            </config>
          </editWidget>
        </field>`, c.Name, c.Widget, c.widget())
	}))
}

func (f form) widget() markup.Text {
	const margin = "\n                "
	switch f.Widget {
	case choice:
		return margin + `<Option name="map" type="List">` + markup.Join(f.Values, func(_ int, v pair) markup.Text {
			return margin + `  <Option type="Map">` + option(v.Name, v.Value) + `</Option>`
		}) + margin + `</Option>`
	case moment:
		return margin + `<Option name="allow_null" type="bool" value="true"/>` + margin + `<Option name="calendar_popup" type="bool" value="true"/>` +
			margin + option("display_format", "yyyy-MM-dd HH:mm") + margin + option("field_format", "yyyy-MM-dd HH:mm:ss") +
			margin + `<Option name="field_iso_format" type="bool" value="false"/>`
	case attachment:
		return margin + option("DefaultRoot", "@project_home") + `
                <Option name="DocumentViewer" type="int" value="1"/>
                <Option name="DocumentViewerHeight" type="int" value="0"/>
                <Option name="DocumentViewerWidth" type="int" value="0"/>
                <Option name="FileWidget" type="bool" value="true"/>
                <Option name="FileWidgetButton" type="bool" value="true"/>` + margin + option("FileWidgetFilter", "") + `
                <Option name="RelativeStorage" type="int" value="1"/>
                <Option name="StorageMode" type="int" value="0"/>`
	}
	return margin + markup.Sprintf(`<Option name="IsMultiline" type="bool" value="%t"/>`, f.Lines) + margin + `<Option name="UseHtml" type="bool" value="false"/>`
}

// aliases states the labels of the columns, and the values that they take when a feature is saved. The first column is fid.
func (s styled) aliases() markup.Text {
	return markup.Sprintf(`
      <aliases>%s
      </aliases>
      <defaults>%s
      </defaults>`, markup.Join(s.Columns, func(i int, c column) markup.Text {
		return markup.Sprintf("\n        <alias field=\"%s\" index=\"%d\" name=\"%s\"/>", c.Name, i+1, c.Alias)
	}), markup.Join(s.Columns, func(_ int, c column) markup.Text {
		return markup.Sprintf("\n        <default field=\"%s\" expression=\"%s\" applyOnUpdate=\"%d\"/>", c.Name, c.OnUpdate, bit(c.OnUpdate != ""))
	}))
}

// form states the order of the columns in the form.
func (s styled) form() markup.Text {
	return markup.Sprintf(`
      <editorlayout>tablayout</editorlayout>
      <attributeEditorForm>%s%s
      </attributeEditorForm>`, markup.Join(s.Columns, func(i int, c column) markup.Text {
		if c.Widget == hidden {
			return ""
		}
		return markup.Sprintf("\n        <attributeEditorField name=\"%s\" index=\"%d\" showLabel=\"1\"/>", c.Name, i+1)
	}), markup.If(s.Children, `
        <attributeEditorRelation name="samples_of_point" relation="samples_of_point" relationWidgetTypeId="relation_editor" label="Samples" showLabel="1" nmRelationId="" forceSuppressFormPopup="0"><editor_configuration type="Map"><Option name="buttons" type="QString" value="NoButton"/></editor_configuration></attributeEditorRelation>`))
}

// rights states which columns the crew fills in.
func (s styled) rights() markup.Text {
	return markup.Sprintf(`
      <editable>
        <field name="fid" editable="0"/>%s
      </editable>
      <labelOnTop>%s
      </labelOnTop>`, markup.Join(s.Columns, func(_ int, c column) markup.Text {
		return markup.Sprintf("\n        <field name=\"%s\" editable=\"%d\"/>", c.Name, bit(!c.ReadOnly))
	}), markup.Join(s.Columns, func(_ int, c column) markup.Text {
		return markup.Sprintf("\n        <field name=\"%s\" labelOnTop=\"%d\"/>", c.Name, bit(!c.ReadOnly))
	}))
}
