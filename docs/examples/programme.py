"""The series of a programme in pandas: one table with a column per field, and the fields that lag behind.

Cells begin with "# %%": run them one by one in VS Code, Spyder or Jupyter (jupytext), or all at once with python3 programme.py.
TILTH_URL names the server, TILTH_KEY an API key with vi-profile.view, TILTH_SHARE=true reads what suppliers share instead of your own.
"""

# %% Read: one request, whatever the number of fields
import os
import urllib.parse

import pandas as pd

URL = os.environ.get("TILTH_URL", "http://127.0.0.1:8080") + "/api/v1.2"
QUERY = {"format": "csv", "share": os.environ.get("TILTH_SHARE", "false")}  # "season", "farm" and "field" narrow it, by id

series = pd.read_csv(
    f"{URL}/profiles/vegetation-index-profile/series/?{urllib.parse.urlencode(QUERY)}",
    storage_options={"X-API-Key": os.environ["TILTH_KEY"]},
    parse_dates=["date"],
)
orders = series["order_id"].nunique()
print(f"{orders} order{'' if orders == 1 else 's'}, {len(series)} date{'' if len(series) == 1 else 's'}")

# %% Align: a column per field, a value per day, gaps of up to 20 days filled between two dates
daily = (
    series.pivot_table(index="date", columns="field", values="value")
    .resample("D")
    .mean()
    .interpolate("time", limit=20, limit_area="inside")
)
print(daily.resample("MS").median().round(2).to_string())

# %% Compare: every field with the median of the programme, on the days that have both
season = pd.DataFrame({
    "peak": daily.max().round(2),
    "peak_on": daily.idxmax().dt.date,
    "behind": daily.rsub(daily.median(axis=1), axis=0).mean().round(3),
})
print(season.sort_values("behind", ascending=False).to_string())

# %% Save
daily.round(4).to_csv("programme.csv")
