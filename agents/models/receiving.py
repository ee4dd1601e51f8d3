"""The one place that receives answers: finds the JSON in a text, brings it to its schema, and names
what is wrong where it cannot be used.

A model wraps its JSON in a fence or in prose, thinks aloud before it, or leaves a list out. None of
that is worth a second call. What is left has a class, since each has another next step: an answer
that was cut is asked for in smaller parts, a refusal is not asked again, an empty or malformed one
is sent back once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from agents.models.coercion import Kept, fit, keep_what_fits
from agents.models.loose_json import Loose, join, read_loose

Fault = Literal["", "length", "refusal", "empty", "malformed"]
MOST_STARTS = 40  # places in a text at which JSON may begin
MOST_PASSES = 3  # over a text, of all that is read from them
MOST_VALUES = 8  # of a text
MOST_MARKS = 20  # ends of thoughts, from the last one back
MAX_ANSWER = 400_000  # characters
CUT_FINISHES = frozenset({"length", "max_tokens"})
_THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
BEGINS_A_VALUE = ("{", "[", '"', "```")
_UNUSUAL = "\ufeff\u200b\u2060\0"
_DECLINES = re.compile(
    r"\W{0,3}(?:(?:i[’']?m |i am )?(?:very |so )?sorry\b|(?:i|we) (?:can[’']?t|cannot|can not"
    r"|won[’']?t|will not|am not able to|am unable to|must decline)\b"
    r"|i[’']m (?:not able|unable) to\b|unfortunately, i\b|as an ai\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Received:
    """What an answer gives. ``data`` fits the schema where there is no ``fault``; ``problems`` say
    what is wrong, ``kept`` is what of a faulty answer fits.
    """

    data: Any = None
    fault: Fault = ""
    problems: tuple[str, ...] = ()
    kept: Kept = Kept()


NOT_ASKED = Received()  # no data was asked for


def receive(text: str, schema: dict[str, Any], finish: str = "stop", refusal: str = "") -> Received:
    """The answer as the schema wants it, or why it cannot be used. Never raises."""
    if refusal:
        return Received(fault="refusal", problems=(f"the model refuses: {refusal[:300]}",))
    try:
        return _receive(text[:MAX_ANSWER], schema, finish)
    except RecursionError:
        return Received(fault="malformed", problems=("it is nested too deeply",))


def _receive(text: str, schema: dict[str, Any], finish: str) -> Received:
    answer = drop_thoughts(text).strip().strip(_UNUSUAL).strip()
    is_cut = finish in CUT_FINISHES
    if not answer:
        fault: Fault = "length" if is_cut else "empty"
        return Received(fault=fault, problems=(_tell_cut() if is_cut else "it is empty",))
    best = _choose([*_find_values(answer)], schema)
    if best is None:
        return _without_json(answer, is_cut)
    is_whole = not best.is_cut and not (best.is_open and (is_cut or answer[-1] not in "}]"))
    if is_whole and not best.problems:  # or nothing but its last brackets is missing
        return Received(data=best.data)
    kept = keep_what_fits(best.raw, schema)
    if is_cut or best.is_cut or best.is_open:
        return Received(None, "length", (_tell_cut(),), kept)
    return Received(None, "malformed", tuple(best.problems), kept)


def _tell_cut() -> str:
    return "it ends before it is complete"


def _without_json(text: str, is_cut: bool) -> Received:
    if _DECLINES.match(text) and not is_cut:
        return Received(fault="refusal", problems=(f"the model refuses: {text[:300]}",))
    begins = text.removeprefix("```json").lstrip()
    is_cut = is_cut or (begins[:1] in ("{", "[") and text[-1] not in "}]`")
    problem = _tell_cut() if is_cut else f"it is no JSON: {text[:80]}"
    return Received(fault="length" if is_cut else "malformed", problems=(problem,))


def drop_thoughts(text: str) -> str:
    """The text without what a model thought aloud before it answered.

    A mark within a value is no end of thoughts: an answer may quote one that somebody else wrote.
    Nor are there thoughts where the text begins as a value or with a fence.
    """
    if text.lstrip().startswith(BEGINS_A_VALUE):
        return text
    marks = [*_THOUGHT_END.finditer(text)][-MOST_MARKS:]
    try:
        if not marks or _read_strictly(text.strip()) is not None:
            return text
        spans = _list_spans(text)
    except RecursionError:  # what is nested too deeply is no answer in any case
        return text
    for mark in reversed(marks):
        if not any(begin < mark.start() < end for begin, end in spans):
            return text[mark.end() :]
    return text


def list_claims(text: str, name: str, values: str) -> set[str]:
    """What the text says a field is, in lower case, wherever it says it, also in JSON within JSON.

    ``values`` are the words to look for, as alternatives of a regular expression.
    """
    plain = _ESCAPE.sub(lambda it: chr(int(it[1], 16)), text).replace("\\", "")
    pattern = rf"\b{name}\b[\"'*_]*\s*[:=]\s*[\"'*_]*({values})\b"
    return {match[1].lower() for match in re.finditer(pattern, plain, re.IGNORECASE)}


def _list_spans(text: str) -> list[tuple[int, int]]:
    """Where whole values begin and end in a text."""
    spans: list[tuple[int, int]] = []
    at, read_before = 0, 0
    for _ in range(MOST_STARTS):
        at = _next_start(text, at)
        if at < 0 or read_before > MOST_PASSES * len(text):
            break
        read = read_loose(text, at)
        read_before += read.end - at
        is_whole = bool(read.value) and not read.is_cut and not read.is_open
        if is_whole:
            spans.append((at, read.end))
        at = read.end if is_whole else at + 1
    return spans


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A value as it was found (``raw``) and as the schema wants it (``data``)."""

    raw: Any
    data: Any
    problems: list[str]
    is_cut: bool
    is_open: bool


def _find_values(text: str) -> Iterator[Loose]:
    """The objects and lists of a text in order, none within another."""
    whole = _read_strictly(text)
    if whole is not None:
        yield Loose(whole, len(text))
        return
    at, starts, read_before = 0, 0, 0
    while (at := _next_start(text, at)) >= 0:
        starts += 1
        if starts > MOST_STARTS or read_before > MOST_PASSES * len(text):
            return
        read = read_loose(text, at)
        read_before += read.end - at
        if read.value:
            yield read
        at = read.end if read.value else at + 1


def _read_strictly(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_join_pairs)
    except ValueError:
        return None
    if isinstance(value, str):  # JSON within a text of JSON
        try:
            value = json.loads(value, parse_constant=_refuse_constant)
        except ValueError:
            return None
    return value if isinstance(value, (dict, list)) else None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _join_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for name, value in pairs:
        join(read, name, value)
    return read


def _next_start(text: str, at: int) -> int:
    starts = [it for it in (text.find("{", at), text.find("[", at)) if it >= 0]
    return min(starts, default=-1)


def _choose(values: list[Loose], schema: dict[str, Any]) -> _Fitted | None:
    """What fits best. Several that fit are one answer in pieces, where all it holds are lists; else
    the last one is meant.
    """
    fitted = [
        _Fitted(form, *fit(form, schema), value.is_cut, value.is_open)
        for value in values[:MOST_VALUES]
        for form in _list_forms(value.value, schema)
    ]
    if not fitted:
        return None
    good = [it for it in fitted if not it.problems]
    if not good:
        return min(fitted, key=lambda it: (len(it.problems), it.is_cut))
    pieces = _drop_repeats(good)
    if len(pieces) == 1 or not _has_lists_alone(schema):
        return pieces[-1]
    joined = {
        name: [item for piece in pieces for item in piece.data[name]] for name in pieces[0].data
    }
    is_cut, is_open = pieces[-1].is_cut, pieces[-1].is_open
    return _Fitted(joined, joined, [], is_cut, is_open)


def _drop_repeats(fitted: list[_Fitted]) -> list[_Fitted]:
    """Of equal pieces the first; of those that say nothing none, where another says something."""
    kept: list[_Fitted] = []
    for it in fitted:
        if all(it.data != other.data for other in kept):
            kept.append(it)
    return [it for it in kept if not _says_nothing(it.data)] or kept[:1]


def _says_nothing(data: Any) -> bool:
    return isinstance(data, dict) and all(value == [] for value in data.values())


def _has_lists_alone(schema: dict[str, Any]) -> bool:
    named = schema.get("properties", {})
    return bool(named) and all(it.get("type") == "array" for it in named.values())


def _list_forms(value: Any, schema: dict[str, Any]) -> Iterator[Any]:
    """The value, what stands in it under another name, and a bare list under the name it lacks."""
    named = schema.get("properties", {})
    lists = [name for name, it in named.items() if it.get("type") == "array"]
    if isinstance(value, list):
        if len(lists) == 1 and len(named) == 1:
            yield {lists[0]: value}
        elif len(value) == 1:
            yield value[0]
        else:
            yield value
        return
    if not isinstance(value, dict) or not named or any(name in value for name in named):
        yield value
        if isinstance(value, dict) and len(named) == 1:
            (only,) = named
            if isinstance(value.get(only), dict) and only in value[only]:
                yield value[only]
        return
    yield value
    for inner in value.values():
        if isinstance(inner, str) and inner.lstrip()[:1] in ("{", "["):
            inner = _read_strictly(inner)
        if isinstance(inner, dict):
            yield inner
            yield from (it for it in inner.values() if isinstance(it, dict))
        elif isinstance(inner, list) and inner and len(named) == 1 and lists:
            yield {lists[0]: inner}
