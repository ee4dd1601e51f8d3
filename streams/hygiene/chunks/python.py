"""Definitions of Python, by its own syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from streams.hygiene.chunks.units import Unit

PARSING_ATTEMPTS = 20

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Opening(NamedTuple):
    """From ``line`` (counted from 0) on the text belongs to this unit."""

    line: int
    unit: Unit


def definitions(text: str, line_starts: list[int]) -> list[Unit] | None:
    """The text as functions, class heads and the rest; None when it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = syntax_tree(text)
        openings = [Opening(0, Unit("module", 0, 0)), *_openings(tree.body, (), text, line_starts)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    ends = [it.line for it in openings[1:]] + [len(line_starts)]
    units: list[Unit] = []
    for opening, end in zip(openings, ends, strict=True):
        if opening.line < end:
            stop = line_starts[end] if end < len(line_starts) else len(text)
            units.append(opening.unit._replace(start=line_starts[opening.line], end=stop))
    return units


def syntax_tree(text: str) -> ast.Module:
    """The syntax tree; parsed again when another thread was parsing at the same moment.

    CPython 3.11 counts the depth of all threads in one number, and then refuses a sound text
    with SystemError (python/cpython#106905).
    """
    for _ in range(PARSING_ATTEMPTS - 1):
        try:
            return ast.parse(text)
        except SystemError:
            continue
    return ast.parse(text)


def _openings(
    body: list[ast.stmt], scope: tuple[str, ...], text: str, line_starts: list[int]
) -> Iterator[Opening]:
    """Where units begin, in order; after a definition the surrounding one goes on."""
    around = Unit("class", 0, 0, scope, scope[:-1]) if scope else Unit("module", 0, 0)
    floor = 0
    for node in body:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            floor = node.end_lineno or node.lineno
            continue
        path = (*scope, node.name)
        documented = ast.get_docstring(node, clean=False) is not None
        line = _first_line(node, floor, text, line_starts)
        if isinstance(node, ast.ClassDef):
            yield Opening(line, Unit("class", 0, 0, path, scope, documented))
            yield from _openings(node.body, path, text, line_starts)
        else:
            yield Opening(line, Unit("function", 0, 0, path, scope, documented))
        floor = node.end_lineno or node.lineno
        yield Opening(floor, around)


def _first_line(
    node: Function | ast.ClassDef, floor: int, text: str, line_starts: list[int]
) -> int:
    """The line of the first decorator, or of the comment that stands directly above."""
    line = min([node.lineno, *(it.lineno for it in node.decorator_list)]) - 1
    while line > floor and text[line_starts[line - 1] : line_starts[line]].lstrip().startswith("#"):
        line -= 1
    return line
