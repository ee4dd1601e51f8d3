"""How far a long piece of work is: a table that renews itself, or a line now and then.

A terminal gets the table, a file or pipe a line every few seconds when something has moved. Both go
to standard error. Rates are over the time since a stage first moved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table

LINE_EVERY_S = 5.0
REFRESH_PER_S = 8


@dataclass(frozen=True, slots=True)
class Stage:
    """One row: how much of what is done. ``total`` None: nobody knows yet, or it has no end."""

    name: str
    done: int
    total: int | None = None
    detail: str = ""
    timed: bool = True


class Board:
    """Shows stages while work goes on; use it as a context manager."""

    def __init__(self, console: Console, now_s: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._now_s = now_s
        self._live: Live | None = None
        self._first: dict[str, tuple[float, int]] = {}
        self._last: dict[str, tuple[float, int]] = {}
        self._shown: tuple[Stage, ...] = ()
        self._line_at_s = float("-inf")
        self._stages: tuple[Stage, ...] = ()

    def __enter__(self) -> Board:
        if self._console.is_terminal:
            self._live = Live(
                console=self._console, refresh_per_second=REFRESH_PER_S, transient=True
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live:
            self._live.stop()
        elif self._stages != self._shown:
            self._print_line()

    def update(self, stages: Sequence[Stage]) -> None:
        now_s = self._now_s()
        self._stages = tuple(stages)
        for stage in stages:
            self._first.setdefault(stage.name, (now_s, stage.done))
            if self._last.get(stage.name, (0.0, -1))[1] != stage.done:
                self._last[stage.name] = (now_s, stage.done)
        if self._live:
            self._live.update(self._table())
        elif self._stages != self._shown and now_s - self._line_at_s >= LINE_EVERY_S:
            self._print_line()

    def rate(self, name: str) -> float:
        """Done per second from a stage's first movement to its last; 0 when it did not move."""
        (start_s, before), (end_s, after) = self._first[name], self._last[name]
        return (after - before) / (end_s - start_s) if end_s > start_s else 0.0

    def rates(self) -> dict[str, float]:
        """The rate of each stage that was shown last."""
        return {stage.name: self.rate(stage.name) for stage in self._stages}

    def _table(self) -> Table:
        table = Table("stage", "done", "of", "per second", "", box=None, pad_edge=False)
        for column in table.columns[1:4]:
            column.justify = "right"
        for stage in self._stages:
            total = "" if stage.total is None else f"{stage.total:,}"
            rate = self.rate(stage.name) if stage.timed else 0.0
            per_second = f"{rate:,.0f}" if rate else ""
            table.add_row(stage.name, f"{stage.done:,}", total, per_second, stage.detail)
        return table

    def _print_line(self) -> None:
        self._shown, self._line_at_s = self._stages, self._now_s()
        line = " · ".join(_words(stage) for stage in self._stages)
        self._console.print(line, markup=False, soft_wrap=True)


def _words(stage: Stage) -> str:
    of = "" if stage.total is None else f"/{stage.total:,}"
    return f"{stage.name} {stage.done:,}{of}" + (f" {stage.detail}" if stage.detail else "")
