"""The figures of the paper: three rules in a plane, and the region around a seed for each order.

Run ``python examples/paper_figures.py FOLDER`` to write each figure as PNG and SVG.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from irenic import Continuous, Region, Rule, RuleSet, Space, enlarge

PLANE = Space([Continuous("f1"), Continuous("f2")])
RULES = RuleSet(
    [
        Rule(Region(PLANE, {"f1": (2, 5), "f2": (5, 9)}), then="r1"),
        Rule(Region(PLANE, {"f1": (6.5, 8.5), "f2": (5, 7)}), then="r2"),
        Rule(Region(PLANE, {"f1": (1, 9), "f2": (1, 3)}), then="r3"),
    ],
    PLANE,
)
# The images are not in the paper's source. According to its text, p1 satisfies the condition of r1
# on f2 but not the one on f1, no rule covers p1, and no instance lies below the blue rectangle.
P1 = (5.5, 8.0)
INSTANCES = [P1, (3.0, 7.5), (4.2, 5.8), (7.5, 6.0), (2.5, 2.0), (6.0, 1.6), (8.0, 4.0)]
SIDE = 10
# The text calls r1 yellow and the regions green. Its blue rectangle has free space but no
# instances below it, which fits r3; the color of r2 is not mentioned. The palette of Okabe and Ito
# is safe for color-blind readers.
COLORS = {"r1": "#F0E442", "r2": "#D55E00", "r3": "#0072B2"}
GREEN = "#009E73"


def add(axes, region, color, line):
    """Draw the visible part of a region."""
    low = [max(float(v), 0) for v in region.lower]
    high = [min(float(v), SIDE) for v in region.upper]
    edge = [0.8 * part for part in to_rgb(color)]  # yellow alone is too light for a line
    style = {"facecolor": to_rgba(color, 0.4), "edgecolor": edge, "linewidth": line}
    axes.add_patch(Rectangle(low, high[0] - low[0], high[1] - low[1], **style))


def draw(title, region=None):
    """Return a figure of the rules and instances, and optionally a region."""
    figure = Figure(figsize=(5.2, 5.5), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, SIDE), ylim=(0, SIDE), aspect="equal")
    axes.set_xlabel("$f_1$", fontsize=13)
    axes.set_ylabel("$f_2$", fontsize=13, rotation=0)
    axes.set_xticks(range(SIDE + 1))
    axes.set_yticks(range(SIDE + 1))
    axes.set_axisbelow(True)
    axes.grid(color="0.9", linewidth=0.8)
    axes.set_title(title)
    for rule in RULES:
        add(axes, rule.region, COLORS[rule.then], line=1.8)
        corner = float(rule.region.lower[0]) + 0.15, float(rule.region.upper[1]) - 0.6
        axes.text(*corner, f"${rule.then[0]}_{rule.then[1]}$", fontsize=15)
    if region is not None:
        add(axes, region, GREEN, line=2.6)
    axes.scatter(*zip(*INSTANCES, strict=True), s=36, color="black", zorder=3)
    axes.text(P1[0] + 0.2, P1[1] + 0.2, "$p_1$", fontsize=15)
    return figure


def figures():
    """Return the figures by file name."""
    drawn = {"rules": draw("Classification rules in 2D feature-space")}
    for order in (("f1", "f2"), ("f2", "f1")):
        region = enlarge(RULES, P1, order=order)
        text = region.to_text().replace("f1", "$f_1$").replace("f2", "$f_2$")
        first = {"f1": "Horizontal", "f2": "Vertical"}[order[0]]
        title = f"{first} axis first\n{text}".replace(">=", "≥").replace("<=", "≤")
        drawn[f"region-{order[0]}-first"] = draw(title, region)
    return drawn


def main(folder):
    """Write each figure to a folder as PNG and SVG, and return the paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in figures().items():
        for kind in ("png", "svg"):
            path = folder / f"{name}.{kind}"
            figure.savefig(path, dpi=150)
            written.append(path)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder to write the figures to")
    for path in main(parser.parse_args().folder):
        print(path)
