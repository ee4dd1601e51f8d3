"""What a browser sends to the console: its cookie, a form, and the page that it shows."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from infra.http.api import api_of
from infra.http.auth import CONSOLE, caller_of
from infra.http.bodies import BODY_BYTES, UNKNOWN_BYTES
from infra.http.problems import Malformed
from infra.http.receiving import receive_body
from infra.platform.errors import Forbidden

FORM_TYPE = "application/x-www-form-urlencoded"
MOST_FIELDS = 50
HOME = f"{CONSOLE}/projects"
SIGN_IN = f"{CONSOLE}/sign-in"


def set_cookie(
    request: Request, response: Response, name: str, value: str, age_s: int, path: str = "/"
) -> None:
    """Every cookie of the console: no script reads it, and no page of others sends it along with a
    form.
    """
    secure = request.url.scheme == "https"
    response.set_cookie(
        name, value, max_age=age_s, path=path, httponly=True, samesite="lax", secure=secure
    )


def session_cookie(request: Request) -> str:
    """Empty when there is none."""
    return request.cookies.get(api_of(request).sessions.cookie(request.url.scheme), "")


def is_part(request: Request) -> bool:
    """Whether a script of an open page asks, for a part of it."""
    return "hx-request" in request.headers


def is_beside(request: Request) -> bool:
    """Whether it is to be shown beside a page that is open."""
    return request.headers.get("hx-target", "").endswith("#beside")


def is_write(request: Request) -> bool:
    return request.method == "POST"


def place_of(request: Request) -> str:
    """The page that is asked for; of a form, the one that it stands on."""
    if is_write(request):
        found = urlsplit(request.headers.get("referer", ""))
        return own_place(f"{found.path}{'?' if found.query else ''}{found.query}")
    return f"{request.url.path}{'?' if request.url.query else ''}{request.url.query}"


def own_place(place: str) -> str:
    """Where to go on: ``place`` if it is a page of the console and not the sign-in, else the first
    page.
    """
    is_ours = place.startswith(CONSOLE + "/") and not place.startswith(SIGN_IN)
    is_plain = place.isprintable() and "\\" not in place and "/.." not in unquote(place)
    return place if is_ours and is_plain else HOME


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, each once, without what no use case can store. Raises Refusal."""
    if request.headers.get("content-type", "").partition(";")[0] != FORM_TYPE:
        raise Malformed("A form is sent as its page sends it.", code="malformed_request")
    body = await receive_body(request, BODY_BYTES if caller_of(request.scope) else UNKNOWN_BYTES)
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


def check_form(request: Request, form: dict[str, str], cookie: str) -> None:
    """Raises Forbidden for a form that no page made for this cookie has sent."""
    if not cookie or not api_of(request).sessions.is_form_mark(cookie, form.get("mark", "")):
        raise Forbidden(
            "This form was not made for your session: open its page again, then send it.",
            code="form_not_of_session",
        )
