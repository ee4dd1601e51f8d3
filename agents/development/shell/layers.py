"""The four layers. Each is a function of its own that returns why a command is refused, or None.

Order: metacharacters, blocklist, patterns, allowlist. `check_command` asks them in turn and returns
the arguments of a command that all let through.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from agents.development.errors import SecurityError
from agents.development.ports import ShellLayer
from agents.development.shell.lexicons import read_lexicons
from agents.development.shell.words import split_words

LONGEST_COMMAND = 4_000
STARTING_OPTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def check_command(text: str, allowlist: Iterable[str] | None = None) -> tuple[str, ...]:
    """The arguments of an allowed command. ``allowlist``: a profile's own, in place of the usual
    one; an entry is a program or the first words of a command, as ``go test``.

    Raises SecurityError, which names the layer.
    """
    allowed = tuple(list_allowed() if allowlist is None else allowlist)
    if problem := find_metacharacters(text):
        raise _refusal("metacharacters", problem)
    argv = split_words(text).argv
    if problem := find_blocked(argv):
        raise _refusal("blocklist", problem)
    if problem := find_pattern(argv):
        raise _refusal("patterns", problem)
    if problem := find_unlisted(argv, allowed):
        raise _refusal("allowlist", problem)
    return argv


def find_metacharacters(text: str) -> str | None:
    """Signs that only a shell understands: none runs here."""
    if len(text) > LONGEST_COMMAND:
        return f"The command is longer than {LONGEST_COMMAND:,} characters. Write a file instead."
    words = split_words(text)
    if words.problem:
        return (
            f"{words.problem} stands outside of quotes. No shell is used: call one program at a"
            " time, and put text into quotes."
        )
    return None if words.argv else "The command is empty. Name a program."


def find_blocked(argv: Sequence[str]) -> str | None:
    """Programs that no agent needs, also where another program is to start them."""
    for program in programs_of(argv):
        for entry in read_lexicons("commands")["blocklist"].entries:
            if program in entry.words:
                return f"`{program}` may not be run: {entry.fields['because']}."
    return None


def find_pattern(argv: Sequence[str]) -> str | None:
    """Ways to use an allowed program that do harm or start other programs."""
    text = " ".join(" ".join(argv).split())
    for entry, pattern in _patterns():
        if match := pattern.search(text):
            return f"`{match[0][:80]}` is refused: {entry}."
    return None


def find_unlisted(argv: Sequence[str], allowlist: Iterable[str]) -> str | None:
    """All that is not listed is refused. A program is named, never given by its path."""
    allowed = [entry.split() for entry in allowlist]
    if any(entry and list(argv[: len(entry)]) == entry for entry in allowed):
        return None
    programs = sorted({" ".join(entry) for entry in allowed})
    return f"`{_shown(argv)}` is not on the list of allowed commands: {', '.join(programs)}."


def programs_of(argv: Sequence[str]) -> list[str]:
    """The program, and what may be one that it starts, without their folders.

    Which argument of `env`, `xargs` and the like is the program hangs on their options, so all
    count; of `find` those behind an option that starts one.
    """
    if not argv:
        return []
    if _base(argv[0]) in read_lexicons("commands")["starters"].words:
        return [_base(word) for word in argv]
    pairs = zip(argv, argv[1:], strict=False)
    started = (word for before, word in pairs if before in STARTING_OPTIONS)
    return [_base(argv[0]), *map(_base, started)]


@functools.cache
def list_allowed() -> tuple[str, ...]:
    """What every profile may run that has no list of its own."""
    return tuple(sorted(read_lexicons("commands")["allowlist"].words))


@functools.cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    lexicon = read_lexicons("commands")["patterns"]
    return [(str(it.fields["because"]), lexicon.compile(it)) for it in lexicon.entries]


def _base(program: str) -> str:
    return program.rsplit("/", 1)[-1]


def _shown(argv: Sequence[str]) -> str:
    return " ".join(argv[:2])[:80]


def _refusal(layer: ShellLayer, problem: str) -> SecurityError:
    return SecurityError(f"Layer {layer}: {problem}", layer=layer)
