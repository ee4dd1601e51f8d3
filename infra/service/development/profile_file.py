"""The file of the profiles, ``CAIRN_HOME/profiles.toml``: read, checked and added to.

People edit it by hand, so an error names the line, and an edit leaves all other lines as they are.
A profile says which commands agents may start, so that only its owner may read or write the file.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.development.profiles import DEFAULT_NAME, DEFAULT_PROFILE, NOT_SANDBOXABLE, Profile
from infra.platform.errors import Forbidden, Invalid, NotFound
from infra.platform.files import FOR_OTHERS

_HEADER = re.compile(r"\s*\[\[\s*profiles\s*\]\]\s*(?:#.*)?")
_TABLE = re.compile(r"\s*\[")
_USED = re.compile(r"\s*use\s*=.*", re.DOTALL)


class ProfilesFileInvalid(Invalid):
    """The file of the profiles cannot be used; the message names the line and what to do."""

    code = "profiles_file_invalid"


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    use: str = DEFAULT_NAME
    profiles: list[Profile] = []


@dataclass(frozen=True, slots=True)
class Profiles:
    """The built-in profile comes first unless the file has one of its name. ``used`` is the one of
    whoever names none.
    """

    all: tuple[Profile, ...]
    used: str
    has_built_in: bool

    def find(self, name: str | None) -> Profile:
        """The profile of that name; None: the one that is used. Raises NotFound."""
        wanted = name or self.used
        for profile in self.all:
            if profile.name == wanted:
                return profile
        names = ", ".join(profile.name for profile in self.all)
        raise NotFound(
            f"There is no profile {wanted!r}: there are {names}.", code="unknown_profile"
        )


def read_text(path: Path) -> str:
    """What is written in the file; nothing where there is none. Raises Forbidden, Invalid."""
    try:
        with path.open(encoding="utf-8") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & FOR_OTHERS:
                raise Forbidden(
                    f"{path} says which commands agents may start, and others may read or change"
                    f" it: run `chmod 600 {path}`.",
                    code="profiles_file_open_to_others",
                )
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ProfilesFileInvalid(f"{path} cannot be read: {error}.") from error


def parse_profiles(path: Path, text: str) -> Profiles:
    """What ``text`` says, which is or will be the file at ``path``. Raises ProfilesFileInvalid."""
    file = _parse(path, text)
    names = [profile.name for profile in file.profiles]
    for number, name in enumerate(names):
        if name in names[:number]:
            line = _find_line(text, ("profiles", number, "name"))
            raise ProfilesFileInvalid(
                f"{path}, line {line}: there is another profile {name}: rename or remove one."
            )
    built_in = () if DEFAULT_NAME in names else (DEFAULT_PROFILE,)
    if file.use not in (DEFAULT_NAME, *names):
        raise ProfilesFileInvalid(
            f"{path}, line {_find_line(text, ('use',))}: there is no profile {file.use!r} to use:"
            f" name one of {', '.join((DEFAULT_NAME, *names))}."
        )
    return Profiles((*built_in, *file.profiles), file.use, bool(built_in))


def append_profile(path: Path, text: str, profile: Profile) -> str:
    """``text`` with the profile behind all others. Raises ProfilesFileInvalid."""
    before = parse_profiles(path, text)
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    after = f"{text}{gap}{write_profile(profile)}"
    read = parse_profiles(path, after)
    if read.used != before.used or read.find(profile.name) != profile:
        raise _not_edited(path, f"add the profile {profile.name}")
    return after


def write_use(path: Path, text: str, name: str) -> str:
    """``text`` with ``name`` as the profile that is used. Raises ProfilesFileInvalid."""
    before, lines = parse_profiles(path, text), text.splitlines(keepends=True)
    head = next((n for n, line in enumerate(lines) if _TABLE.match(line)), len(lines))
    written = f"use = {_quote(name)}\n"
    place = next((n for n in range(head) if _USED.fullmatch(lines[n])), None)
    if place is None:
        lines.insert(0, written if text.startswith("\n") or not text else f"{written}\n")
    else:
        lines[place] = written
    after = "".join(lines)
    read = parse_profiles(path, after)
    if read.all != before.all or read.used != name:
        raise _not_edited(path, f"use the profile {name}")
    return after


def write_profile(profile: Profile) -> str:
    """The profile as a table of the file; what it leaves to the default is not written."""
    values = profile.model_dump(mode="json", exclude_defaults=True)
    lines = ["[[profiles]]", *(f"{name} = {_write(value)}" for name, value in values.items())]
    return "\n".join(lines) + "\n"


def explain(error: ValidationError) -> str:
    """The first thing that is wrong with values of a profile."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"`{place}`: {_message(first)}" if place else _message(first)


def code_of(error: ValidationError) -> str:
    kinds = {str(each["type"]) for each in error.errors(include_url=False, include_input=False)}
    return NOT_SANDBOXABLE if NOT_SANDBOXABLE in kinds else "profile_invalid"


def _parse(path: Path, text: str) -> _File:
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ProfilesFileInvalid(f"{path} is no TOML: {error}; mend or remove it.") from error
    try:
        return _File.model_validate(tables)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = first["loc"]
        name = next((str(part) for part in reversed(place) if isinstance(part, str)), "profiles")
        what = (
            f"`{name}` is no setting; remove it"
            if first["type"] == "extra_forbidden"
            else f"`{name}`: {_message(first)}"
        )
        raise ProfilesFileInvalid(
            f"{path}, line {_find_line(text, place)}: {what}.",
            code=NOT_SANDBOXABLE if first["type"] == NOT_SANDBOXABLE else None,
        ) from error


def _message(first: Any) -> str:
    message = str(first["msg"]).removeprefix("Value error, ")
    return message[0].lower() + message[1:] if message else "it is wrong"


def _find_line(text: str, place: Sequence[int | str]) -> int:
    """The line, from 1, where a value stands; that of its table where it is written otherwise."""
    lines = text.splitlines()
    start, end = 0, next((n for n, line in enumerate(lines) if _TABLE.match(line)), len(lines))
    match tuple(place):
        case ("profiles", int() as index, *rest):
            headers = [n for n, line in enumerate(lines) if _HEADER.fullmatch(line)]
            if index >= len(headers):
                return 1
            start = headers[index]
            end = next(
                (n for n in range(start + 1, len(lines)) if _TABLE.match(lines[n])), len(lines)
            )
            name = str(rest[0]) if rest else ""
        case (first, *_):
            name = str(first)
        case _:
            name = ""
    wanted = re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*=""")
    return next((n for n in range(start, end) if name and wanted.match(lines[n])), start) + 1


def _not_edited(path: Path, what: str) -> ProfilesFileInvalid:
    return ProfilesFileInvalid(f"{path} is written in a way that is not edited: {what} by hand.")


def _write(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_write, value))}]"
    return _quote(value) if isinstance(value, str) else str(value)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=True).replace("\x7f", "\\u007f")
