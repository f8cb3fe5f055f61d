"""Signs in, creates a farm with fields from a file, and reads the season's NDVI of each. Python 3.9 or later, no packages."""

import json
import os
import time
import urllib.request

URL = os.environ.get("TILTH_URL", "http://127.0.0.1:8080") + "/api/v1.2"
EMAIL = os.environ.get("TILTH_EMAIL", "owner@demo.example")
PASSWORD = os.environ.get("TILTH_PASSWORD", "tilth-demo-2025")
token = None


def call(method, path, body=None):
    """Returns the data of an answer. Raises RuntimeError with the code and the message of an error."""
    request = urllib.request.Request(URL + path, method=method, headers={"Content-Type": "application/json"})
    if token:
        request.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(request, None if body is None else json.dumps(body).encode()) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as failed:
        error = json.load(failed)
        raise RuntimeError(f"{failed.code} {error['code']}: {error['message']} {error['details']}") from None


def square(west, south, side=0.0035):
    """Returns a GeoJSON polygon, longitude first."""
    east, north = west + side, south + side * 0.8
    return {"type": "Polygon", "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]]}


token = call("POST", "/auth/token/", {"email": EMAIL, "password": PASSWORD})["access"]
farm = call("POST", "/farm/", {"name": "Farm of a Python walk", "country": "spain"})

# Fields from a file: one request for up to 1,000 features. Sent again, it changes nothing.
features = [
    {"type": "Feature", "geometry": square(-4.2243 + 0.004 * i, 41.7794), "properties": {"name": f"Field {i + 1}", "ref": f"py-{farm['id']}-{i}"}}
    for i in range(3)
]
load = f"/field/import/?farm_id={farm['id']}&external_id_property=ref"
made = call("POST", load, {"type": "FeatureCollection", "features": features})
again = call("POST", load, {"type": "FeatureCollection", "features": features})
assert made["created"] == 3 and again["skipped"] == 3, (made, again)

season = call("POST", "/season/", {"name": "Summer 2025", "start_date": "2025-03-01", "end_date": "2025-10-31"})
crop = call("GET", "/crop/?search=winter%20wheat")["results"][0]
fields = call("GET", f"/field/?farm={farm['id']}&page=all")["results"]
call("POST", "/cultivation/", [{"field_id": f["id"], "season_id": season["id"], "crop_id": crop["id"]} for f in fields])

# Order the series of all fields in one request, and read each when it is ready.
orders = "/profiles/vegetation-index-profile/orders/"
placed = call("POST", orders + "batch/", [{"field_uuid": f["uuid"], "season_id": season["id"]} for f in fields])
for item in placed["items"]:
    for _ in range(120):
        order = call("GET", f"{orders}{item['order_id']}/")
        if order["status"] not in ("processing", "pending"):
            break
        time.sleep(0.5)
    assert order["status"] == "active", order
    values = [point["value"] for point in order["profile"]]
    print(f"field {order['field']}: {len(values)} dates, NDVI up to {max(values):.2f}")
