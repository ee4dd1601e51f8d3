"""Write `infra/client` from the document of the API: its models, and a method for each operation.

`make` runs it where a route is newer than the client; by hand: `python -m infra.http.client_code`.
What it writes is not kept in git; a wheel holds it, so that a client needs no service.
"""

from __future__ import annotations

import keyword
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from infra.http.app import create_app
from infra.http.client_document import (
    REF,
    SHARED,
    ApiDocument,
    Operation,
    item_of,
    refs,
    type_of,
)
from infra.http.problem_codes import LISTED, render_codes
from infra.platform.settings import Settings

HERE = Path(__file__).resolve().parents[1] / "client"
LINE = 100
TEXTS = ("text/plain", "text/markdown")
IN_HEADERS = ("token", "last_event_id")  # of a stream, where a client can send them
BYTES = "application/octet-stream"
WRITTEN_BY = (
    "# Written by `python -m infra.http.client_code`: change the route, then run it again.\n"
)
EMPTY: dict[Any, Any] = {"array": [], "object": {}}  # where the document tells no default


def main() -> None:
    LISTED.write_text(render_codes())
    files = write_code(read_document())
    for folder in ("models", "calls"):
        shutil.rmtree(HERE / folder, ignore_errors=True)
        (HERE / folder).mkdir()
    for name, text in files.items():
        (HERE / name).write_text(text)


@cache
def read_document() -> dict[str, Any]:
    """The document, without any server. It takes seconds to make, and nobody changes it."""
    return create_app(Settings(database_url="postgresql://nobody@127.0.0.1:1/none")).openapi()


def write_code(document: Mapping[str, Any]) -> dict[str, str]:
    """The text of each file by its path below `infra/client`."""
    api = ApiDocument(document)
    files = {f"models/{area}.py": _render_models(api, area) for area in api.areas}
    files |= {f"calls/{area}.py": _render_calls(api, area) for area in api.operations}
    files["models/__init__.py"] = _render_loader(sorted(api.areas))
    files["calls/__init__.py"] = '"""A method for each operation, one file an area."""\n'
    files["client.py"] = _render_client(sorted(api.operations))
    return {path: WRITTEN_BY + _format(text) for path, text in sorted(files.items())}


def _render_models(api: ApiDocument, area: str) -> str:
    name = area.removesuffix("_parts")
    about = "several areas" if name == SHARED else f"the area {name.capitalize()}"
    what = "What the models" if name != area else "What requests and answers"
    names = api.areas[area]
    used = {inner for name in names for inner in refs(api.schemas[name])}
    lines = [f'"""{what} of {about} are made of."""', *_imports("Model")]
    lines += [
        f"from infra.client.models.{api.area_of[name]} import {item_of(name)}"
        for name in sorted(used - {*names})
    ]
    return "\n".join([*lines, *(_render_model(api, name) for name in names)])


def _render_model(api: ApiDocument, name: str) -> str:
    schema = api.schemas[name]
    lines = [f"class {item_of(name)}(Model):"]
    if told := schema.get("description"):
        lines += [*_docstring(told, "    "), ""]
    for attribute, kind in schema.get("properties", {}).items():
        if not attribute.isidentifier() or keyword.iskeyword(attribute):
            raise ValueError(f"{name}.{attribute} cannot be an attribute: name it otherwise")
        given = attribute in schema.get("required", ())
        default = "" if given else f" = {kind.get('default', EMPTY.get(kind.get('type')))!r}"
        lines.append(f"    {attribute}: {type_of(kind, exact=api.is_request(name))}{default}")
    return "\n".join(lines)


def _render_calls(api: ApiDocument, area: str) -> str:
    lines = [f'"""The operations of the area {area.capitalize()}."""']
    lines += [*_imports("Connection, Pages")]
    lines += ["from infra.client import models", f"class {area.capitalize()}(Connection):"]
    calls = [_render_call(api, operation) for operation in api.operations[area]]
    return "\n".join([*lines, "\n\n".join(calls)])


def _render_call(api: ApiDocument, operation: Operation) -> str:
    arguments = ", ".join(["self", *_arguments(api, operation)])
    result = _result_of(api, operation)
    lines = [
        f"    def {operation.name}({arguments}) -> {result}:",
        *_docstring(operation.told["description"], " " * 8),
        f"        {'' if result == 'None' else 'return '}{_call(api, operation)}",
    ]
    return "\n".join(lines)


def _arguments(api: ApiDocument, operation: Operation) -> list[str]:
    """The parameters: place and body as they come, all else by name."""
    arguments = [f"{each['name']}: str" for each in operation.parameters("path")]
    if operation.body is not None:
        media, schema = operation.body
        kind = "bytes" if media == BYTES else _type_of(api, schema, exact=True)
        arguments.append(f"body: {kind}{' = None' if kind.endswith('| None') else ''}")
    named = []
    for each in _query(operation):
        kind = _type_of(api, each["schema"], exact=True).removesuffix(" | None")
        named.append(f"{each['name']}: {kind}{'' if each['required'] else ' | None = None'}")
    if operation.is_write:
        named.append("key: str | None = None")
    if operation.is_stream:
        named.append("last_event_id: str | None = None")
    return [*arguments, *(["*", *named] if named else [])]


def _query(operation: Operation) -> list[Any]:
    own = ("cursor", "limit") if operation.is_paged else ()
    own = IN_HEADERS if operation.is_stream else own
    return [each for each in operation.parameters("query") if each["name"] not in own]


def _result_of(api: ApiDocument, operation: Operation) -> str:
    if operation.is_stream:
        return "Iterator[Frame]"
    kinds = dict.fromkeys(_kinds(api, operation).values())
    return f"Pages[{_item(api, operation)}]" if operation.is_paged else " | ".join(kinds)


def _kinds(api: ApiDocument, operation: Operation) -> dict[int, str]:
    """The type of each answer by its status."""
    return {
        status: "None"
        if not media
        else "str"
        if media in TEXTS
        else _type_of(api, schema, exact=False)
        for status, media, schema in operation.answers()
    }


def _item(api: ApiDocument, operation: Operation) -> str:
    (schema,) = (schema for _, _, schema in operation.answers())
    return api.place_of(schema["$ref"].removeprefix(REF))


def _type_of(api: ApiDocument, schema: Mapping[str, Any], *, exact: bool) -> str:
    return type_of(schema, exact=exact, name_of=api.place_of)


def _call(api: ApiDocument, operation: Operation) -> str:
    """What the method does, in one expression."""
    parts = [f'"{operation.path}"', *_places(operation)]
    if operation.is_stream:
        return f"self._follow({', '.join([*parts, 'last_event_id=last_event_id'])})"
    if operation.is_paged:
        return f"self._list({', '.join([_item(api, operation), *parts])})"
    kinds = _kinds(api, operation)
    if operation.is_write:
        parts = [f'"{operation.method.upper()}"', *parts, "key=key"]
        parts += ["body=body"] if operation.body is not None else []
    same = len(set(kinds.values())) == 1
    kind = kinds[min(kinds)] if same else f"{{{', '.join(f'{s}: {k}' for s, k in kinds.items())}}}"
    expected = ", also=(503,)" if same and max(kinds) >= 400 else ""
    if kind == "None":
        return f"self._perform({', '.join(parts)})"
    verb = "_write" if operation.is_write else "_read"
    return f"self.{verb}({', '.join([kind, *parts])}{expected})"


def _places(operation: Operation) -> list[str]:
    at = ", ".join(f'"{each["name"]}": {each["name"]}' for each in operation.parameters("path"))
    query = ", ".join(f'"{each["name"]}": {each["name"]}' for each in _query(operation))
    return [f"{name}={{{pairs}}}" for name, pairs in (("at", at), ("query", query)) if pairs]


def _render_client(areas: list[str]) -> str:
    imports = [f"from infra.client.calls.{area} import {area.capitalize()}" for area in areas]
    return "\n".join(
        [
            '"""The client: a method for each operation of the API, of the operation\'s name."""',
            "from __future__ import annotations",
            *imports,
            f"class Client({', '.join(map(str.capitalize, areas))}):",
            '    """A service by its address and a token.',
            "",
            "    Errors are those of `infra.platform.errors`, with the code of the service.",
            '    """',
        ]
    )


def _imports(own: str) -> list[str]:
    """More than a file needs: what it does not use is dropped when it is formatted."""
    return [
        "from __future__ import annotations",
        "from collections.abc import Iterator",
        "from datetime import date, datetime",
        "from typing import Any, Literal",
        f"from infra.client.connection import {own}",
        "from infra.client.events import Frame",
    ]


def _render_loader(areas: list[str]) -> str:
    return "\n".join(
        [
            '"""The models by area; an area is loaded when one of its models is first used."""',
            "from importlib import import_module",
            "from typing import TYPE_CHECKING, Any",
            "if TYPE_CHECKING:",
            *(f"    from infra.client.models import {area} as {area}" for area in areas),
            "def __getattr__(area: str) -> Any:",
            "    try:",
            '        return import_module(f"{__name__}.{area}")',
            "    except ModuleNotFoundError as error:",
            "        raise AttributeError(area) from error",
        ]
    )


def _docstring(text: str, indent: str) -> list[str]:
    """The paragraphs of a description, wrapped anew: they stand deeper than where they are from."""
    width = LINE - len(indent)
    summary, *more = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    if not more and len(summary) + 6 <= width:
        return [f'{indent}"""{summary}"""']
    lines = textwrap.wrap(f'"""{summary}', width - 3)  # the formatter may close it on its line
    for part in more:
        lines += ["", *textwrap.wrap(part, width)]
    return [f"{indent}{line}".rstrip() for line in (*lines, '"""')]


def _format(text: str) -> str:
    """As the formatter of this repository writes it, without imports that are not needed."""
    ruff, name = str(Path(sys.executable).with_name("ruff")), str(HERE / "any.py")
    for options in (("check", "--fix", "--quiet", "--select", "F401,I"), ("format",)):
        command = [ruff, *options, "--stdin-filename", name, "-"]
        text = subprocess.run(
            command, input=text, capture_output=True, text=True, check=True
        ).stdout
    return text


if __name__ == "__main__":
    main()
