"""Every page and every form of the console: who may ask for it is checked before it is made.

A page is a function that takes a `Visit` and returns what `Visit.show` or `Visit.go` made. A form
is done once it has proven that a page of this session sent it, and each one is in the audit log
before it is done. What is refused is a page, too; beside an open page it is a part of it, and an
open page that asks what is new stays as it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.http.access import (
    DECIDERS,
    LEADERS,
    OPERATORS,
    OWNERS,
    READERS,
    WRITERS,
    check_role,
)
from infra.http.api import Api, api_of
from infra.http.auth import caller_of, is_of_console
from infra.http.bodies import check_text
from infra.http.console.browser import (
    HOME,
    check_form,
    is_beside,
    is_part,
    is_write,
    own_place,
    place_of,
    read_form,
    session_cookie,
    set_cookie,
)
from infra.http.console.rendering import address, render, words
from infra.http.console.shortcuts import shortcuts_of
from infra.http.problems import (
    Problem,
    Unauthenticated,
    code_of,
    is_expected,
    problem_of,
)
from infra.http.writes import audit_entry, check_given_key, record_refusal
from infra.platform.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from infra.platform.log import get
from infra.service.foundation.publishing import draw_key, redactor_of
from infra.store.requests import Outcome, begin_write, end_write
from infra.store.saved_views import SavedView, list_views
from infra.store.tokens import ApiRole, Caller
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

log = get("console")

Make = Callable[["Visit"], Awaitable[Response]]
# A form, for what it says; or nobody has answered it, and it may be sent again as it is.
REFUSED = (Conflict, Invalid, NotFound, Unavailable)


@dataclass(slots=True)
class Visit:
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

    async def look_around(self) -> None:
        """For a form that answers with a page: what `show` needs. Raises NotFound."""
        await _look_around(self)

    def go(self, *parts: str, told: str = "", **query: str | int | None) -> Response:
        """Lead to a page, which says ``told``."""
        return lead(self.request, address(*parts, **query), told)

    def go_on(self, place: str, told: str, undo: str = "") -> Response:
        """Lead to a page of the console, which says ``told`` and offers to take ``undo`` back."""
        response = lead(self.request, own_place(place), told)
        if undo:
            set_cookie(self.request, response, UNDO_COOKIE, undo, TOLD_S)
        return response


class Pages:
    """The pages of one area."""

    def __init__(self) -> None:
        self.routes: list[BaseRoute] = []

    def show(
        self, path: str, *roles: ApiRole, is_for_scripts: bool = False
    ) -> Callable[[Make], Make]:
        """Declare a page; ``roles`` may open it. One that is for scripts of open pages refuses who
        has not signed in, and leads nowhere.
        """

        def declare(make: Make) -> Make:
            self._add(path, make, roles, writes=False, is_for_scripts=is_for_scripts)
            return make

        return declare

    def act(self, path: str, *roles: ApiRole, page: Make | None = None) -> Callable[[Make], Make]:
        """Declare what a form does; ``roles`` may send it.

        ``page`` shows the page of the form. A form that says something wrong, names what is not
        there, is of what is not as it was shown, or is not answered, is shown again with what was
        sent.
        """

        def declare(make: Make) -> Make:
            self._add(path, make, roles, writes=True, page=page)
            return make

        return declare

    def _add(
        self,
        path: str,
        make: Make,
        roles: Sequence[ApiRole],
        *,
        writes: bool,
        page: Make | None = None,
        is_for_scripts: bool = False,
    ) -> None:
        operation = f"console_{make.__name__}"

        async def answer(request: Request) -> Response:
            request.state.operation = operation
            visit: Visit | None = None
            try:
                check_text(request)
                caller = caller_of(request.scope)
                if caller is None and is_for_scripts:
                    raise session_ended()
                if caller is None:
                    return ask_to_sign_in(request)
                visit = Visit(request, api_of(request), caller)
                await (_find_project if writes else _look_around)(visit)
                check_role(caller, roles)
                return await (_write(visit, make, operation, page) if writes else make(visit))
            except Exception as error:
                if writes and visit:
                    if isinstance(error, Forbidden):
                        await record_refusal(request, operation, error)
                    with suppress(NotFound, Unavailable):
                        await _look_around(visit)
                return show_problem(request, error, visit)

        method = "POST" if writes else "GET"
        self.routes.append(Route(path, answer, methods=[method], name=operation))


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


def show_problem(request: Request, error: Exception, visit: Visit | None = None) -> Response:
    """The page of what was not done, in the words of the API."""
    if not is_expected(error):
        log.error("http.failed", path=request.url.path, exc_info=error)
    problem, headers = problem_of(error, request)
    response = show(
        request,
        "problem_beside.html" if is_beside(request) else "problem.html",
        answer=problem.status,
        visit=visit,
        problem=problem,
        told="",
        came_from_form=is_write(request),
    )
    response.headers.update({n: v for n, v in headers.items() if n != "www-authenticate"})
    if is_part(request) and not is_beside(request):
        response.headers["hx-reswap"] = "none"
    return response


class ProblemPages:
    """What is refused, or fails, before a page is found is a page of the console, too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_of_console(scope):
            await self._app(scope, receive, send)
            return
        begun = False

        async def tell(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, tell)
        except Exception as error:
            if begun:
                raise
            await show_problem(Request(scope), error)(scope, receive, send)


def lead(request: Request, place: str, told: str = "") -> Response:
    """Lead the browser to a page; ``told`` is what it says at its top, once."""
    response = RedirectResponse(place, 303, HEADERS)
    if told:
        said = urlencode({"": shorten(told, TOLD_CHARS)})[1:]
        set_cookie(request, response, TOLD_COOKIE, said, TOLD_S)
    return response


def ask_to_sign_in(request: Request) -> Response:
    """Lead to the sign-in, and from there back to the page that was asked for, or to that of the
    form that was sent: the browser has kept what was written.

    A part of an open page is refused instead: a whole page would stand in its place.
    """
    if is_part(request):
        return show_problem(request, session_ended())
    return lead(request, address("sign-in", next=place_of(request)))


def session_ended() -> Unauthenticated:
    return Unauthenticated("Your session has ended: sign in again.")


async def go_home(request: Request) -> Response:
    return lead(request, HOME)


async def _find_project(visit: Visit) -> None:
    """Raises NotFound unless there is the project of the address, and it is the caller's."""
    wanted = visit.request.path_params.get("project")
    if wanted is not None:
        await visit.api.check_project(str(wanted), visit.caller)


async def _look_around(visit: Visit) -> None:
    """What pages show around themselves: the projects of the caller, the one of the address, and
    the views of it. Raises NotFound.
    """
    visit.projects = await visit.ask(list_project_names, only=visit.caller.projects, limit=NAMED)
    wanted = visit.request.path_params.get("project")
    if wanted is not None:
        await _find_project(visit)
        named = [each for each in visit.projects if each.project_id == wanted]
        named = named or await visit.ask(list_project_names, only=[str(wanted)])
        if not named:  # deleted just now, elsewhere
            raise NotFound(f"There is no project {wanted}.", code="unknown_project")
        visit.project = named[0]
        if not is_part(visit.request):
            visit.views = await visit.ask(list_views, wanted, visit.caller.token_id)


async def _write(visit: Visit, make: Make, operation: str, page: Make | None) -> Response:
    """Do what a form asks for, or say why not; its row is in the audit log before anything is done.

    Raises Refusal for what was not begun.
    """
    visit.form = await read_form(visit.request)
    check_form(visit.request, visit.form, visit.cookie)
    visit.form["key"] = visit.form.get("key") or draw_key()
    check_given_key(visit.form["key"])
    given = visit.form.get("reason", "").strip()[:LONGEST_REASON]
    reason = redactor_of(visit.api.settings).text(given) if given else ""
    entry = audit_entry(visit.request, visit.caller, operation, visit.form["key"], reason)
    begun = await visit.ask(begin_write, None, entry)
    try:
        response, code = await make(visit), "done"
    except Exception as error:
        response, code = await _refuse(visit, error, page), code_of(error)
    await visit.ask(end_write, begun.written, Outcome(response.status_code, code))
    return response


async def _refuse(visit: Visit, error: Exception, page: Make | None) -> Response:
    """The page of the form with what was sent, if it can be shown, or a page of the problem."""
    with suppress(Unavailable):
        await _look_around(visit)
    if page and isinstance(error, REFUSED):
        visit.problem, _ = problem_of(error, visit.request)
        with suppress(*REFUSED):  # the item is gone, or the address of its page says nonsense
            return await page(visit)
        visit.problem = None
    return show_problem(visit.request, error, visit)


def _number(name: str, given: str | None) -> int | None:
    if not given:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) < 10):
        raise Invalid(f"Give a whole number for {words(name)}.", code="invalid_request")
    return int(given)


def _told(request: Request) -> str:
    fields = parse_qs("=" + request.cookies.get(TOLD_COOKIE, ""), errors="replace")
    return fields.get("", [""])[0]
