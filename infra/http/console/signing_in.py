"""Sign in with a token of the API or with a link, sign out, and choose how pages look."""

from __future__ import annotations

import secrets

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.errors import Invalid
from infra.http.access import EVERYONE
from infra.http.api import api_of
from infra.http.auth import CONSOLE, caller_of
from infra.http.bodies import check_text
from infra.http.console.pages import (
    KEYS_COOKIE,
    THEME_COOKIE,
    THEMES,
    Pages,
    Visit,
    check_form,
    lead,
    read_form,
    show,
    show_problem,
)
from infra.http.console.rendering import address
from infra.http.problems import Unauthenticated, is_expected
from infra.service.sessions import VALID_S
from infra.service.tokens import Caller

pages = Pages()
KEPT_S = 365 * 86_400
HOME = f"{CONSOLE}/projects"


async def show_sign_in(request: Request) -> Response:
    """The form; with ``code`` in the address that of a sign-in link, which a click redeems."""
    try:
        check_text(request)
    except Exception as error:
        if not is_expected(error):
            raise
        return show_problem(request, error)
    if caller_of(request.scope) and not request.query_params.get("code"):
        return lead(_back(request.query_params.get("next", "")))
    return _show_form(request)


async def sign_in(request: Request) -> Response:
    """Begin a session: the token is shown once, and does not stay in the browser."""
    request.state.operation = "console_sign_in"
    try:
        form = await read_form(request)
        check_form(request, form, _form_cookie(request))
        caller = await _find(request, form)
    except Exception as error:
        if not is_expected(error):
            raise
        return _show_form(request, problem=str(error), status=401)
    api = api_of(request)
    response = lead(_back(form.get("next", "")))
    _set(request, response, api.sessions.cookie, api.sessions.create(caller), VALID_S)
    response.delete_cookie(_form_cookie(request), path="/")
    return response


pages.routes += [
    Route("/sign-in", show_sign_in, methods=["GET"]),
    Route("/sign-in", sign_in, methods=["POST"]),
]


@pages.act("/sign-out", *EVERYONE)
async def sign_out(visit: Visit) -> Response:
    """Forget the session in this browser."""
    response = lead(address("sign-in"))
    response.delete_cookie(visit.api.sessions.cookie, path="/")
    return response


@pages.act("/preferences", *EVERYONE)
async def set_preferences(visit: Visit) -> Response:
    """Keep the theme, and whether single keys do something, in this browser."""
    theme, keys = visit.form.get("theme", "system"), visit.form.get("keys", "on")
    if theme not in THEMES or keys not in ("on", "off"):
        raise Invalid("There is no such theme.", code="invalid_request")
    response = lead(_back(visit.form.get("back", "")))
    _set(visit.request, response, THEME_COOKIE, theme, KEPT_S)
    _set(visit.request, response, KEYS_COOKIE, keys, KEPT_S)
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


def _show_form(request: Request, *, problem: str = "", status: int = 200) -> Response:
    drawn = request.cookies.get(_form_cookie(request)) or secrets.token_urlsafe(18)
    response = show(
        request,
        "sign_in.html",
        answer=status,
        problem=problem,
        code="" if problem else request.query_params.get("code", ""),
        next_place=request.query_params.get("next", ""),
        form_mark=api_of(request).sessions.form_mark(drawn),
    )
    _set(request, response, _form_cookie(request), drawn, 3_600)
    return response


def _form_cookie(request: Request) -> str:
    return f"{api_of(request).sessions.cookie}_form"


def _set(request: Request, response: Response, name: str, value: str, age_s: int) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(
        name, value, max_age=age_s, path="/", httponly=True, samesite="lax", secure=secure
    )


def _back(place: str) -> str:
    """Where to go on: a page of the console, and nowhere else."""
    is_ours = place.startswith(CONSOLE + "/") and place.isprintable() and "\\" not in place
    return place if is_ours and not place.startswith(address("sign-in")) else HOME
