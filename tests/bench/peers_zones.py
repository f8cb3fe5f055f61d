"""k-means of the cells of a table with scikit-learn, for comparison with `tilth stratify`.

peers_zones.py FILE.csv COLUMNS TURNS K...   reads the columns (a,b,c), standardises them (n-1) and
prints as JSON, for each k, the seconds that the processor spent on the cheapest turn of 25 starts,
and the lowest inertia of all turns. It has one thread: on few cores those of OpenMP and OpenBLAS
wait for one another in loops, which counts as work. Starting Python, importing and reading are not
counted.
"""

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # read when the libraries are loaded

import csv
import json
import sys
import time

import numpy as np
from sklearn.cluster import KMeans


def read(path, columns):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return np.array([[float(row[c]) for c in columns] for row in rows])


def main(path, columns, turns, ks):
    points = read(path, columns.split(","))
    points = (points - points.mean(0)) / points.std(0, ddof=1)
    out = []
    for k in ks:
        seconds, inertias = [], []
        for turn in range(turns):
            started = time.process_time()
            fit = KMeans(k, n_init=25, random_state=turn).fit(points)
            seconds.append(time.process_time() - started)
            inertias.append(float(fit.inertia_))
        out.append({"k": k, "seconds": min(seconds), "inertia": min(inertias)})
    print(json.dumps(out))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), [int(k) for k in sys.argv[4:]])
