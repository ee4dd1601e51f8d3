"""The definition files of an installation: those in this package, then those of its operator.

A file of `CAIRN_HOME/providers` defines a provider, or changes one of this package by `extends`.
One that cannot be used is a problem of its own: all others still work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from connectors.providers.definition import (
    DefinitionInvalid,
    ProviderDefinition,
    check_table,
    parse_table,
)

FOLDER = "providers"  # of CAIRN_HOME
BUILT_IN = ("gmail", "calendar", "notion", "twitter", "github", "jira", "slack")
EXTENDS = "extends"
MAX_FILE_BYTES = 1024 * 1024
# A provider of this name could have a tool that is called like one of Cairn's own.
RESERVED = frozenset(
    ("add", "agent", "analyze", "assistant", "break", "call", "comms", "create", "deep", "delete",
     "executor", "forecast", "general", "generate", "get", "handoff", "ledger", "list",
     "prioritize", "project", "propose", "retrieve", "run", "save", "schedule",
     "search", "suggest", "update")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Why a file of the operator is not used."""

    file: str
    message: str


@dataclass(frozen=True, slots=True)
class DefinedProviders:
    """All providers, those of this package first, and the files that cannot be used."""

    definitions: tuple[ProviderDefinition, ...]
    problems: tuple[FileProblem, ...] = ()


def read_providers(home: Path) -> DefinedProviders:
    """The providers of an installation; ``home`` is CAIRN_HOME."""
    defined = {name: read_built_in(name) for name in BUILT_IN}
    changed: dict[str, str] = {}
    problems = []
    for path in sorted((home / FOLDER).glob("*.toml")):
        try:
            definition = read_definition(path)
            _check_names(path.name, definition, defined, changed)
        except DefinitionInvalid as error:
            problems.append(FileProblem(path.name, str(error)))
        else:
            changed[definition.name] = path.name
            defined[definition.name] = definition
    return DefinedProviders(tuple(defined.values()), tuple(problems))


@cache
def read_built_in(name: str) -> ProviderDefinition:
    """A provider of this package."""
    file = f"{name}.toml"
    return check_table(file, parse_table(file, _read_packaged(file)))


def read_definition(path: Path) -> ProviderDefinition:
    """What one file of the operator defines. Raises DefinitionInvalid."""
    file = path.name
    table = parse_table(file, _read_text(path))
    if EXTENDS in table:
        return check_table(file, _extend(file, table))
    definition = check_table(file, table)
    if definition.name in BUILT_IN:
        raise _invalid(
            file,
            "name",
            f"{definition.name} is a provider of Cairn: choose another name, or change it with"
            f' {EXTENDS} = "{definition.name}"',
        )
    if definition.name in RESERVED:
        raise _invalid(file, "name", f"{definition.name} is a word of Cairn: choose another name")
    return definition


def _extend(file: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a provider of this package with what another one changes of it."""
    name = table[EXTENDS]
    if name not in BUILT_IN:
        raise _invalid(file, EXTENDS, f"name one of {', '.join(BUILT_IN)}")
    if "name" in table:
        raise _invalid(file, "name", f"the name stays {name}: remove it")
    base = parse_table(file, _read_packaged(f"{name}.toml"))
    merged = base | {key: value for key, value in table.items() if key != EXTENDS}
    for part, kind in (("credential", dict), ("headers", dict), ("tools", list)):
        mine, others = base.get(part, kind()), table.get(part, kind())
        if not isinstance(others, kind):
            raise _invalid(file, part, f"it is no {'table' if kind is dict else 'list of tables'}")
        merged[part] = mine | others if kind is dict else [*mine, *others]
    return merged


def _check_names(
    file: str,
    definition: ProviderDefinition,
    defined: Mapping[str, ProviderDefinition],
    changed: Mapping[str, str],
) -> None:
    """Raises DefinitionInvalid where another file has the provider, or one of its tools."""
    if other := changed.get(definition.name):
        raise _invalid(file, "name", f"{other} already defines {definition.name}: remove one")
    tools = {
        tool.name: each.name
        for each in defined.values()
        if each.name != definition.name
        for tool in each.tools
    }
    for tool in definition.tools:
        if owner := tools.get(tool.name):
            raise _invalid(
                file, f"tools.{tool.name}", f"{owner} has a tool of this name: rename it"
            )


def _invalid(file: str, place: str, what: str) -> DefinitionInvalid:
    return DefinitionInvalid(f"{file}, {place}: {what}.", detail={"file": file, "place": place})


def _read_packaged(file: str) -> str:
    return resources.files(__package__).joinpath(file).read_text(encoding="utf-8")


def _read_text(path: Path) -> str:
    try:
        if not path.is_file():
            raise OSError
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise _invalid(path.name, "the whole file", "it has more than 1 MiB: make it shorter")
        return content.decode()
    except UnicodeDecodeError:
        raise _invalid(path.name, "the whole file", "it is not UTF-8: save it as such") from None
    except OSError:
        what = "it cannot be read: check that it is a file that Cairn may read"
        raise _invalid(path.name, "the whole file", what) from None
