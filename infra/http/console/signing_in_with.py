"""Sign in with the issuer that the settings name: the way there, and the way back.

Both are links, since a policy that lets forms go to this server alone also stops a form that is led
on to the issuer. The way back is proven by the cookie of the way there.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from infra.http.api import api_of
from infra.http.bodies import check_text
from infra.http.console.browser import own_place, set_cookie
from infra.http.console.page_context import HEADERS
from infra.http.console.pages import Pages
from infra.http.console.rendering import address
from infra.http.console.signing_in import begin, delete_cookie, show_form
from infra.http.problems import is_expected, status_of
from infra.platform.errors import NotFound
from infra.platform.machine_paths import hide_paths
from infra.service.access.oidc_sign_in import VALID_S, SignIn

pages = Pages()


async def go_to_issuer(request: Request) -> Response:
    """Lead to the issuer, which leads back."""
    next_place = own_place(request.query_params.get("next", ""))
    try:
        check_text(request)
        place, flow = await _sign_in(request).begin(_callback(request), next_place)
    except Exception as error:
        return _refuse(request, error, next_place)
    response = RedirectResponse(place, 303, HEADERS)
    set_cookie(request, response, _flow_cookie(request), flow, VALID_S)
    return response


async def come_back(request: Request) -> Response:
    """Begin the session of who was signed in by the issuer."""
    request.state.operation = "console_sign_in"
    try:
        check_text(request)
        flow = request.cookies.get(_flow_cookie(request), "")
        finished = await _sign_in(request).finish(flow, request.query_params, _callback(request))
        response = await begin(request, finished.caller, finished.next_place, finished.flow)
    except Exception as error:
        response = _refuse(request, error)
    delete_cookie(request, response, _flow_cookie(request))
    return response


pages.routes += [
    Route("/sign-in/issuer", go_to_issuer, methods=["GET"]),
    Route("/sign-in/callback", come_back, methods=["GET"]),
]


def _sign_in(request: Request) -> SignIn:
    """Raises NotFound where the settings name no issuer."""
    found = api_of(request).sign_in
    if found is None:
        raise NotFound("This installation signs nobody in with an issuer.", code="no_issuer")
    return found


def _refuse(request: Request, error: Exception, next_place: str = "") -> Response:
    """The form, with what was wrong in one sentence."""
    if not is_expected(error):
        raise error
    status, told = status_of(error), hide_paths(str(error))
    return show_form(request, next_place, problem=told, status=status)


def _callback(request: Request) -> str:
    """Where the issuer leads back to: the host was checked, and the scheme is the proxy's."""
    return f"{request.url.scheme}://{request.url.netloc}{address('sign-in', 'callback')}"


def _flow_cookie(request: Request) -> str:
    return f"{api_of(request).sessions.cookie(request.url.scheme)}_flow"
