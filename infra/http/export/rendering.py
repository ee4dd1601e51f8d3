"""The templates of an export, in the console's environment: its filters, its macros, its icons."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from infra.http.console.assets import read_assets
from infra.http.console.rendering import build_environment
from infra.http.console.spans import ShownText, show_text
from infra.service.reading.exporting import Excerpt

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none';"
    " form-action 'none'"
)


def render(template: str, **values: Any) -> str:
    """Raises jinja2.UndefinedError for a name that the page was not given."""
    return _build_own_environment().get_template(template).render(**values)


@cache
def _build_own_environment() -> Environment:
    console = build_environment()
    folders = ("infra.http.export", "infra.http.console")
    loader = ChoiceLoader([PackageLoader(folder) for folder in folders])
    own = console.overlay(loader=loader, auto_reload=False)  # ten thousand renderings: no looks
    sprite = Markup(read_assets()["icons.svg"].decode())
    own.globals = {**console.globals, "icon": icon, "sprite": sprite, "policy": POLICY}
    return own


def icon(name: str) -> Markup:
    """A picture of the sprite, which stands in the page: a browser reads none beside a file."""
    return Markup(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="#{}"/></svg>'
    ).format(name)


def show_excerpt(excerpt: Excerpt) -> ShownText:
    """Its lines with the numbers that they have in the source, the quote marked."""
    shown = show_text(excerpt.text, excerpt.span)
    lines = tuple(
        replace(line, number=line.number + excerpt.first_line - 1) for line in shown.lines
    )
    return replace(shown, lines=lines, first_marked=None)  # a page has several: none to scroll to


def read_static() -> dict[str, bytes]:
    """Styles and the mark of the console, and the script of the search."""
    search = files("infra.http.export").joinpath("static", "search.js").read_bytes()
    return {"search.js": search} | {
        name: read_assets()[name] for name in ("console.css", "mark.svg")
    }
