"""`cairn pr-comment`: what a diff touches, as a comment in Markdown for a pull request."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from infra.cli.context import PROJECT_OPTION, connect, explain_wrong_use
from infra.cli.output import cell
from infra.cli.touching import match_diff
from schemas.inflection import count

if TYPE_CHECKING:
    from infra.cli.touching import Touched, TouchedAtom

MOST_ATOMS = 11  # with headings and blank lines twenty lines
LONGEST_TITLE = 160
_MARKUP = re.compile(r"[\\`*_{}\[\]()<>#!|~&@$]|:(?=/)|(?<=www)\.", re.IGNORECASE)
_MENTION = re.compile(r"(?<=[@#])(?=\w)|(?<=\bGH)(?=-\d)", re.IGNORECASE)
_INVISIBLE = re.compile(r"[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\x00-\x1f\x7f-\x9f]")
NO_MENTION = "\u2060"  # a word joiner: nothing to see, and no name or number begins behind it


def register(app: typer.Typer) -> None:
    @app.command("pr-comment")
    def pr_comment(
        project: str = PROJECT_OPTION,
        diff: str = typer.Option(
            ..., "--diff", metavar="FILE", help="A unified diff; - reads input."
        ),
    ) -> None:
        """Print which requirements, decisions and risks rest on what a diff changes, as Markdown.

        It never blocks: for a diff that can be read the exit code is 0, whatever is touched. Lines
        are compared as they were before the change, paths as they were read.
        """
        text = _read(diff)
        with explain_wrong_use():
            cairn = connect()
            known = cairn.project_of(project)
            touched = match_diff(text, lambda kind: cairn.list_atoms(known, kind=kind))
        print(render_comment(project, touched))


def _read(file: str) -> str:
    """The diff as text: bytes that are no UTF-8, as of another encoding's file, do not matter."""
    if file == "-":
        return sys.stdin.buffer.read().decode(errors="replace")
    try:
        return Path(file).read_bytes().decode(errors="replace")
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read.") from error


def render_comment(project: str, touched: Touched) -> str:
    """Markdown of at most twenty lines; what sources say is shown as it is, and does nothing."""
    return "\n".join(_lines(project, touched))


def _lines(project: str, touched: Touched) -> Iterator[str]:
    files = count(touched.files, "changed file")
    name = _plain(project)
    if not touched.atoms:
        yield f"**Cairn:** no requirement, decision or risk of {name} rests on the {files}."
        return
    found = len(touched.atoms)
    statements = count(found, "statement rests", "statements rest")
    yield f"**Cairn:** {statements} on the {files} in {name}."
    shown = groupby(touched.atoms[:MOST_ATOMS], key=lambda it: it.on_changed_lines)
    for on_lines, group in shown:
        yield from ("", "On changed lines:" if on_lines else "Elsewhere in changed files:", "")
        yield from (_item(it) for it in group)
    if found > MOST_ATOMS:
        yield from ("", f"and {found - MOST_ATOMS} more.")


def _item(it: TouchedAtom) -> str:
    title = _plain(cell(it.title, LONGEST_TITLE))
    return f"- **{it.kind}** {title} ({_code(f'{it.path}:{it.line}')}, {_code(it.atom_id)})"


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no link, nobody who is notified."""
    quiet = _MENTION.sub(NO_MENTION, _INVISIBLE.sub("", text))
    return _MARKUP.sub(r"\\\g<0>", quiet)


def _code(text: str) -> str:
    """A span of code around ``text``, with more backticks than stand in it."""
    inside = _INVISIBLE.sub("", text)
    fence = "`" * (max(map(len, re.findall("`+", inside)), default=0) + 1)
    space = " " if "`" in inside else ""
    return f"{fence}{space}{inside}{space}{fence}"
