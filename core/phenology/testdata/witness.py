"""Growing cycles, written a second time from the published definitions and from docs/phenology.md, with none of the program's
code: dense equations instead of banded ones, and peaks by taking the lowest away one after the other.

Reads lines of "date,value,weight" and writes the cycles as JSON: days since 1970 and figures, null where not known.
Only the standard library is used.
"""

import datetime
import json
import sys

LAMBDA, MAX_RUN_GAP = 500.0, 45
THRESHOLD, MIN_AMPLITUDE, MIN_SHARE, NOISY = 0.2, 0.1, 0.25, 3.0


def solve(a, columns):
    """Gauss with pivots; columns is a list of right sides."""
    n = len(a)
    m = [list(a[i]) + [c[i] for c in columns] for i in range(n)]
    width = len(m[0])
    for i in range(n):
        pivot = max(range(i, min(n, i + 3)), key=lambda r: abs(m[r][i]))
        m[i], m[pivot] = m[pivot], m[i]
        for r in range(i + 1, min(n, i + 5)):  # what is below the band is nothing
            f = m[r][i] / m[i][i]
            if f:
                for c in list(range(i, min(n, i + 7))) + list(range(n, width)):
                    m[r][c] -= f * m[i][c]
    out = [[0.0] * n for _ in columns]
    for k in range(len(columns)):
        x = out[k]
        for i in range(n - 1, -1, -1):
            x[i] = (m[i][n + k] - sum(m[i][c] * x[c] for c in range(i + 1, min(n, i + 7)))) / m[i][i]
    return out


def smooth(run):
    """Whittaker's line of a run, with the residual sum of squares and the degrees of freedom left."""
    first = run[0][0]
    n = run[-1][0] - first + 1
    y, w = [0.0] * n, [0.0] * n
    for day, value, weight in run:
        y[day - first], w[day - first] = value, weight
    if n == 1:
        return y, 0.0, 0.0
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        a[i][i] = w[i]
    for i in range(n - 2):
        d = {i: 1.0, i + 1: -2.0, i + 2: 1.0}
        for r in d:
            for c in d:
                a[r][c] += LAMBDA * d[r] * d[c]
    at = [i for i in range(n) if w[i] > 0]
    columns = [[w[i] * y[i] for i in range(n)]]
    for i in at:
        columns.append([1.0 if k == i else 0.0 for k in range(n)])
    solved = solve(a, columns)
    z = solved[0]
    taken = sum(w[i] * solved[1 + k][i] for k, i in enumerate(at))
    squares = sum(w[i] * (y[i] - z[i]) ** 2 for i in at)
    return z, squares, len(at) - taken


def peaks(z, least):
    """The extrema of the line, with the smallest swing between neighbours taken away until none is too small."""
    turns = [0]
    for i in range(1, len(z) - 1):
        if (z[i] - z[turns[-1]]) * (z[i + 1] - z[i]) < 0:
            turns.append(i)
    turns.append(len(z) - 1)
    while len(turns) > 2:
        swings = [abs(z[turns[i + 1]] - z[turns[i]]) for i in range(len(turns) - 1)]
        inner = range(1, len(swings) - 1)
        smallest = min(inner, key=lambda i: swings[i], default=None)
        if smallest is None or swings[smallest] >= least:
            break
        del turns[smallest : smallest + 2]
    # A swing that reaches an end of the run: its end may be higher than the turn, which then is no peak.
    while len(turns) > 2 and abs(z[turns[1]] - z[turns[0]]) < least and len(turns) > 3 and (z[turns[0]] - z[turns[1]]) > 0:
        del turns[0]
    while len(turns) > 2 and abs(z[turns[-1]] - z[turns[-2]]) < least and len(turns) > 3 and (z[turns[-1]] - z[turns[-2]]) > 0:
        del turns[-1]
    out = []
    for k, i in enumerate(turns):
        left = z[i] - z[turns[k - 1]] if k > 0 else None
        right = z[i] - z[turns[k + 1]] if k + 1 < len(turns) else None
        sides = [s for s in (left, right) if s is not None]
        if all(s > 0 for s in sides) and max(sides) >= least:
            out.append(i)
    return out


def cross(z, peak, to, level):
    step = 1 if to > peak else -1
    i = peak
    while i != to:
        if z[i + step] <= level:
            return i + step * (z[i] - level) / (z[i] - z[i + step])
        i += step
    return float(to)


def integral(z, a, b):
    """Of the line of straight pieces, by its primitive at the days and at both ends."""
    def at(x):
        i = min(int(x), len(z) - 2)
        return z[i] * (1 - (x - i)) + z[i + 1] * (x - i)

    knots = [a] + [float(k) for k in range(int(a) + 1, int(b) + 1) if a < k < b] + [b]
    return sum((q - p) * (at(p) + at(q)) / 2 for p, q in zip(knots, knots[1:]))


def cycle(first, z, left, peak, right):
    low, high, top = z[left], z[right], z[peak]
    before = left == 0 and (peak == 0 or low > high + THRESHOLD * (top - high))
    after = right == len(z) - 1 and (peak == len(z) - 1 or high > low + THRESHOLD * (top - low))
    base = high if before and not after else low if after and not before else min(low, high) if before else (low + high) / 2
    start = None if before else cross(z, peak, left, low + THRESHOLD * (top - low))
    end = None if after else cross(z, peak, right, high + THRESHOLD * (top - high))
    total = None if start is None or end is None else integral(z, start, end)
    return {
        "start": None if start is None else first + start,
        "peak": first + peak,
        "end": None if end is None else first + end,
        "base": base,
        "top": top,
        "integral": total,
    }


def main():
    points = []
    for line in sys.stdin:
        day, value, weight = line.strip().split(",")
        if float(weight) > 0:
            points.append((datetime.date.fromisoformat(day).toordinal() - 719163, float(value), float(weight)))
    points.sort()
    runs = []
    for p in points:
        if not runs or p[0] - runs[-1][-1][0] > MAX_RUN_GAP:
            runs.append([])
        runs[-1].append(p)
    lines = [(run[0][0],) + smooth(run) for run in runs]
    values = [v for _, z, _, _ in lines for v in z]
    freedom = sum(f for _, _, _, f in lines)
    noise = (sum(s for _, _, s, _ in lines) / freedom) ** 0.5 if freedom >= 1 else 0.0
    least = max(MIN_AMPLITUDE, MIN_SHARE * (max(values) - min(values)), NOISY * noise)
    out = []
    for first, z, _, _ in lines:
        if len(z) < 2:
            continue
        tops = peaks(z, least)
        for k, peak in enumerate(tops):
            left = min(range(tops[k - 1] if k else 0, peak + 1), key=lambda i: (z[i], -i))
            right = min(range(peak, (tops[k + 1] if k + 1 < len(tops) else len(z) - 1) + 1), key=lambda i: (z[i], i))
            out.append(cycle(first, z, left, peak, right))
    json.dump(out, sys.stdout)


main()
