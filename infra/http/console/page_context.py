"""A request for a page of the console, and what all pages show."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from infra.http.access import DECIDERS, LEADERS, OPERATORS, OWNERS, READERS, WRITERS
from infra.http.api import Api, api_of
from infra.http.console.browser import (
    is_beside,
    is_part,
    is_write,
    own_place,
    place_of,
    session_cookie,
    set_cookie,
)
from infra.http.console.rendering import address, render, words
from infra.http.console.shortcuts import shortcuts_of
from infra.http.problems import Problem
from infra.platform.errors import Invalid, NotFound
from infra.service.foundation.publishing import draw_key
from infra.store.saved_views import SavedView, list_views
from infra.store.tokens import Caller
from projections.read.projects import NamedProject, list_project_names
from schemas.shortening import shorten

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "vary": "HX-Request, HX-Target, Cookie",
}
THEMES = ("system", "light", "dark")
THEME_COOKIE, TOLD_COOKIE, UNDO_COOKIE = "cairn_theme", "cairn_told", "cairn_undo"
KEYS_COOKIE, CHANGED_KEYS_COOKIE = "cairn_keys", "cairn_changed_keys"
TOLD_CHARS, TOLD_S = 300, 60
LONGEST_REASON = 1_000
NAMED = 100  # projects in the menu


@dataclass(slots=True)
class PageContext:
    """A request of somebody who has signed in. ``project`` is that of the address, if it has one.

    ``projects``: the first of those that they may see. ``views``: those of the project that they
    have saved. A form that is done asks for none of these. ``form``: what was sent; its ``key``
    makes a write that is sent twice one write.
    ``problem`` says why what was sent is not done, where the page of the form shows it again.
    """

    request: Request
    api: Api
    caller: Caller
    projects: list[NamedProject] = field(default_factory=list)
    project: NamedProject | None = None
    form: dict[str, str] = field(default_factory=dict)
    problem: Problem | None = None
    views: list[SavedView] = field(default_factory=list)

    @property
    def project_id(self) -> str:
        return str(self.request.path_params["project"])

    @property
    def cookie(self) -> str:
        return session_cookie(self.request)

    @property
    def is_beside(self) -> bool:
        return is_beside(self.request)

    @property
    def is_palette(self) -> bool:
        """Whether it is to be shown in the palette."""
        return self.request.headers.get("hx-target", "").endswith("#palette")

    @property
    def reads(self) -> bool:
        """Whether they may read what the project says."""
        return self.caller.role in READERS

    @property
    def writes(self) -> bool:
        return self.caller.role in WRITERS

    @property
    def decides(self) -> bool:
        return self.caller.role in DECIDERS

    @property
    def leads(self) -> bool:
        return self.caller.role in LEADERS

    @property
    def operates(self) -> bool:
        return self.caller.role in OPERATORS

    @property
    def owns(self) -> bool:
        return self.caller.role in OWNERS

    def part(self, name: str) -> str:
        return str(self.request.path_params[name])

    def asked(self, name: str) -> str | None:
        """A parameter of the address, or of the page that the form stands on; None when it is
        missing or empty.
        """
        if not is_write(self.request):
            return self.request.query_params.get(name) or None
        return parse_qs(urlsplit(place_of(self.request)).query).get(name, [None])[0]

    def written(self, name: str, now: Any) -> Any:
        """What stands in a field: what was sent, where that was refused, else what there is."""
        return self.form.get(name, now) if self.problem else now

    def seen(self, name: str, now: Any) -> Any:
        """What a form says that its page has shown, such as a version. One that is refused still
        says it, unless it is shown beside what there is by now: else it would overwrite unseen.
        """
        return now if self.problem and self.problem.status == 409 else self.written(name, now)

    def key_of(self, form: str) -> str:
        """The key of the form that is sent to the address ``form``. One that nobody has answered
        keeps its own: what may be recorded already is not done twice.
        """
        is_unanswered = self.problem and self.problem.status == 503
        return self.form["key"] if is_unanswered and form == self.request.url.path else draw_key()

    def asked_one_of(self, name: str, known: Collection[str]) -> str | None:
        """A parameter that is one of ``known``; None without it. Raises Invalid."""
        value = self.asked(name)
        if value is not None and value not in known:
            raise Invalid(
                f"There is no {name} {value!r}: there are {', '.join(known)}.",
                code="invalid_request",
            )
        return value

    def asked_number(self, name: str) -> int | None:
        """Raises Invalid."""
        return _number(name, self.asked(name))

    def sent_number(self, name: str) -> int | None:
        """A number of the form; None when it is missing or empty. Raises Invalid."""
        return _number(name, self.form.get(name))

    def sent_points(self, name: str) -> int:
        """A number of points of the form. Raises Invalid, also for an empty field."""
        points = self.sent_number(name)
        if points is None:
            raise Invalid(f"Give a number for {words(name)}.", code="points_missing")
        return points

    def sent_reason(self) -> str:
        """Why something is taken away: it stands in the audit log. Raises Invalid."""
        reason = self.form.get("reason", "").strip()
        if not 0 < len(reason) <= LONGEST_REASON:
            raise Invalid(
                f"Say why, in at most {LONGEST_REASON:,} characters.", code="reason_missing"
            )
        return reason

    async def ask(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await self.api.tables.ask(question, *args, **kwargs)

    def show(self, template: str, **values: Any) -> Response:
        """A page, with what all pages show."""
        answer = self.problem.status if self.problem else 200
        return show(self.request, template, answer=answer, visit=self, **values)

    async def check_project(self) -> None:
        """Raises NotFound unless there is the project of the address, and it is the caller's."""
        wanted = self.request.path_params.get("project")
        if wanted is not None:
            await self.api.check_project(str(wanted), self.caller)

    async def look_around(self) -> None:
        """What pages show around themselves: the projects of the caller, the one of the address,
        and the views of it. Raises NotFound.
        """
        self.projects = await self.ask(list_project_names, only=self.caller.projects, limit=NAMED)
        wanted = self.request.path_params.get("project")
        if wanted is not None:
            await self.check_project()
            named = [each for each in self.projects if each.project_id == wanted]
            named = named or await self.ask(list_project_names, only=[str(wanted)])
            if not named:  # deleted just now, elsewhere
                raise NotFound(f"There is no project {wanted}.", code="unknown_project")
            self.project = named[0]
            if not is_part(self.request):
                self.views = await self.ask(list_views, wanted, self.caller.token_id)

    def go(self, *parts: str, told: str = "", **query: str | int | None) -> Response:
        """Lead to a page, which says ``told``."""
        return redirect(self.request, address(*parts, **query), told)

    def redirect_within(self, place: str, told: str, undo: str = "") -> Response:
        """Lead to a page of the console, which says ``told`` and offers to take ``undo`` back."""
        response = redirect(self.request, own_place(place), told)
        if undo:
            set_cookie(self.request, response, UNDO_COOKIE, undo, TOLD_S)
        return response


def show(request: Request, template: str, *, answer: int = 200, **values: Any) -> Response:
    theme = request.cookies.get(THEME_COOKIE, "")
    shortcuts = shortcuts_of(request.cookies.get(CHANGED_KEYS_COOKIE, ""))
    shown = {
        "visit": None,
        "here": place_of(request),
        "theme": theme if theme in THEMES else "system",
        "single_keys": request.cookies.get(KEYS_COOKIE) != "off",
        "shortcuts": shortcuts,
        "keys": {it.name: it.key for it in shortcuts},
        "form_mark": api_of(request).sessions.form_mark(session_cookie(request)),
        "draw_key": draw_key,
        "told": _told(request),
        "undo": request.cookies.get(UNDO_COOKIE, ""),
    }
    response = Response(render(template, **(shown | values)), answer, HEADERS, "text/html")
    for cookie in (TOLD_COOKIE, UNDO_COOKIE):  # it is said once
        if cookie in request.cookies and not request.headers.get("hx-request"):
            response.delete_cookie(cookie, path="/")
    return response


def redirect(request: Request, place: str, told: str = "") -> Response:
    """Lead the browser to a page; ``told`` is what it says at its top, once."""
    response = RedirectResponse(place, 303, HEADERS)
    if told:
        said = urlencode({"": shorten(told, TOLD_CHARS)})[1:]
        set_cookie(request, response, TOLD_COOKIE, said, TOLD_S)
    return response


def _number(name: str, given: str | None) -> int | None:
    if not given:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) < 10):
        raise Invalid(f"Give a whole number for {words(name)}.", code="invalid_request")
    return int(given)


def _told(request: Request) -> str:
    fields = parse_qs("=" + request.cookies.get(TOLD_COOKIE, ""), errors="replace")
    return fields.get("", [""])[0]
