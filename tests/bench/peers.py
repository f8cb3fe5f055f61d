"""The job of `tilth profile` done with rasterio and numpy, for comparison.

peers.py make DIR DOWN RIGHT    writes a catalog with one date of a full-size tile to DIR; its field
                                begins DOWN and RIGHT (0 to 1) of the way through its block
peers.py run DIR TURNS THREADS  computes the NDVI series of DIR/field.geojson from DIR's catalog as
                                often as told, dates or else bands on so many threads, and prints
                                the seconds of the fastest turn, those that processors spent in the
                                cheapest, and the series as JSON. Starting Python and importing
                                is not counted.
"""

import json
import os
import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import rasterio
from rasterio.features import geometry_mask, geometry_window
from rasterio.transform import from_origin
from rasterio.warp import transform_geom
from rasterio.windows import Window

SIDE = 10980  # pixels of a Sentinel-2 tile at 10 m
BLOCK = 1024
LEFT, TOP = 399960, 4700040  # of tile 30TUM


def make(folder, down, right):
    random = np.random.default_rng(1)
    (folder / "scene").mkdir(parents=True)
    # Only the blocks around the field are stored; GDAL leaves the others out.
    for name, size, dtype, low, high in (("B04", SIDE, "uint16", 400, 900), ("B08", SIDE, "uint16", 2500, 4000), ("SCL", SIDE // 2, "uint8", 4, 6)):
        profile = dict(
            driver="GTiff", width=size, height=size, count=1, dtype=dtype, nodata=0, crs="EPSG:32630", sparse_ok=True,
            transform=from_origin(LEFT, TOP, 10 * SIDE / size, 10 * SIDE / size),
            tiled=True, blockxsize=BLOCK, blockysize=BLOCK, compress="DEFLATE", predictor=2 if dtype == "uint16" else 1,
        )
        with rasterio.open(folder / "scene" / f"{name}.tif", "w", **profile) as out:
            n = min(4 * BLOCK, size - 2 * BLOCK)
            slope = np.linspace(low, high, n)
            pixels = (slope[None, :] + slope[:, None]) / 2 + random.normal(0, 40 if size == SIDE else 0, (n, n))
            out.write(pixels.astype(dtype), 1, window=Window(2 * BLOCK, 2 * BLOCK, n, n))

    def asset(name):
        return {"href": f"{name}.tif", "type": "image/tiff", "eo:bands": [{"name": name}], "raster:bands": [{"scale": 0.0001, "offset": 0, "nodata": 0}]}

    item = {
        "type": "Feature", "id": "scene", "bbox": [-180, -90, 180, 90], "properties": {"datetime": "2025-06-01T11:00:00Z", "platform": "sentinel-2a"},
        "assets": {"red": asset("B04"), "nir": asset("B08"), "scl": {"href": "SCL.tif", "type": "image/tiff"}},
    }
    catalog = {"type": "Catalog", "id": "made", "stac_version": "1.0.0", "description": "made", "links": [{"rel": "item", "href": "scene/item.json"}]}
    # a square of 600 m from block 4/4 of the bands on, and inside a block of the classes
    x, y = LEFT + 10 * (4 + right) * BLOCK, TOP - 10 * (4 + down) * BLOCK - 600
    ring = [[x, y], [x + 600, y], [x + 600, y + 600], [x, y + 600], [x, y]]
    field = transform_geom("EPSG:32630", "EPSG:4326", {"type": "Polygon", "coordinates": [ring]})
    for path, content in (("scene/item.json", item), ("catalog.json", catalog), ("field.geojson", field)):
        (folder / path).write_text(json.dumps(content))


def documents(path):
    document = json.loads(path.read_text())
    if document["type"] == "Feature":
        yield path, document
    for link in document.get("links", []):
        if link["rel"] in ("child", "item", "items"):
            yield from documents(path.parent / link["href"])


def read(folder, asset, shape):
    """A band in the field's window, and which of its pixels are in the field."""
    href = asset["href"]
    with rasterio.open(href if "://" in href else folder / href) as source:
        projected = transform_geom("EPSG:4326", source.crs, shape)
        window = geometry_window(source, [projected])
        pixels = source.read(1, window=window)
        transform = source.window_transform(window)
    return pixels, transform, projected


def by_band(item):
    return {asset.get("eo:bands", [{"name": key.upper()}])[0]["name"]: asset for key, asset in item["assets"].items()}


def date(folder, item, shape, gather):
    """The figures of one date, or None where clouds cover the field."""
    assets = by_band(item)
    (red, transform, projected), (classes, coarse, _), nir = gather(lambda name: read(folder, assets[name], shape), ("B04", "SCL", "B08"))
    inside = geometry_mask([projected], red.shape, transform, invert=True)
    rows, columns = np.indices(red.shape)
    xs, ys = transform * (columns + 0.5, rows + 0.5)
    columns, rows = ~coarse * (xs, ys)
    columns, rows = np.floor(columns).astype(int), np.floor(rows).astype(int)
    kept = (rows >= 0) & (rows < classes.shape[0]) & (columns >= 0) & (columns < classes.shape[1])
    clear = np.zeros(red.shape, bool)
    clear[kept] = np.isin(classes[rows[kept], columns[kept]], (4, 5, 6, 7))
    if (inside & clear).sum() < 0.5 * inside.sum():
        return None
    nir = nir()[0]
    valid = inside & clear & (red > 0) & (nir > 0)
    r, n = red[valid] * 1e-4, nir[valid] * 1e-4
    ndvi = (n - r) / (n + r)
    figures = [ndvi.mean(), np.median(ndvi), ndvi.std(), ndvi.min(), ndvi.max(), *np.percentile(ndvi, (10, 90))]
    return [float(v) for v in figures]


def series(folder, pool):
    shape = json.loads((folder / "field.geojson").read_text())
    shape = shape["features"][0] if shape["type"] == "FeatureCollection" else shape
    shape = shape.get("geometry", shape)
    items = list(documents(folder / "catalog.json"))

    def in_turn(read, names):  # the last band only when it is asked for
        return read(names[0]), read(names[1]), lambda: read(names[2])

    def at_once(read, names):
        first, second, third = (pool.submit(read, name) for name in names)
        return first.result(), second.result(), third.result

    def one(found):
        path, item = found
        return item["properties"]["datetime"][:10], date(path.parent, item, shape, at_once if pool and len(items) == 1 else in_turn)

    dates = pool.map(one, items) if pool and len(items) > 1 else map(one, items)
    return {day: figures for day, figures in dates if figures}


def run(folder, turns, threads):
    seconds, spent = [], []
    pool = ThreadPoolExecutor(threads) if threads > 1 else None
    # As its documentation has it for cloud-optimized files behind HTTP.
    os.environ.update(GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR", CPL_VSIL_CURL_ALLOWED_EXTENSIONS=".tif")
    for _ in range(turns):
        started, before = time.perf_counter(), time.process_time()
        computed = series(folder, pool)
        seconds.append(time.perf_counter() - started)
        spent.append(time.process_time() - before)
    print(json.dumps({"seconds": min(seconds), "processor": min(spent), "series": computed}))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
    else:
        run(pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
