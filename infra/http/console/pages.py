"""Every page and every form of the console: who may ask for it is checked before it is made.

A page is a function that takes a `PageContext` and returns what `PageContext.show` or
`PageContext.go` made. A form is done once it has proven that a page of this session sent it, and
each one is in the audit log before it is done. What is refused is a page, too; beside an open page
it is a part of it, and an open page that asks what is new stays as it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.http.access import check_role
from infra.http.api import api_of
from infra.http.auth import caller_of, is_of_console
from infra.http.bodies import check_text
from infra.http.console.browser import (
    HOME,
    check_form,
    is_beside,
    is_part,
    is_write,
    place_of,
    read_form,
)
from infra.http.console.page_context import LONGEST_REASON, PageContext, redirect, show
from infra.http.console.rendering import address
from infra.http.problems import Unauthenticated, code_of, is_expected, problem_of
from infra.http.writes import audit_entry, check_given_key, record_refusal
from infra.platform.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from infra.platform.log import get
from infra.service.foundation.publishing import draw_key, redactor_of
from infra.store.requests import Outcome, begin_write, end_write
from infra.store.tokens import ApiRole

log = get("console")

Make = Callable[[PageContext], Awaitable[Response]]
# A form, for what it says; or nobody has answered it, and it may be sent again as it is.
REFUSED = (Conflict, Invalid, NotFound, Unavailable)


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
            visit: PageContext | None = None
            try:
                check_text(request)
                caller = caller_of(request.scope)
                if caller is None and is_for_scripts:
                    raise session_ended()
                if caller is None:
                    return ask_to_sign_in(request)
                visit = PageContext(request, api_of(request), caller)
                await (visit.check_project() if writes else visit.look_around())
                check_role(caller, roles)
                return await (_write(visit, make, operation, page) if writes else make(visit))
            except Exception as error:
                if writes and visit:
                    if isinstance(error, Forbidden):
                        await record_refusal(request, operation, error)
                    with suppress(NotFound, Unavailable):
                        await visit.look_around()
                return show_problem(request, error, visit)

        method = "POST" if writes else "GET"
        self.routes.append(Route(path, answer, methods=[method], name=operation))


def show_problem(request: Request, error: Exception, visit: PageContext | None = None) -> Response:
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


def ask_to_sign_in(request: Request) -> Response:
    """Lead to the sign-in, and from there back to the page that was asked for, or to that of the
    form that was sent: the browser has kept what was written.

    A part of an open page is refused instead: a whole page would stand in its place.
    """
    if is_part(request):
        return show_problem(request, session_ended())
    return redirect(request, address("sign-in", next=place_of(request)))


def session_ended() -> Unauthenticated:
    return Unauthenticated("Your session has ended: sign in again.")


async def go_home(request: Request) -> Response:
    return redirect(request, HOME)


async def _write(visit: PageContext, make: Make, operation: str, page: Make | None) -> Response:
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


async def _refuse(visit: PageContext, error: Exception, page: Make | None) -> Response:
    """The page of the form with what was sent, if it can be shown, or a page of the problem."""
    with suppress(Unavailable):
        await visit.look_around()
    if page and isinstance(error, REFUSED):
        visit.problem, _ = problem_of(error, visit.request)
        with suppress(*REFUSED):  # the item is gone, or the address of its page says nonsense
            return await page(visit)
        visit.problem = None
    return show_problem(visit.request, error, visit)
