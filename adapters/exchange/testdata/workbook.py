"""Reads a workbook with openpyxl, a reader of others, and prints what its cells are; with a second argument it writes one."""
import datetime
import json
import sys

import openpyxl

if len(sys.argv) > 2:
    book = openpyxl.Workbook()
    book.active.title = "Cover"
    book.active["A1"] = "nothing here"
    sheet = book.create_sheet("Results")
    sheet.append(["label", "soc_pct", "collected_at", "notes"])
    sheet.append(["P1-Z1-01-0-30", 2.5, datetime.date(2026, 3, 1), "=not a formula"])
    sheet["D2"].data_type = "s"
    sheet.append(["P1-Z1-02-0-30", 1.75, datetime.datetime(2026, 3, 1, 9, 30), None])
    book.save(sys.argv[2])
    sys.exit()

book = openpyxl.load_workbook(sys.argv[1])
out = []
for sheet in book:
    widths = [sheet.column_dimensions[openpyxl.utils.get_column_letter(i + 1)].width for i in range(sheet.max_column)]
    rows = [[[type(c.value).__name__, str(c.value), c.number_format, bool(c.quotePrefix)] for c in row if c.value is not None] for row in sheet.iter_rows()]
    out.append({"name": sheet.title, "frozen": sheet.freeze_panes, "widths": widths, "rows": rows})
json.dump(out, sys.stdout)
