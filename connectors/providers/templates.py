"""Requests with places for arguments: a path, a query and a body, as definition files write them.

A place is `{argument}`. In a path its value is one segment, whatever it holds. In a query or a body
it stands alone in a text, so that its value keeps its type and nothing is ever joined into another
language. A table or list all of whose arguments are left out is left out itself.

Two tables of a body are instructions: `{"$each" = "argument", item = …}` repeats `item` for each
value of a list, with `{item}` as the value; `{"$mail" = {to = …, subject = …, text = …}}` is a mail
in base64url.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from connectors.providers import mails

EACH, MAIL, ITEM = "$each", "$mail", "item"
_PLACE = re.compile(r"\{([^{}]*)\}")
_LITERAL = re.compile(r"[A-Za-z0-9._~:@!$&'()*+,;=-]*")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_DOTS = frozenset((".", ".."))


class UnfitArgument(ValueError):
    """A value cannot stand where it is put; the message is for the model and the user."""


class _Missing:
    pass


MISSING: Final = _Missing()


def check_path(path: str) -> str:
    """Returns ``path``. Raises ValueError unless each value would be within one segment."""
    if not path.startswith("/") or len(path) > 500:
        raise ValueError("a path begins with / and has at most 500 characters")
    for segment in path[1:].split("/"):
        literal = _PLACE.sub("", segment)
        if not segment or segment in _DOTS or not _LITERAL.fullmatch(literal):
            raise ValueError(
                "a path has segments of letters, digits and -._~:@, with arguments in braces:"
                " no empty one, no .., no query and no %"
            )
    if ":" in path[1:].split("/")[0]:
        raise ValueError("the first segment of a path holds no colon")
    return path


def list_path_names(path: str) -> list[str]:
    return _PLACE.findall(path)


def list_names(template: Any) -> set[str]:
    """The arguments that a query or a body names. Raises ValueError for what is no template."""
    return set(_walk(template))


def _walk(template: Any) -> Iterator[str]:
    match template:
        case str():
            if (name := _name_of(template)) is not None:
                yield name
        case Mapping() if EACH in template:
            if template.keys() != {EACH, ITEM} or not isinstance(template[EACH], str):
                raise ValueError(f'write {{"{EACH}" = "argument", {ITEM} = …}}')
            yield template[EACH]
            yield from list_names(template[ITEM]) - {ITEM}
        case Mapping() if MAIL in template:
            parts = template[MAIL]
            if len(template) != 1 or not isinstance(parts, Mapping) or not parts:
                raise ValueError(f'write {{"{MAIL}" = {{to = …, subject = …, text = …}}}}')
            if unknown := sorted(parts.keys() - set(mails.PARTS)):
                raise ValueError(f"a mail has no {unknown[0]}: it has {', '.join(mails.PARTS)}")
            for part in parts.values():
                yield from _walk(part)
        case Mapping():
            for value in template.values():
                yield from _walk(value)
        case list():
            for value in template:
                yield from _walk(value)
        case None | bool() | int() | float():
            return
        case _:
            raise ValueError("a body holds texts, numbers, lists and tables alone")


def _name_of(text: str) -> str | None:
    """The argument that a text is the place of; None for a fixed text. Raises ValueError."""
    whole = _PLACE.fullmatch(text)
    if whole is None and _PLACE.search(text):
        raise ValueError("an argument in braces stands alone in a text")
    return whole[1] if whole else None


def fill_path(path: str, values: Mapping[str, Any]) -> str:
    """The path with each value as one segment, percent-encoded. Raises UnfitArgument."""
    return "/".join(_fill_segment(segment, values) for segment in path.split("/"))


def _fill_segment(segment: str, values: Mapping[str, Any]) -> str:
    def encode(match: re.Match[str]) -> str:
        name = match[1]
        text = str(values[name])
        if not text.strip():
            raise UnfitArgument(f"{name} is empty, and the address needs it.")
        if _CONTROL.search(text):
            raise UnfitArgument(f"{name} holds line breaks or control characters.")
        return quote(text, safe="")

    filled = _PLACE.sub(encode, segment)
    if filled in _DOTS:  # nobody may percent-encode them, so a server would leave the folder
        raise UnfitArgument(f"{list_path_names(segment)[0]} cannot be {filled!r}.")
    return filled


def fill_query(query: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, str | int]:
    """The parameters that have a value; a list is joined by commas."""
    filled: dict[str, str | int] = {}
    for name, template in query.items():
        match fill(template, values):
            case _Missing():
                continue
            case bool() as flag:
                filled[name] = "true" if flag else "false"
            case list() as items:
                filled[name] = ",".join(items)
            case int() as number:
                filled[name] = number
            case other:
                filled[name] = str(other)
    return filled


def fill_body(body: Mapping[str, Any] | None, values: Mapping[str, Any]) -> Any:
    """The body as JSON; None where the tool has none. Raises UnfitArgument."""
    if body is None:
        return None
    filled = fill(body, values)
    return {} if isinstance(filled, _Missing) else filled


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with its values; MISSING where all its arguments are left out."""
    match template:
        case str():
            name = _name_of(template)
            value = template if name is None else values.get(name)
            return MISSING if value is None else value
        case Mapping() if EACH in template:
            items = values.get(template[EACH])
            if items is None:
                return MISSING
            return [fill(template[ITEM], {**values, ITEM: item}) for item in items]
        case Mapping() if MAIL in template:
            parts = {name: fill(part, values) for name, part in template[MAIL].items()}
            given = {name: part for name, part in parts.items() if part is not MISSING}
            try:
                return mails.encode_mail(given)
            except ValueError as error:
                raise UnfitArgument(str(error)) from error
        case Mapping() | list():
            return _fill_parts(template, values)
        case _:
            return template


def _fill_parts(template: Mapping[str, Any] | list[Any], values: Mapping[str, Any]) -> Any:
    is_table = isinstance(template, Mapping)
    pairs = list(template.items() if isinstance(template, Mapping) else enumerate(template))
    filled = [(key, fill(part, values), bool(list_names(part))) for key, part in pairs]
    kept = [(key, value) for key, value, _ in filled if value is not MISSING]
    takes_arguments = any(takes for _, _, takes in filled)
    if takes_arguments and not any(takes and value is not MISSING for _, value, takes in filled):
        return MISSING
    return dict(kept) if is_table else [value for _, value in kept]
