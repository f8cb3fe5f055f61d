#!/usr/bin/env python3
"""Recomputes exported versions of assessments from their files alone: total, range and every printed line.

    python3 docs/replay.py FILE...      the answer of GET ghg/assessments/{id}/submissions/{n}/, - for stdin

It is a second witness in addition to `tilth ghg replay`: it needs only Python 3, and has no equation of the engine. It prints
one line per file, and exits with 0 if all are the same, 1 if one differs, 2 if one cannot be read. docs/ghg.md states
what it checks, and what no replay can see.
"""
import ast, hashlib, json, math, operator, re, sys

ACCURACY = 1e-12  # of a step or a figure, relative: machines round the last digit of a power or a logarithm differently
NEAR_NOTHING = 0.05  # a deviation that leaves less than this share of a line is not taken as a ratio
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
FUNCTIONS = {"min": min, "max": max, "pow": math.pow}
AMOUNTS = {"fertilizers": ["kg_per_ha"], "organic_inputs": ["kg_per_ha", "m3_per_ha"], "crop_protection": ["applications"],
           "seeds": ["kg_per_ha"], "fuel_energy": ["amount"], "machinery": ["passes"], "transport": ["weight_t"]}


class Differs(Exception):
    pass


def need(same, text):
    if not same:
        raise Differs(text)


def near(a, b):
    return a == b or abs(a - b) <= ACCURACY * max(abs(a), abs(b))


def tonnes(kg):
    """t CO2e as a report prints them: to the gram, halves away from zero."""
    v = kg / 1000 * 1e6
    whole = math.floor(abs(v))
    return math.copysign(whole + (abs(v) - whole >= 0.5), v) / 1e6


def prints(t, kg):
    """Whether an amount in kg is printed as one in t, to the gram."""
    return abs(t - kg / 1000) <= 0.5e-6 + ACCURACY * abs(t)


def evaluate(node, of):
    """Evaluates an equation over (symbol, value) pairs."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)
    if isinstance(node, ast.Name):
        return next(v for symbol, v in of if symbol == node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -evaluate(node.operand, of)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](evaluate(node.left, of), evaluate(node.right, of))
    if isinstance(node, ast.Call) and node.func.id == "sum":
        total = 0.0  # one by one: the sum of Python 3.12 rounds differently
        for symbol, v in of:
            total += v if symbol == node.args[0].id else 0.0
        return total
    if isinstance(node, ast.Call) and node.func.id in FUNCTIONS:
        return float(FUNCTIONS[node.func.id](*[evaluate(a, of) for a in node.args]))
    raise Differs("its equation is not arithmetic")


def look_up(tree, path):
    for key in re.findall(r"[^.\[\]]+", path):
        tree = tree[int(key)] if isinstance(tree, list) else tree[key]
    return tree


def stretch(value, moves):
    """The deviations of a line combine as ratios: each side is scaled to exp(root of the sum of the squared logarithms) - 1."""
    scale = []
    for side in (min, max):
        ds = [side(0.0, low, high) for low, high in moves.values()]
        square, ratios = math.sqrt(added(d * d for d in ds)), [1 + d / value for d in ds]
        if square == 0 or min(ratios) <= NEAR_NOTHING:
            scale.append(1.0)
        else:
            logs = math.sqrt(added(math.log(r) ** 2 for r in ratios))
            scale.append(value * abs(math.expm1(logs if side is max else -logs)) / square)
    return {row: tuple(d * scale[0 if d < 0 else 1] for d in both) for row, both in moves.items()}


def added(numbers):
    total = 0.0
    for n in numbers:
        total += n
    return total


class Replay:
    def __init__(self, version):
        self.version, self.report = version, version["report"]
        self.steps, self.rows, self.used, self.sums = [], {}, set(), {}

    def argument(self, a):
        """The value of an input or a factor, its values with each row alone at its bounds, and the step that it comes from."""
        value, moves, named = float(a["value"]), {}, "key" in a
        if a.get("from"):
            need(0 < a["from"] <= len(self.steps), f"{a['symbol']} is from step {a['from']}, which does not precede it")
            made, moves = self.steps[a["from"] - 1][:2]
            need(made == value, f"{a['symbol']} is {value}, and step {a['from']} gives {made}")
            named = True
        for member, tree in ("input", "snapshot"), ("entered", "entered"):
            if a.get(member):
                try:
                    has = look_up(self.version[tree], a[member])
                except (KeyError, IndexError, TypeError, ValueError):
                    has = None
                need(has == value, f"{a['symbol']} is {value}, and {tree} has {has} for {a[member]}")
                self.used.add((tree, a[member]))
                named = True
        need(named or a.get("constant"), f"{a['symbol']} is {value}, and does not state where it comes from")
        bounds = tuple(None if a.get(end) is None else float(a[end]) for end in ("lower", "upper"))
        if "key" in a:
            need(self.rows.setdefault(a["key"], (value, bounds)) == (value, bounds), f"the factor {a['key']} differs from that in an earlier step")
        row = a.get("key") or a.get("row")
        if row and None not in bounds:
            moves = {row: bounds}
        return value, moves, a.get("from")

    def step(self, line):
        need(line["number"] == len(self.steps) + 1, f"number {len(self.steps) + 1} is expected")
        arguments = (line["inputs"] or []) + (line["factors"] or [])
        values = [self.argument(a) for a in arguments]
        tree = ast.parse(line["equation"], mode="eval").body
        result = evaluate(tree, [(a["symbol"], v[0]) for a, v in zip(arguments, values)])
        need(near(result, line["result"]), f"the file has the result {line['result']}, its equation gives {result}")
        if line.get("sets"):
            need(look_up(self.version["snapshot"], line["sets"]) == line["result"], f"the snapshot has another {line['sets']}")
        moves = {}
        if line.get("total"):
            self.total(line, values)
        else:
            for row in dict.fromkeys(row for _, of, _ in values for row in of):
                moves[row] = tuple(evaluate(tree, [(a["symbol"], of[row][side] if row in of else v) for a, (v, of, _) in zip(arguments, values)]) for side in (0, 1))
        self.steps.append((float(line["result"]), moves, line))

    def total(self, line, values):
        """Checks a line of the report, or the total of all lines: deviations of one row add linearly, those of different rows by squares."""
        of, moves, result = line["total"], {}, float(line["result"])
        for value, parts, source in values:
            if source and self.steps[source - 1][2].get("total"):
                value, parts = 0.0, self.sums[source]
            for row, (low, high) in parts.items():
                had = moves.get(row, (0.0, 0.0))
                moves[row] = had[0] + (low - value), had[1] + (high - value)
        if of.get("label"):
            moves = stretch(result, moves)
        low = max(0.0, result - math.sqrt(added(min(0.0, *m) ** 2 for m in moves.values())))
        high = result + math.sqrt(added(max(0.0, *m) ** 2 for m in moves.values()))
        need(near(low, of["low"]) and near(high, of["high"]), f"the file has the range {of['low']} to {of['high']}, its steps give {low} to {high}")
        self.sums[line["number"]] = moves

    def whole(self):
        """Checks that the totals leave out no part of the report, and that no amount of the snapshot is without a step."""
        reached = set()
        for _, _, line in reversed(self.steps):
            if line["number"] in reached or line.get("total") and not line["total"].get("label"):
                reached.update(i.get("from") for i in line["inputs"] or [])
            else:
                need(not line.get("label") and not line.get("total"), f"no total includes step {line['number']} ({line['step']} of {line['item']})")
        explained = {w.get("item") for w in self.report.get("warnings") or []}
        for section, members in AMOUNTS.items():
            items = self.version["snapshot"].get(section) or []
            for i, item in enumerate(items) if isinstance(items, list) else [(None, items)]:
                place = section if i is None else f"{section}[{i}]"
                elsewhere = item.get("counted_elsewhere") or section == "seeds" and item.get("origin") == "own" or place in explained
                if not elsewhere and any(item.get(m) for m in members):
                    need(any(("snapshot", f"{place}.{m}") in self.used for m in members), f"no step uses {place}")

    def printed(self):
        """Checks that the figures of the report are those of the steps, to the gram."""
        r, kg = self.report, {}
        for of, listed, key in ("emissions", "by_source", "uncertainty"), ("removals", "removals_by_source", "removals_uncertainty"):
            sums = {tuple(t.get(k) or d for k, d in (("model", ""), ("label", ""), ("section", ""), ("scope", 0))): (line["result"], t["low"], t["high"])
                    for _, _, line in self.steps for t in [line.get("total")] if t and t["of"] == of}
            all_of = sums.pop(("", "", "", 0), (0.0, 0.0, 0.0))
            need(len(sums) == len(r[listed]), f"the report has {len(r[listed])} lines of {of}, its steps give {len(sums)}")
            shown = [(all_of, (r["totals"][of], r[key]["low"], r[key]["high"]), of)]
            for line in r[listed]:
                name = (line["model"], line["label"], line["section"], line["scope"])
                shown.append((sums.get(name, (0.0, 0.0, 0.0)), (line["co2e"], line["low"], line["high"]), f"{name[1]} of {name[2]}"))
            for made, has, what in shown:
                need(all(map(prints, has, made)), f"the report states {has} t (total, range) for {what}, its steps give {tuple(map(tonnes, made))} t")
            kg[of] = all_of[0]
        t, unit, share = r["totals"], r["functional_unit"], r["allocation"]["main_share_pct"]
        need(prints(t["balance"], kg["emissions"] - kg["removals"]), "the balance is not emissions less removals")
        for figure, mass, per in ("emissions_per_ha", kg["emissions"], "area_ha"), ("removals_per_ha", kg["removals"], "area_ha"), ("emissions_per_t", kg["emissions"] * share / 100, "product_t"):
            need(t[figure] is None or prints(t[figure], mass / unit[per]), f"{figure} is not what its steps give")
        return "emissions of {} t CO2e (95 %: {} to {}), removals of {}".format(t["emissions"], r["uncertainty"]["low"], r["uncertainty"]["high"], t["removals"])


def members(text, at):
    """Returns where the values of the members of the JSON object at a place are in its text."""
    read, blank, found = json.JSONDecoder().raw_decode, re.compile(r"[\s,:]*"), {}
    at = blank.match(text, at + 1).end()
    while text[at] != "}":
        key, at = read(text, at)
        start = blank.match(text, at).end()
        at = read(text, start)[1]
        found[key] = (start, at)
        at = blank.match(text, at).end()
    return found


def whole(digits):
    """Reads a number without a decimal point: from 2^53 on it is the double from which it was written, not an exact integer."""
    return int(digits) if abs(int(digits)) < 2**53 else float(digits)


def replay(text):
    version, places = json.loads(text, parse_int=whole), members(text, text.index("{"))
    if isinstance(version.get("data"), dict):
        version, places = version["data"], members(text, places["data"][0])
    trace = version["report"].get("trace") or []
    if any(not line.get("number") for line in trace):
        raise ValueError("its steps have no numbers")
    if not trace and any(version["report"]["totals"][of] for of in ("emissions", "removals")):
        raise ValueError("it has no trace")
    r = Replay(version)
    for line in trace:
        try:
            r.step(line)
        except Differs as d:
            raise Differs(f"step {line['number']} ({line['step']} of {line['item']}): {d}")
        except (ArithmeticError, SyntaxError, StopIteration, AttributeError, IndexError, KeyError, TypeError, ValueError) as e:
            raise Differs(f"step {line['number']} ({line['step']} of {line['item']}): it cannot be worked out: {e!r}")
    r.whole()
    text_of = r.printed()
    for part, digest in ("snapshot", "input_digest"), ("entered", "entered_digest"), ("evidence", "evidence_digest"):
        if version.get(digest):
            raw = text[slice(*places[part])]
            compact = re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda m: m.group(1) or "", raw)
            need(hashlib.sha256(compact.encode()).hexdigest() == version[digest], f"{part} does not have the SHA-256 that the file states")
    return f"same: {len(r.steps)} steps, {text_of}"


def main(files):
    status = 0 if files else 2
    for name in files:
        try:
            with open(0 if name == "-" else name, encoding="utf-8") as file:
                said = replay(file.read())
        except Differs as d:
            said, status = f"DIFFERS: {d}", max(status, 1)
        except (OSError, ValueError, KeyError, TypeError) as e:
            said, status = f"cannot be replayed: {e!r}", 2
        print(f"{name}: {said}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
