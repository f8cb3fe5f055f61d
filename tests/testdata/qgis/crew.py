"""Opens a package of a crew with QGIS's own reader, without a screen, and works as a crew does.

    python3 crew.py PROJECT.qgs EDITS.json [PICTURE.png]

EDITS.json: {"points": {ID: {COLUMN: VALUE, ..., "move": [LON, LAT]}}, "samples": {LABEL: {COLUMN: VALUE}}}.
Prints what QGIS makes of the project, as JSON. Debian: apt-get install python3-qgis.
"""
import json
import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"
from qgis.core import (QgsApplication, QgsExpression, QgsGeometry, QgsMapRendererParallelJob, QgsMapSettings,  # noqa: E402
                       QgsPointXY, QgsProject)
from qgis.PyQt.QtCore import QSize  # noqa: E402
from qgis.PyQt.QtGui import QColor  # noqa: E402

app = QgsApplication([], True)
app.initQgis()
complaints = []
QgsApplication.messageLog().messageReceived.connect(lambda text, tag, level: complaints.append(f"{tag}: {text}") if level else None)
project = QgsProject.instance()
out = {"read": project.read(sys.argv[1]), "error": project.error(), "crs": project.crs().authid(), "title": project.title(), "layers": {}}
by_name = {}
for layer in project.mapLayers().values():
    by_name[layer.name()] = layer
    widgets, wrong = {}, []
    for i, field in enumerate(layer.fields()):
        widgets[field.name()] = layer.editorWidgetSetup(i).type()
        expression = layer.defaultValueDefinition(i).expression()
        if expression and QgsExpression(expression).hasParserError():
            wrong.append(field.name() + ": " + QgsExpression(expression).parserErrorString())
    out["layers"][layer.name()] = {
        "valid": layer.isValid(), "count": layer.featureCount(), "crs": layer.crs().authid(), "read_only": layer.readOnly(), "widgets": widgets, "wrong": wrong,
        "source": os.path.relpath(layer.source().split("|")[0], os.path.dirname(sys.argv[1])),
        "form": [e.name() for e in layer.editFormConfig().tabs()],
    }
out["relations"] = {r.name(): r.isValid() for r in project.relationManager().relations().values()}
relation = next(iter(project.relationManager().relations().values()), None)
out["samples_of_first"] = sum(1 for _ in relation.getRelatedFeatures(next(by_name["Points"].getFeatures()))) if relation else 0

edits = json.load(open(sys.argv[2]))
for name, key in (("Points", "point"), ("Samples", "label")):
    layer = by_name[name]
    layer.startEditing()
    for feature in layer.getFeatures():
        change = edits[name.lower()].get(feature[key], {})
        for column, value in change.items():
            if column == "move":
                layer.changeGeometry(feature.id(), QgsGeometry.fromPointXY(QgsPointXY(*value)))
            elif not layer.changeAttributeValue(feature.id(), layer.fields().indexOf(column), value):
                out.setdefault("refused", []).append(column)
    if not layer.commitChanges():
        out.setdefault("refused", []).extend(layer.commitErrors())

if len(sys.argv) > 3:
    settings = QgsMapSettings()
    settings.setLayers([layer for layer in project.layerTreeRoot().layerOrder() if layer.isSpatial()])
    settings.setDestinationCrs(project.crs())
    settings.setOutputSize(QSize(1400, 1000))
    settings.setBackgroundColor(QColor("white"))
    extent = by_name["Fields"].extent()
    extent.scale(1.1)
    settings.setExtent(extent)
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    job.renderedImage().save(sys.argv[3])
out["complaints"] = complaints
print(json.dumps(out))
project.clear()
app.exitQgis()
