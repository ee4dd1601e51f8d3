"""Values in a recorded answer that a fork changes: what cannot be read is refused at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from infra.platform.errors import Invalid

LONGEST_NUMBER = 9  # digits; no list is that long


def set_value(value: Any, path: Sequence[str], new: Any, whole: str) -> Any:
    """``value`` with ``new`` at the path, which it has already. Raises Invalid for another type."""
    if not path:
        if problem := find_unlike(value, new, whole):
            raise Invalid(f"{problem}.", code="change_invalid", detail={"at": whole})
        return new
    name, *rest = path
    if isinstance(value, dict) and name in value:
        return value | {name: set_value(value[name], rest, new, whole)}
    if isinstance(value, list) and _is_number(name) and int(name) < len(value):
        number = int(name)
        return [*value[:number], set_value(value[number], rest, new, whole), *value[number + 1 :]]
    there = list(value) if isinstance(value, dict) else []
    has = f"there are {', '.join(there)}" if there else "nothing is below it"
    raise Invalid(
        f"The answer has no {whole}: at {name!r} {has}.",
        code="unknown_field",
        detail={"field": whole},
    )


def find_unlike(value: Any, new: Any, at: str) -> str | None:
    """Why ``new`` cannot stand for ``value``; None: it can, as far as the value itself tells.

    An object may get other names, since each call has its own. The items of a list are like those
    that it has. What is null is of no known type: one plain value may take its place.
    """
    if value is None:
        is_plain = new is None or isinstance(new, (str, int, float))
        if is_plain:
            return None
        return f"{at} cannot be {_type_of(new)}: it is null, so its type is not known"
    if _type_of(new) != _type_of(value):
        return f"{at} cannot be that: it is {_type_of(value)}, not {_type_of(new)}"
    if isinstance(value, dict):
        known = (name for name in new if name in value)
        unlike = (find_unlike(value[name], new[name], f"{at}.{name}") for name in known)
        return next(filter(None, unlike), None)
    if isinstance(value, list):
        unlike = (_find_unlike_item(value, item, f"{at}.{n}") for n, item in enumerate(new))
        return next(filter(None, unlike), None)
    return None


def _find_unlike_item(items: Sequence[Any], new: Any, at: str) -> str | None:
    """Why ``new`` is like none of the items of a list."""
    if not items:
        return f"{at} cannot be there: the list is empty, so the type of its items is not known"
    problems = [_find_other_names(item, new, at) or find_unlike(item, new, at) for item in items]
    return None if None in problems else problems[0]


def _find_other_names(item: Any, new: Any, at: str) -> str | None:
    """Objects in one list have the same names."""
    if not (isinstance(item, dict) and isinstance(new, dict)) or item.keys() == new.keys():
        return None
    return f"{at} cannot be that: the items of the list have {', '.join(item)}"


def _type_of(value: Any) -> str:
    """The type of a value in JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def _is_number(name: str) -> bool:
    return len(name) <= LONGEST_NUMBER and name.isdecimal()
