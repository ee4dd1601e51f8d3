"""Sign in with a token of the API or with a link, and sign out."""

from __future__ import annotations

import secrets

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.http.access import EVERYONE
from infra.http.api import api_of
from infra.http.auth import caller_of
from infra.http.bodies import check_text
from infra.http.console.pages import (
    Pages,
    Visit,
    check_form,
    lead,
    own_place,
    read_form,
    set_cookie,
    show,
    show_problem,
)
from infra.http.console.rendering import address
from infra.http.problems import Unauthenticated, is_expected, problem_of
from infra.service.sessions import VALID_S
from infra.service.tokens import Caller

pages = Pages()
FORM_S = 3_600


async def show_sign_in(request: Request) -> Response:
    """The form; with ``code`` in the address that of a sign-in link, which a click redeems."""
    try:
        check_text(request)
    except Exception as error:
        if not is_expected(error):
            raise
        return show_problem(request, error)
    if caller_of(request.scope) and not request.query_params.get("code"):
        return lead(request, own_place(request.query_params.get("next", "")))
    return _show_form(request, request.query_params.get("next", ""))


async def sign_in(request: Request) -> Response:
    """Begin a session: the token is shown once, and does not stay in the browser."""
    request.state.operation = "console_sign_in"
    form: dict[str, str] = {}
    try:
        form = await read_form(request)
        check_form(request, form, request.cookies.get(_form_cookie(request), ""))
        caller = await _find(request, form)
    except Exception as error:
        if not is_expected(error):
            raise
        status = problem_of(error, "")[0].status
        return _show_form(request, form.get("next", ""), problem=str(error), status=status)
    sessions = api_of(request).sessions
    response = lead(request, own_place(form.get("next", "")))
    name = sessions.cookie(request.url.scheme)
    set_cookie(request, response, name, sessions.create(caller), VALID_S)
    _delete(request, response, _form_cookie(request))
    return response


pages.routes += [
    Route("/sign-in", show_sign_in, methods=["GET"]),
    Route("/sign-in", sign_in, methods=["POST"]),
]


@pages.act("/sign-out", *EVERYONE)
async def sign_out(visit: Visit) -> Response:
    """End the session, and forget it in this browser."""
    sessions = visit.api.sessions
    sessions.end(visit.cookie)
    response = lead(visit.request, address("sign-in"))
    _delete(visit.request, response, sessions.cookie(visit.request.url.scheme))
    return response


async def _find(request: Request, form: dict[str, str]) -> Caller:
    """Whose token, or link, was sent. Raises Unauthenticated."""
    api = api_of(request)
    if code := form.get("code"):
        link = api.sessions.redeem(code)
        caller = await api.callers.find_by_id(link.token_id) if link else None
        if caller is None:
            raise Unauthenticated(
                "This link was used already or is older than ten minutes: sign in with a token."
            )
        return caller
    caller = await api.callers.find(form.get("token", "").strip())
    if caller is None:
        raise Unauthenticated("This token is not valid: it may be mistyped, revoked or expired.")
    return caller


def _show_form(
    request: Request, next_place: str, *, problem: str = "", status: int = 200
) -> Response:
    drawn = request.cookies.get(_form_cookie(request)) or secrets.token_urlsafe(18)
    response = show(
        request,
        "sign_in.html",
        answer=status,
        problem=problem,
        code="" if problem else request.query_params.get("code", ""),
        next_place=next_place,
        form_mark=api_of(request).sessions.form_mark(drawn),
    )
    set_cookie(request, response, _form_cookie(request), drawn, FORM_S)
    return response


def _form_cookie(request: Request) -> str:
    return f"{api_of(request).sessions.cookie(request.url.scheme)}_form"


def _delete(request: Request, response: Response, name: str) -> None:
    response.delete_cookie(name, path="/", secure=request.url.scheme == "https")
