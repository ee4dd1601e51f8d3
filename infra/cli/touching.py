"""What a change of files touches: the requirements, decisions and risks that rest on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from infra.cli.diffs import ChangedFile, parse_diff
from infra.client.models.ledger import Atom
from infra.client.models.ledger_parts import Quote

TOUCHED_KINDS = ("requirement", "decision", "risk")


@dataclass(frozen=True, slots=True)
class TouchedAtom:
    """``on_changed_lines``: whether a quote stands on lines that change, not only in the file."""

    atom_id: str
    kind: str
    title: str
    path: str
    line: int
    on_changed_lines: bool


@dataclass(frozen=True, slots=True)
class Touched:
    """``atoms``: those on changed lines first, then by path and line."""

    files: int
    atoms: tuple[TouchedAtom, ...]


def match_diff(diff: str, list_kind: Callable[[str], Iterable[Atom]]) -> Touched:
    """The live atoms that rest on the files of a unified diff, each with one place.

    ``list_kind`` finds those of a kind. Paths of the diff are compared with those of sources, lines
    with those that were read. Raises Invalid for what is no diff.
    """
    return match_files(parse_diff(diff), chain.from_iterable(map(list_kind, TOUCHED_KINDS)))


def match_files(files: Sequence[ChangedFile], atoms: Iterable[Atom]) -> Touched:
    """Which of the atoms rest on these files, and which of those on lines that change."""
    changed: dict[str, list[tuple[int, int]]] = {}
    for file in files:
        for path in file.paths:
            changed.setdefault(path, [])
        for path in file.paths[:1]:
            changed[path] += file.lines
    found = []
    for atom in atoms:
        quotes = [quote for quote in atom.evidence if quote.path in changed and not quote.stale]
        if quotes:
            on_lines = [quote for quote in quotes if _is_on(quote, changed)]
            quote = (on_lines or quotes)[0]
            found.append(
                TouchedAtom(
                    *(atom.atom_id, atom.kind, atom.title),
                    path=str(quote.path),
                    line=quote.line_start,
                    on_changed_lines=bool(on_lines),
                )
            )
    found.sort(key=lambda it: (not it.on_changed_lines, it.path, it.line, it.atom_id))
    return Touched(len(files), tuple(found))


def _is_on(quote: Quote, changed: dict[str, list[tuple[int, int]]]) -> bool:
    return any(
        start <= quote.line_end and quote.line_start <= end
        for start, end in changed.get(str(quote.path), ())
    )
