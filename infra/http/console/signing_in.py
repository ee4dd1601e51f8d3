"""Sign in with a token of the API or with a link, see and end sessions."""

from __future__ import annotations

import secrets

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.http.access import EVERYONE
from infra.http.api import api_of
from infra.http.auth import caller_of
from infra.http.bodies import check_text
from infra.http.console.browser import check_form, own_place, read_form, session_cookie, set_cookie
from infra.http.console.page_context import PageContext, redirect, show
from infra.http.console.pages import Pages, show_problem
from infra.http.console.rendering import address
from infra.http.problems import Unauthenticated, is_expected, status_of
from infra.http.writes import audit_entry
from infra.platform.machine_paths import hide_paths
from infra.service.access.sessions import NewSession, begin_session, browser_of, is_drawn
from infra.service.foundation.publishing import draw_key
from infra.store.sessions import (
    VALID_S,
    end_all_sessions,
    end_session,
    end_session_of,
    list_sessions,
    redeem_link,
    session_of,
)
from infra.store.tokens import Caller

pages = Pages()
FORM_S = 3_600
SESSIONS_SHOWN = 50


async def show_sign_in(request: Request) -> Response:
    """The form; with ``code`` in the address that of a sign-in link, which a click redeems."""
    try:
        check_text(request)
    except Exception as error:
        if not is_expected(error):
            raise
        return show_problem(request, error)
    if caller_of(request.scope) and not request.query_params.get("code"):
        return redirect(request, own_place(request.query_params.get("next", "")))
    return show_form(request, request.query_params.get("next", ""))


async def sign_in(request: Request) -> Response:
    """Begin a session: the token is shown once, and does not stay in the browser."""
    request.state.operation = "console_sign_in"
    form: dict[str, str] = {}
    try:
        form = await read_form(request)
        check_form(request, form, request.cookies.get(_form_cookie(request), ""))
        caller = await _find(request, form)
        response = await begin(request, caller, form.get("next", ""))
    except Exception as error:
        if not is_expected(error):
            raise
        status, told = status_of(error), hide_paths(str(error))
        return show_form(request, form.get("next", ""), problem=told, status=status)
    delete_cookie(request, response, _form_cookie(request))
    return response


async def begin(request: Request, caller: Caller, next_place: str, flow: str = "") -> Response:
    """Lead to ``next_place`` with the cookie of a new session. Raises DatabaseUnavailable.

    ``flow``: the sign-in with an issuer that it comes from; Conflict when it was finished before.
    """
    api, earlier = api_of(request), session_cookie(request)
    new = NewSession(browser_of(request.headers.get("user-agent", "")), earlier, flow)
    entry = audit_entry(request, caller, request.state.operation, draw_key())
    cookie = await api.tables.ask(begin_session, caller, new, entry)
    api.callers.forget()  # whom the earlier cookie showed
    response = redirect(request, own_place(next_place))
    set_cookie(request, response, api.sessions.cookie(request.url.scheme), cookie, VALID_S)
    return response


pages.routes += [
    Route("/sign-in", show_sign_in, methods=["GET"]),
    Route("/sign-in", sign_in, methods=["POST"]),
]


@pages.act("/sign-out", *EVERYONE)
async def sign_out(visit: PageContext) -> Response:
    """End the session, and forget it in this browser."""
    await visit.ask(end_session, visit.cookie)
    return _forget_cookie(visit)


@pages.show("/session", *EVERYONE, is_for_scripts=True)
async def check_session(visit: PageContext) -> Response:
    """Whether a form that is sent now would find its session."""
    return Response(status_code=204, headers={"cache-control": "no-store"})


@pages.show("/sessions", *EVERYONE)
async def show_sessions(visit: PageContext) -> Response:
    """Where one is signed in; an owner of all projects sees where everybody is."""
    listed = await visit.ask(
        list_sessions, visit.caller, cursor=visit.asked("cursor"), limit=SESSIONS_SHOWN
    )
    here = await visit.ask(session_of, visit.cookie)
    return visit.show("sessions.html", listed=listed, here_id=here)


@pages.act("/sessions/end", *EVERYONE)
async def end_one(visit: PageContext) -> Response:
    """End one session that the caller may end."""
    await visit.ask(end_session_of, visit.sent_number("session") or 0, visit.caller)
    visit.api.callers.forget()
    return visit.go("sessions", told="The session has ended.")


@pages.act("/sessions/end-all", *EVERYONE)
async def end_all(visit: PageContext) -> Response:
    """Sign out in every browser, this one too."""
    await visit.ask(end_all_sessions, visit.caller)
    return _forget_cookie(visit)


async def _find(request: Request, form: dict[str, str]) -> Caller:
    """Whose token, or link, was sent. Raises Unauthenticated."""
    api = api_of(request)
    if code := form.get("code"):
        caller = await api.tables.ask(redeem_link, code) if is_drawn(code) else None
        if caller is None:
            raise Unauthenticated(
                "This link was used already or is older than ten minutes: sign in with a token."
            )
        return caller
    caller = await api.callers.find(form.get("token", "").strip())
    if caller is None:
        raise Unauthenticated("This token is not valid: it may be mistyped, revoked or expired.")
    return caller


def show_form(
    request: Request, next_place: str, *, problem: str = "", status: int = 200
) -> Response:
    drawn = request.cookies.get(_form_cookie(request)) or secrets.token_urlsafe(18)
    sign_in = api_of(request).sign_in
    response = show(
        request,
        "sign_in.html",
        answer=status,
        problem=problem,
        code="" if problem else request.query_params.get("code", ""),
        next_place=next_place,
        issuer=sign_in.name if sign_in else "",
        form_mark=api_of(request).sessions.form_mark(drawn),
    )
    set_cookie(request, response, _form_cookie(request), drawn, FORM_S)
    return response


def _forget_cookie(visit: PageContext) -> Response:
    """Lead to the sign-in: the session of this browser is over."""
    visit.api.callers.forget()
    response = redirect(visit.request, address("sign-in"))
    delete_cookie(visit.request, response, visit.api.sessions.cookie(visit.request.url.scheme))
    return response


def _form_cookie(request: Request) -> str:
    return f"{api_of(request).sessions.cookie(request.url.scheme)}_form"


def delete_cookie(request: Request, response: Response, name: str) -> None:
    response.delete_cookie(name, path="/", secure=request.url.scheme == "https")
