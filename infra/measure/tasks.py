"""The table of tasks, and how rows are answered: in order, on all cores where that pays."""

from __future__ import annotations

import importlib
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from infra.measure.rows import Options, Row
from infra.platform.errors import Refusal

Answers = Callable[[Iterable[Row], Options], Iterator[dict[str, Any]]]
ROWS_AT_ONCE = 64
PARALLEL_FROM_CHARS = 2_000_000  # less is answered before a second process has warmed up


@dataclass(frozen=True, slots=True)
class Task:
    """``module`` of this package answers rows that have ``fields``; ``alone`` when each row can be
    answered without the others."""

    module: str
    fields: tuple[str, ...] = ("text",)
    alone: bool = True


TASKS = {
    "classify": Task("classify"),
    "extract": Task("extract"),
    "duplicate": Task("duplicate", fields=("a", "b")),
    "similar": Task("similar", alone=False),
    "contradict": Task("contradict", fields=("a", "b")),
    "redact": Task("redact"),
    "inject": Task("inject"),
}


def answer(name: str, rows: list[Row], options: Options) -> Iterator[dict[str, Any]]:
    """The answers to ``rows`` in their order. Raises Refusal when there is no such task."""
    task = _find_task(name)
    size = sum(len(row[field]) for row in rows for field in task.fields)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if not task.alone or cores < 2 or size < PARALLEL_FROM_CHARS:
        yield from _answers(task)(rows, options)
        return
    # Fork: this process has no threads, and a fresh one would run the command line again.
    with multiprocessing.get_context("fork").Pool(cores) as pool:
        parts = pool.imap(partial(_part, name, options), _parts(rows))
        for part in parts:
            yield from part


def _find_task(name: str) -> Task:
    if name not in TASKS:
        raise Refusal(f"There is no task {name}; there are {', '.join(sorted(TASKS))}.")
    return TASKS[name]


def fields_of(name: str) -> tuple[str, ...]:
    """The fields that a row of the task must have. Raises Refusal when there is no such task."""
    return _find_task(name).fields


def _answers(task: Task) -> Answers:
    answers: Answers = importlib.import_module(f"infra.measure.{task.module}").answer_all
    return answers


def _part(name: str, options: Options, rows: list[Row]) -> list[dict[str, Any]]:
    return list(_answers(TASKS[name])(rows, options))


def _parts(rows: list[Row]) -> Iterator[list[Row]]:
    left = iter(rows)
    while part := list(islice(left, ROWS_AT_ONCE)):
        yield part
