"""Every page and every form of the console: who may ask for it is checked before it is made.

A page is a function that takes a `Visit` and returns what `Visit.show` or `Visit.go` made. A form
is done once it has proven that a page of this session sent it, and each one is in the audit log
before it is done. What is refused is a page, too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from infra.errors import Forbidden, Invalid
from infra.http.api import Api, api_of
from infra.http.auth import CONSOLE, caller_of
from infra.http.bodies import check_text
from infra.http.console.rendering import address, render
from infra.http.problems import (
    BodyTooLarge,
    Malformed,
    correlation_of,
    is_expected,
    problem_of,
)
from infra.log import get
from infra.service.http_questions import LARGEST_PAGE, Page, Project, list_projects
from infra.service.http_requests import AuditEntry, Outcome, begin_write, end_write, record_refused
from infra.service.publishing import check_key, draw_key
from infra.service.tokens import ApiRole, Caller

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "vary": "HX-Target, Cookie",
}
THEMES = ("system", "light", "dark")
THEME_COOKIE, KEYS_COOKIE, TOLD_COOKIE = "cairn_theme", "cairn_keys", "cairn_told"
FORM_TYPE = "application/x-www-form-urlencoded"
MOST_FORM_BYTES = 1_536 * 1024  # a section of 100,000 characters, each as up to 12 bytes
MOST_FIELDS = 50
TOLD_CHARS = 300

log = get("console")

Make = Callable[["Visit"], Awaitable[Response]]


@dataclass(slots=True)
class Visit:
    """A request of somebody who has signed in. ``project`` is that of the address, if it has one.

    ``form``: what was sent; ``key`` makes a write that is sent twice one write. ``refused``: the
    code of a refusal that is shown on the page of the form itself.
    """

    request: Request
    api: Api
    caller: Caller
    projects: list[Project] = field(default_factory=list)
    project: Project | None = None
    form: dict[str, str] = field(default_factory=dict)
    refused: str = ""

    @property
    def project_id(self) -> str:
        return str(self.request.path_params["project"])

    @property
    def key(self) -> str:
        return self.form.get("key") or draw_key()

    @property
    def is_beside(self) -> bool:
        """Whether it is to be shown beside a page that is open."""
        return self.request.headers.get("hx-target", "").endswith("#beside")

    def part(self, name: str) -> str:
        return str(self.request.path_params[name])

    def asked(self, name: str) -> str | None:
        """A parameter of the address; None when it is missing or empty."""
        return self.request.query_params.get(name) or None

    def asked_number(self, name: str) -> int | None:
        """Raises Invalid."""
        return _number(name, self.asked(name))

    def sent_number(self, name: str) -> int | None:
        """A number of the form; None when it is missing or empty. Raises Invalid."""
        return _number(name, self.form.get(name))

    async def ask(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await self.api.tables.ask(question, *args, **kwargs)

    def show(self, template: str, **values: Any) -> Response:
        """A page, with what all pages show."""
        return show(self.request, template, visit=self, **values)

    def go(self, *parts: str, told: str = "", **query: str | int | None) -> Response:
        """Lead to a page, which says ``told``."""
        return lead(address(*parts, **query), told)


class Pages:
    """The pages of one area."""

    def __init__(self) -> None:
        self.routes: list[BaseRoute] = []

    def show(self, path: str, *roles: ApiRole) -> Callable[[Make], Make]:
        """Declare a page; ``roles`` may open it."""

        def declare(make: Make) -> Make:
            self._add(path, make, roles, writes=False)
            return make

        return declare

    def act(self, path: str, *roles: ApiRole) -> Callable[[Make], Make]:
        """Declare what a form does; ``roles`` may send it."""

        def declare(make: Make) -> Make:
            self._add(path, make, roles, writes=True)
            return make

        return declare

    def _add(self, path: str, make: Make, roles: Sequence[ApiRole], *, writes: bool) -> None:
        operation = f"console_{make.__name__}"

        async def answer(request: Request) -> Response:
            request.state.operation = operation
            visit: Visit | None = None
            try:
                check_text(request)
                caller = caller_of(request.scope)
                if caller is None:
                    return ask_to_sign_in(request, writes=writes)
                visit = Visit(request, api_of(request), caller)
                await _look_around(visit)
                if caller.role not in roles:
                    raise Forbidden(
                        f"Your role is {caller.role}, and this needs one of {', '.join(roles)}.",
                        code="role_not_allowed",
                    )
                return await (_write(visit, make, operation) if writes else make(visit))
            except Exception as error:
                if not is_expected(error):
                    log.exception("http.failed", path=request.url.path)
                if writes and visit and isinstance(error, Forbidden):
                    entry = _entry(visit, operation, "")
                    await visit.ask(record_refused, entry, Outcome(403, error.code))
                return show_problem(request, error, visit)

        method = "POST" if writes else "GET"
        self.routes.append(Route(path, answer, methods=[method], name=operation))


def show(request: Request, template: str, *, answer: int = 200, **values: Any) -> Response:
    sessions = api_of(request).sessions
    cookie = request.cookies.get(sessions.cookie, "")
    theme = request.cookies.get(THEME_COOKIE, "")
    shown = {
        "visit": None,
        "here": f"{request.url.path}{'?' if request.url.query else ''}{request.url.query}",
        "theme": theme if theme in THEMES else "system",
        "single_keys": request.cookies.get(KEYS_COOKIE) != "off",
        "form_mark": sessions.form_mark(cookie),
        "draw_key": draw_key,
        "told": _told(request),
    }
    response = Response(render(template, **(shown | values)), answer, HEADERS, "text/html")
    if TOLD_COOKIE in request.cookies and not request.headers.get("hx-request"):
        response.delete_cookie(TOLD_COOKIE, path=CONSOLE)
    return response


def show_problem(request: Request, error: Exception, visit: Visit | None = None) -> Response:
    """The page of what was not done, in the words of the API."""
    problem, headers = problem_of(error, correlation_of(request.scope))
    response = show(
        request, "problem.html", answer=problem.status, visit=visit, problem=problem, told=""
    )
    response.headers.update({n: v for n, v in headers.items() if n != "www-authenticate"})
    return response


def lead(place: str, told: str = "") -> Response:
    """Lead the browser to a page; ``told`` is what it says at its top, once."""
    response = RedirectResponse(place, 303, HEADERS)
    if told:
        said = urlencode({"": told[:TOLD_CHARS]})[1:]
        response.set_cookie(
            TOLD_COOKIE, said, max_age=60, path=CONSOLE, httponly=True, samesite="strict"
        )
    return response


def ask_to_sign_in(request: Request, *, writes: bool = False) -> Response:
    """Lead to the sign-in, and from there back to the page that was asked for."""
    query = f"?{request.url.query}" if request.url.query else ""
    back = None if writes or request.url.path == CONSOLE else request.url.path + query
    return lead(address("sign-in", next=back))


async def go_home(request: Request) -> Response:
    return lead(f"{CONSOLE}/projects")


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, each once, without what no use case can store. Raises Refusal."""
    if request.headers.get("content-type", "").partition(";")[0] != FORM_TYPE:
        raise Malformed("A form is sent as its page sends it.", code="malformed_request")
    body = await request.body()
    if len(body) > MOST_FORM_BYTES:
        raise BodyTooLarge(f"A form has at most {MOST_FORM_BYTES // 1024} KiB.")
    try:
        fields = parse_qs(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError as error:
        raise Malformed("The form cannot be read.", code="malformed_request") from error
    if any("\0" in value for values in fields.values() for value in values):
        raise Malformed("A text holds no NUL character.", code="nul_not_allowed")
    # Browsers send the ends of lines as CR LF.
    return {name: values[0].replace("\r\n", "\n") for name, values in fields.items()}


def check_form(request: Request, form: dict[str, str], cookie_name: str) -> None:
    """Raises Forbidden for a form that no page made for this cookie has sent."""
    sessions = api_of(request).sessions
    cookie = request.cookies.get(cookie_name, "")
    if not cookie or not sessions.is_form_mark(cookie, form.get("mark", "")):
        raise Forbidden(
            "This form was not made for your session: open its page again, then send it.",
            code="form_not_of_session",
        )


async def _look_around(visit: Visit) -> None:
    """The projects of the caller, and the one of the address. Raises NotFound."""
    page: Page[Project] = await visit.ask(
        list_projects, only=visit.caller.projects, limit=LARGEST_PAGE
    )
    visit.projects = page.items
    wanted = visit.request.path_params.get("project")
    if wanted is not None:
        await visit.api.check_project(str(wanted), visit.caller)
        found: Page[Project] = await visit.ask(list_projects, only=[str(wanted)], limit=1)
        visit.project = found.items[0]


async def _write(visit: Visit, make: Make, operation: str) -> Response:
    """Do what a form asks for; its row is in the audit log before anything is done."""
    visit.form = await read_form(visit.request)
    check_form(visit.request, visit.form, visit.api.sessions.cookie)
    visit.form["key"] = visit.key
    check_key(visit.form["key"])
    begun = await visit.ask(begin_write, None, _entry(visit, operation, visit.form["key"]))
    outcome = Outcome(500, "internal_error")
    try:
        response = await make(visit)
        outcome = Outcome(response.status_code, visit.refused or "done")
        return response
    except Exception as error:
        if is_expected(error):
            problem, _ = problem_of(error, "")
            outcome = Outcome(problem.status, problem.code)
        raise
    finally:
        await visit.ask(end_write, begun.audit_id, outcome)


def _entry(visit: Visit, operation: str, key: str) -> AuditEntry:
    return AuditEntry(
        project_id=visit.project.project_id if visit.project else None,
        token_id=visit.caller.token_id,
        actor=visit.caller.name,
        role=visit.caller.role,
        operation=operation,
        path=visit.request.url.path[:500],
        key=key,
        correlation_id=correlation_of(visit.request.scope),
    )


def _number(name: str, given: str | None) -> int | None:
    if not given:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) < 10):
        raise Invalid(f"{name} is a number.", code="invalid_request")
    return int(given)


def _told(request: Request) -> str:
    fields = parse_qs("=" + request.cookies.get(TOLD_COOKIE, ""), errors="replace")
    return fields.get("", [""])[0]
