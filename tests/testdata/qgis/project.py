"""Opens a project by QGIS's own reader, without a screen, prints what is in it, and draws it where a second path is named."""

import json
import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from qgis.core import QgsApplication, QgsMapRendererParallelJob, QgsMapSettings, QgsProject, QgsRasterLayer, QgsVectorLayer  # noqa: E402
from qgis.PyQt.QtCore import QSize  # noqa: E402

QgsApplication.setPrefixPath("/usr", True)
app = QgsApplication([], True)
app.initQgis()

project = QgsProject.instance()
out = {"read": project.read(sys.argv[1]), "layers": {}}
for layer in project.mapLayers().values():
    read = {"valid": layer.isValid(), "provider": layer.providerType()}
    if isinstance(layer, QgsVectorLayer) and layer.isValid():
        read["count"] = sum(1 for _ in layer.getFeatures())
        read["missing"] = [layer.renderer().classAttribute()] if layer.renderer().type() == "graduatedSymbol" and layer.fields().indexOf(layer.renderer().classAttribute()) < 0 else []
    if isinstance(layer, QgsRasterLayer):
        read["count"] = 0
    out["layers"][layer.id()] = read

# What a person sees: how many colours the map has, of which white is one.
settings = QgsMapSettings()
settings.setLayers([node.layer() for node in project.layerTreeRoot().findLayers() if node.isVisible()])
settings.setTransformContext(project.transformContext())
settings.setDestinationCrs(project.crs())
settings.setExtent(project.viewSettings().defaultViewExtent())
settings.setOutputSize(QSize(900, 600))
job = QgsMapRendererParallelJob(settings)
job.start()
job.waitForFinished()
image = job.renderedImage()
out["errors"] = [error.message for error in job.errors()]
out["colours"] = len({image.pixel(x, y) for x in range(0, 900, 3) for y in range(0, 600, 3)})
if len(sys.argv) > 2:
    image.save(sys.argv[2])
print(json.dumps(out))
app.exitQgis()
