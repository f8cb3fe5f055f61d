"""Opens collections of an address by QGIS's own provider of OGC API - Features, without a screen, and prints what it reads."""

import json
import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from qgis.core import QgsApplication, QgsDataSourceUri, QgsFeatureRequest, QgsRectangle, QgsVectorLayer  # noqa: E402

address, names = sys.argv[1], sys.argv[2:]
QgsApplication.setPrefixPath("/usr", True)
app = QgsApplication([], True)
app.initQgis()

out = {}
for name in names:
    uri = QgsDataSourceUri()
    uri.setParam("url", address)
    uri.setParam("typename", name)
    uri.setParam("pageSize", "2")
    layer = QgsVectorLayer(uri.uri(False), name, "OAPIF")
    read = {"valid": layer.isValid()}
    if layer.isValid():
        box = QgsFeatureRequest().setFilterRect(QgsRectangle(-4.9001, 41.7999, -4.8, 41.9))
        read.update(
            crs=layer.crs().authid(),
            fields=[field.name() for field in layer.fields()],
            names=sorted(str(f["name"]) for f in layer.getFeatures()) if layer.fields().indexOf("name") >= 0 else [],
            count=sum(1 for _ in layer.getFeatures()),
            inside=sum(1 for f in layer.getFeatures(box) if f.hasGeometry()),
        )
    out[name] = read
    del layer
print(json.dumps(out))
app.exitQgis()
