"""Charts as plain SVG: where each bar goes; templates write them, classes colour them.

No library draws them: the policy of the pages allows no style of an element, and a chart here is a
handful of rectangles or lines. Each stands with a table of the same figures (`charts.html`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

WIDTH, HEIGHT = 600, 120  # of the picture, which fills its place; labels stand below it
GAP = 0.25  # of a bar's place
WIDEST_BAR = 48.0


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """One bar a label; ``most`` is the highest value. ``lines`` are paths by name; where there are
    any, the bars are the places between which they go.
    """

    labels: list[str]
    bars: list[Bar]
    most: float
    lines: dict[str, str] = field(default_factory=dict)


def draw_bars(points: Sequence[tuple[str, float]]) -> Chart | None:
    """Bars from left to right by label and value, at least 0; None where no value is above it."""
    most = max((value for _, value in points), default=0.0)
    if most <= 0:
        return None
    step = WIDTH / len(points)
    width = min(step * (1 - GAP), WIDEST_BAR)
    bars = []
    for place, (_, value) in enumerate(points):
        height = value / most * HEIGHT
        left, top = (place + 0.5) * step - width / 2, HEIGHT - height
        bars.append(Bar(round(left, 1), round(top, 1), round(width, 1), round(height, 1)))
    return Chart([label for label, _ in points], bars, most)


def draw_lines(labels: Sequence[str], lines: Mapping[str, Sequence[float | None]]) -> Chart | None:
    """Lines by name, each with a value before the first label and one at the end of each; None is
    left out. None where no value is above 0.
    """
    most = max((value or 0.0 for line in lines.values() for value in line), default=0.0)
    if most <= 0:
        return None
    step = WIDTH / len(labels)
    bars = [Bar(round(place * step, 1), 0, round(step, 1), HEIGHT) for place in range(len(labels))]
    drawn = {}
    for name, line in lines.items():
        known = [(place * step, value) for place, value in enumerate(line) if value is not None]
        points = [f"{round(x, 1)} {round(HEIGHT - value / most * HEIGHT, 1)}" for x, value in known]
        drawn[name] = f"M{'L'.join(points)}" if points else ""
    return Chart(list(labels), bars, most, drawn)
