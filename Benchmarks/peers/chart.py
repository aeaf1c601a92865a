"""A chart of the ratios as SVG: bars from 1 (faiss flat) to the right where faster, to the left where slower."""
import math
from html import escape

LEFT, WIDTH, BAR, GAP, PANEL_TITLE = 250, 460, 16, 5, 26
INK, ENGINE, PEER, INEXACT = "#222", "#0b6e4f", "#7a8ca3", "#c3ccd8"


def svg(rows, heading):
    """Single-threaded rows at the best level that have a ratio; each population and dimension at its largest size."""
    usable = [row for row in rows if row["ratioToFaissFlat"] and row["threads"] == 1]
    panels = {}
    for row in usable:
        largest = max(other["count"] for other in usable
                      if (other["population"], other["dimension"]) == (row["population"], row["dimension"]))
        if row["count"] == largest:
            key = (row["population"], row["count"], row["dimension"], row["operation"], row["batch"])
            panels.setdefault(key, []).append(row)
    highest = max([row["ratioToFaissFlat"] for row in usable], default=1)
    lowest = min([row["ratioToFaissFlat"] for row in usable], default=1)
    scale = Scale(min(0.5, lowest), max(2, highest))
    body, y = [text(10, 22, heading, size=15), text(10, 40, "times as fast as faiss IndexFlatIP, same rows and probes,"
                                                    " in turn; logarithmic; pale: inexact")], 56
    for key, members in panels.items():
        body.append(text(10, y + 16, title(*key), bold=True))
        y += PANEL_TITLE
        for row in first_levels(members):
            body += bar(row, y, scale)
            y += BAR + GAP
        y += 8
    body.append(f'<line x1="{scale.x(1):.1f}" x2="{scale.x(1):.1f}" y1="50" y2="{y}" stroke="{INK}" '
                'stroke-dasharray="3 3"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 90}" height="{y + 10}" '
            f'font-family="sans-serif" font-size="12" fill="{INK}">'
            f'<rect width="100%" height="100%" fill="white"/>' + "".join(body) + "</svg>\n")


class Scale:
    """Ratios to horizontal places, logarithmically."""

    def __init__(self, low, high):
        self.low, self.span = math.log(low), math.log(high) - math.log(low)

    def x(self, ratio):
        return LEFT + WIDTH * (math.log(ratio) - self.low) / self.span


def first_levels(rows):
    """The engine once, at the level measured first, then all by speed."""
    engine = [row for row in rows if row["engine"] == "ReVerify"][:1]
    others = [row for row in rows if row["engine"] != "ReVerify"]
    seen = {row["engine"]: row for row in reversed(others)}
    return sorted(engine + list(seen.values()), key=lambda row: -row["ratioToFaissFlat"])


def bar(row, y, scale):
    colour = ENGINE if row["engine"] == "ReVerify" else PEER if row["exact"] else INEXACT
    level = f" ({row['level']})" if row["level"] else ""
    one, end = scale.x(1), scale.x(row["ratioToFaissFlat"])
    return [text(LEFT - 8, y + 12, row["engine"] + level, anchor="end"),
            f'<rect x="{min(one, end):.1f}" y="{y}" width="{abs(end - one):.1f}" height="{BAR}" fill="{colour}"/>',
            text(max(one, end) + 6, y + 12, f"{row['ratioToFaissFlat']:.2f}")]


def title(population, count, dimension, operation, batch):
    what = {"topK": "top 10, one probe", "threshold": "threshold 0.35, one probe"}.get(
        operation, f"top 10, batch of {batch}")
    return f"{population} {count:,} x {dimension}: {what}"


def text(x, y, content, size=12, bold=False, anchor="start"):
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y}" font-size="{size}" text-anchor="{anchor}"{weight}>{escape(content)}</text>'
