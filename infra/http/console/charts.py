"""Charts as plain SVG: where each bar goes; templates write them, classes colour them.

No library draws them: the policy of the pages allows no style of an element, and a chart here is a
handful of rectangles. Each stands with a table of the same figures (`charts.html`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    """One bar a label; ``most`` is the value of the highest."""

    labels: list[str]
    bars: list[Bar]
    most: float


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
