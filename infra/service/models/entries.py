"""Adds providers to the text of the file of the models and removes them; all else stays as it is.

TOML has more forms than are edited here. So each edit is read again and compared with what was
meant: where it differs, nothing is changed and the user is told what to edit.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from agents.models.catalogue import CATALOGUE
from infra.service.models.file import ModelsFileInvalid, parse_tables


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """A provider as somebody wants it; None: as Cairn knows it by its name."""

    name: str
    base_url: str | None = None
    api_key: str | None = None
    api_key_env: str | None = None
    needs_key: bool | None = None
    models: tuple[str, ...] = ()
    program: str | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """A table ``[[providers]]``: its lines from ``start`` to before ``end``. Comments behind its
    last value belong to what follows.
    """

    name: str
    start: int
    end: int


def insert_provider(path: Path, text: str, spec: ProviderSpec) -> str:
    """``text``, which is the file at ``path``, with the provider: in the place of the one of its
    name, else in front of those that Cairn lists after it. Raises ModelsFileInvalid.
    """
    before, lines = parse_tables(path, text), text.splitlines(keepends=True)
    written = _write(spec)
    added = tomllib.loads("".join(written))["providers"][0]
    providers = list(before.get("providers", ()))
    names = [provider.get("name") for provider in providers]
    entries = _find_entries(lines)
    known = next((entry for entry in entries if entry.name == spec.name), None)
    if known is not None:
        kept = [line for line in lines[known.start : known.end] if _is_comment(line)]
        lines[known.start : known.end] = [written[0], *kept, *written[1:]]
        providers[names.index(spec.name)] = added
    else:
        follower = next((each for each in entries if each.name in _list_after(spec.name)), None)
        if follower is None:
            gap = ["" if text.endswith("\n") else "\n", "\n"] if text else []
            lines += [*gap, *written]
            providers.append(added)
        else:
            place = _skip_comments_above(lines, follower.start)
            lines[place:place] = [*written, "\n"]
            providers.insert(names.index(follower.name), added)
    return _check(path, "".join(lines), before, providers, f"add the provider {spec.name}")


def drop_provider(path: Path, text: str, name: str) -> str:
    """``text``, which is the file at ``path``, without the provider. Raises ModelsFileInvalid."""
    before, lines = parse_tables(path, text), text.splitlines(keepends=True)
    for entry in _find_entries(lines):
        if entry.name == name:
            end = entry.end
            while end < len(lines) and not lines[end].strip():
                end += 1
            del lines[entry.start : end]
            break
    providers = [each for each in before.get("providers", ()) if each.get("name") != name]
    return _check(path, "".join(lines), before, providers, f"remove the provider {name}")


def _check(
    path: Path, text: str, before: dict[str, Any], providers: Sequence[Any], work: str
) -> str:
    """``text``, where it says what is meant. Raises ModelsFileInvalid."""
    meant = {**before, "providers": providers}
    try:
        found = {"providers": [], **tomllib.loads(text)}
    except tomllib.TOMLDecodeError:
        found = {}
    if found != meant:
        raise ModelsFileInvalid(
            f"{path} writes its providers in a form that Cairn does not edit: {work} by hand, or"
            " write each provider as a table [[providers]]."
        )
    return text


def _find_entries(lines: Sequence[str]) -> list[_Entry]:
    starts = [at for at in range(len(lines)) if _is_header(lines, at)]
    entries = []
    for start, end in pairwise([*starts, len(lines)]):
        match tomllib.loads("".join(lines[start:end])):
            case {"providers": [{"name": str() as name}]}:
                while _is_comment(lines[end - 1]) or not lines[end - 1].strip():
                    end -= 1
                entries.append(_Entry(name, start, end))
    return entries


def _is_header(lines: Sequence[str], at: int) -> bool:
    """Whether a table begins there; what looks so within a text or a list does not."""
    if not lines[at].lstrip().startswith("["):
        return False
    try:
        tomllib.loads("".join(lines[:at]))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _skip_comments_above(lines: Sequence[str], start: int) -> int:
    """Where the comments of a table begin that stand directly above it; those at the beginning of
    the file are about all of it.
    """
    place = start
    while place and _is_comment(lines[place - 1]):
        place -= 1
    return place or start


def _list_after(name: str) -> list[str]:
    """The providers that Cairn lists after ``name``."""
    order = [known.name for known in CATALOGUE]
    return order[order.index(name) + 1 :] if name in order else []


def _write(spec: ProviderSpec) -> list[str]:
    """The lines of a provider's table. What JSON writes for a text, TOML reads."""
    fields = {
        "name": spec.name,
        "base_url": spec.base_url,
        "api_key": spec.api_key,
        "api_key_env": spec.api_key_env,
        "needs_key": spec.needs_key,
        "models": list(spec.models) or None,
        "program": spec.program,
    }
    return [
        "[[providers]]\n",
        *(
            f"{name} = {json.dumps(value, ensure_ascii=False)}\n"
            for name, value in fields.items()
            if value is not None
        ),
    ]
