"""Templates: every value is escaped, and a name that is not there is an error."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from infra.http.auth import CONSOLE
from infra.http.console.assets import asset_address
from infra.http.console.citing import cite_places, cut_headings, list_places
from infra.http.console.spans import visible
from infra.platform.clock import SystemClock
from projections.read.atom_detail import AtomDetail
from schemas.answering import NOT_ANSWERED
from schemas.confirmations import describe_status
from schemas.inflection import noun
from schemas.quality_gate import REMOVALS
from schemas.shortening import shorten

AGES = ((86_400 * 2, 86_400, "d"), (7_200, 3_600, "h"), (120, 60, "min"))
GROUPED_ABOVE = 9_999
WORDS = {
    "pkl": "project",
    "prd": "PRD",
    "pm": "product manager",
    "a_wins": "the first is right",
    "b_wins": "the second is right",
    "hitl": "decision",
    "hitl_applied": "decision applied",
    "waiting_for_human": "waits for a person",
    **{str(reason): text for reason, text in REMOVALS.items()},
}

CHIP_CHARS = 28


def render(template: str, **values: Any) -> str:
    """Raises jinja2.UndefinedError for a name that the page was not given."""
    return build_environment().get_template(template).render(**values)


@cache
def build_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("infra.http.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    environment.filters |= {
        "age": age,
        "short_path": short_path,
        "exact": exact,
        "duration": duration,
        "number": number,
        "shorten": shorten,
        "noun": noun,
        "counted": counted,
        "percent": percent,
        "dollars": dollars,
        "words": words,
        "sentence": sentence,
        "who": who,
        "visible": visible,
        "plain_json": plain_json,
        "cite_places": cite_places,
        "places": list_places,
        "without_headings": cut_headings,
        "because": explain_status,
    }
    environment.globals |= {"asset": asset_address, "address": address, "icon": icon}
    environment.globals["not_answered"] = NOT_ANSWERED
    return environment


def explain_status(atom: AtomDetail) -> str:
    """Why a live atom is active or a draft."""
    return describe_status(
        atom.status, atom.status_reason, atom.attributes, verified_by=atom.verified_by
    )


def address(*parts: str, **query: str | int | None) -> str:
    """The address of a page: every part is quoted, and what is None or empty is left out."""
    path = "/".join([CONSOLE, *(quote(part, safe="") for part in parts)])
    asked = {name.rstrip("_"): value for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(asked)}" if asked else path


def icon(name: str) -> Markup:
    """A picture of the sprite, for the eye alone: a word stands beside it."""
    source = f"{asset_address('icons.svg')}#{name}"
    return Markup(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}"/></svg>'
    ).format(source)


def age(at: datetime | None) -> str:
    """How long ago, or until then."""
    if at is None:
        return "never"
    seconds = (SystemClock().now() - at).total_seconds()
    for above, unit, name in AGES:
        if abs(seconds) >= above:
            count = round(abs(seconds) / unit)
            return f"{count} {name} ago" if seconds > 0 else f"in {count} {name}"
    return "just now" if seconds >= 0 else "in a moment"


def short_path(path: str) -> str:
    """A path as a chip has room for it: its end tells files apart, and its name most."""
    if len(path) <= CHIP_CHARS:
        return path
    name = path.rpartition("/")[2]
    if len(name) + 2 <= CHIP_CHARS:
        return f"…/{name}"
    half = CHIP_CHARS // 2
    return f"{name[:half]}…{name[-half + 1 :]}"


def exact(at: datetime | None) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if at else ""


def minute(at: datetime) -> str:
    """A time as the ends of a chart have room for it; the table behind it is exact."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 120:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def number(count: float | None) -> str:
    if count is None:
        return "–"
    return f"{count:,}" if abs(count) > GROUPED_ABOVE else str(count)


def counted(count: float, one: str, many: str = "") -> str:
    """``1 call`` or ``2 calls``."""
    return f"{number(count)} {noun(count, one, many)}"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share * 100:.0f}%"


def dollars(amount: float | None) -> str:
    if not amount:
        return "$0.00"
    if amount < 0.0001:
        return "under $0.0001"
    return f"${amount:,.2f}" if amount >= 0.01 else f"${amount:.4f}"


def words(name: str) -> str:
    """A name of the code as people write it."""
    said = name.replace("_", " ")
    return WORDS.get(name) or ("PRD" + said[3:] if said.startswith("prd ") else said)


def sentence(text: str) -> str:
    """With a capital first letter; the others stay as they are."""
    return text[:1].upper() + text[1:]


def who(actor: str) -> str:
    """Who did something: its name without what kind of actor it is."""
    return words(actor.partition(":")[2] or actor)


def plain_json(value: Any) -> str:
    return json.dumps(value, default=str, ensure_ascii=False, indent=2)
