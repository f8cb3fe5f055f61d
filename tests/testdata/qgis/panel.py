"""Drives the STAC panel of the whole program QGIS (3.40 or later), as a person would, and writes what it shows.

    xvfb-run qgis --nologo --noplugins --noversioncheck --profiles-path FOLDER --code panel.py

PANEL_ASKED names a JSON file with what to do, PANEL_SAID the one to write. The browser is there from 3.40 on, and the dialog "Add Layer
from STAC Catalog", which searches, from 3.42 on."""

import faulthandler
import json
import os
import time
import traceback

from qgis.core import Qgis, QgsApplication, QgsAuthMethodConfig, QgsCoordinateReferenceSystem, QgsMapRendererParallelJob, QgsMapSettings, QgsProject, QgsRasterLayer, QgsRectangle, QgsSettings
from qgis.gui import QgsExtentWidget, QgsGui, QgsMapCanvas
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QDateTime, QSize, Qt, QTimer
from qgis.PyQt.QtWidgets import QAbstractButton, QDateTimeEdit, QDialog, QGroupBox, QLabel, QListView, QMainWindow, QWidget

faulthandler.enable()
asked = json.load(open(os.environ["PANEL_ASKED"]))
NAME = "Tilth"
kept = []  # rows of the browser that Python must not delete: the program does


def until(done, seconds=60):
    """Lets the program work until something is so."""
    end = time.time() + seconds
    while not done():
        if time.time() > end:
            raise TimeoutError(f"not within {seconds} s")
        QgsApplication.processEvents()
        time.sleep(0.01)


def connect():
    """Makes the connection, with the key as a header of the program's own store of credentials."""
    manager = QgsApplication.authManager()
    manager.setMasterPassword("panel", True)
    header = QgsAuthMethodConfig("APIHeader")
    header.setName(NAME)
    header.setConfig("X-API-Key", asked["key"])
    assert manager.storeAuthenticationConfig(header)[0]
    for name, value in (("url", asked["address"]), ("authcfg", header.id())):
        QgsSettings().setValue(f"connections/stac/items/{NAME}/{name}", value)


def opened(uri):
    """Opens a layer as the program does that was dragged to the map."""
    if uri.layerType != "raster":
        return None
    layer = QgsRasterLayer(uri.uri, uri.name, uri.providerKey)
    return layer if layer.isValid() else None


def children(item, rows=None):
    rows = item.children() if rows is None else rows
    kept.extend(rows)
    return rows


def browsed():
    """Walks the tree of the browser: collections, their items with all pages, and the files that can be dragged to the map."""
    provider = next(p for p in QgsApplication.dataItemProviderRegistry().providers() if p.name() == "STAC")
    root = provider.createDataItem("", None)
    kept.append(root)
    connection = children(root, root.createChildren())[0]
    connection.populate(True)
    until(lambda: connection.state() == Qgis.BrowserItemState.Populated)
    out = {"connection": connection.name(), "collections": {}}
    layers = []
    for collection in children(connection):
        collection.populate(True)
        pages, rows = 1, children(collection)
        while any(row.name().startswith("Double-click") for row in rows):
            next(row for row in rows if row.name().startswith("Double-click")).handleDoubleClick()
            pages, rows = pages + 1, children(collection)
        files = {}
        for row in rows:
            for uri in row.mimeUris():
                files.setdefault(uri.layerType, []).append(uri.name)
        shown = [uri for uri in rows[0].mimeUris()] if rows else []
        valid = [layer for layer in map(opened, shown) if layer]
        layers += valid[:1]
        out["collections"][collection.name()] = {
            "path": collection.path(), "pages": pages, "items": [row.name() for row in rows], "files": {kind: len(names) for kind, names in files.items()},
            "rasters": {layer.name(): {"crs": layer.crs().authid(), "width": layer.width(), "height": layer.height(), "bands": layer.bandCount()} for layer in valid},
            "refused": [uri.name for uri in shown if uri.layerType == "raster" and uri.name not in {layer.name() for layer in valid}],
        }
    return out, layers


class Panel:
    """The dialog of the data source manager."""

    def __init__(self, provider):
        window = next(w for w in QgsApplication.topLevelWidgets() if isinstance(w, QMainWindow) and w.findChild(QgsMapCanvas))
        self.widget = provider.createDataSourceWidget(window, Qt.Widget)
        self.widget.setMapCanvas(window.findChild(QgsMapCanvas))
        self.widget.resize(700, 620)
        self.widget.show()
        self.rows = self.widget.findChild(QListView, "mItemsView")
        self.label = self.widget.findChild(QLabel, "mStatusLabel")
        self.added = []
        self.widget.addRasterLayer.connect(lambda uri, name, key: self.added.append([uri, name, key]))

    def settled(self):
        """Waits until a search has ended, with all of its pages: the view is scrolled to its end as long as more comes."""
        self.label.setText("asked")
        until(self.all_pages, 120)
        return {"status": self.label.text(), "items": [self.title(i) for i in range(self.rows.model().rowCount())]}

    def title(self, i):
        index = self.rows.model().index(i, 0)
        return next((index.data(role) for role in range(0x100, 0x110) if isinstance(index.data(role), str)), None)

    def all_pages(self):
        bar, text = self.rows.verticalScrollBar(), self.label.text()
        if text.startswith(("asked", "Connecting", "Fetching", "Searching")):
            return False
        if not text.startswith("Showing") or len(set(text.split()[1].split("/"))) == 1:
            return True
        bar.setValue(0)
        QgsApplication.processEvents()
        bar.setValue(bar.maximum())
        return False

    def press(self, name):
        self.widget.findChild(QAbstractButton, name).click()

    def fill(self, dialog, filters):
        for group, on in (("mSpatialGroupBox", "box" in filters), ("mTemporalGroupBox", "from" in filters or "to" in filters), ("mCollectionsGroupBox", "collections" in filters)):
            dialog.findChild(QGroupBox, group).setChecked(on)
        if "box" in filters:
            sip.cast(dialog.findChild(QWidget, "mSpatialExtent"), QgsExtentWidget).setOutputExtentFromUser(QgsRectangle(*filters["box"]), QgsCoordinateReferenceSystem(filters.get("crs", "EPSG:4326")))
        for end, name in (("from", "mFromDateTimeEdit"), ("to", "mToDateTimeEdit")):
            edit = dialog.findChild(QDateTimeEdit, name)
            edit.setDateTime(QDateTime.fromString(filters[end], Qt.ISODate)) if end in filters else edit.clear()
        if "collections" in filters:
            model = dialog.findChild(QListView, "mCollectionsListView").model()
            for i in range(model.rowCount()):
                model.setData(model.index(i, 0), Qt.Checked if model.index(i, 0).data(Qt.UserRole) in filters["collections"] else Qt.Unchecked, Qt.CheckStateRole)

    def search(self, filters):
        """Sets filters as a person does in the dialog that the button opens."""
        def fill():
            dialog = QgsApplication.activeModalWidget()
            try:
                self.fill(dialog, filters)
            except BaseException:
                finish(failed=traceback.format_exc())
            dialog.accept()

        QTimer.singleShot(300, fill)
        self.press("mFiltersButton")
        return self.settled()


def searched():
    """Searches as the dialog does, filter by filter, and adds the first item that is found last."""
    provider = next((p for p in QgsGui.sourceSelectProviderRegistry().providers() if p.name() == "stac"), None)
    if provider is None:
        return None
    panel = Panel(provider)
    panel.press("btnConnect")
    out = {"all": panel.settled(), "searches": []}
    for filters in asked["searches"]:
        out["searches"].append(panel.search(filters))
    until(lambda: all(panel.rows.model().index(i, 0).data(Qt.DecorationRole) for i in range(panel.rows.model().rowCount())))
    panel.rows.setCurrentIndex(panel.rows.model().index(0, 0))
    panel.widget.addButtonClicked()
    out["added"] = [name for uri, name, key in panel.added if QgsRasterLayer(uri, name, key).isValid()]
    out["refused"] = [name for uri, name, key in panel.added if not QgsRasterLayer(uri, name, key).isValid()]
    if "pictures" in asked:
        QgsApplication.processEvents()
        panel.widget.grab().save(os.path.join(asked["pictures"], "panel.png"))
    return out


def drawn(layers, path):
    """Draws layers, each as large as it can be, and returns how many colours the first has."""
    first = layers[0]
    settings = QgsMapSettings()
    settings.setLayers([first])
    settings.setDestinationCrs(first.crs())
    settings.setExtent(first.extent())
    settings.setOutputSize(QSize(700, 600))
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    if path:
        image.save(path)
    return {"errors": [error.message for error in job.errors()], "colours": len({image.pixel(x, y) for x in range(0, 700, 5) for y in range(0, 600, 5)})}


said = {"version": Qgis.QGIS_VERSION}


def finish(**more):
    with open(os.environ["PANEL_SAID"], "w") as f:
        json.dump(said | more, f)
    os._exit(0)  # the program would ask what to do with the layers


def run():
    try:
        connect()
        said["browsed"], layers = browsed()
        QgsProject.instance().addMapLayers(layers, False)
        said["drawn"] = {layer.name(): drawn([layer], os.path.join(asked["pictures"], f"{n}.png") if "pictures" in asked else "") for n, layer in enumerate(layers)}
        said["searched"] = searched()
    except BaseException:
        said["failed"] = traceback.format_exc()
    finish()


began = time.time()
QTimer.singleShot(0, run)
