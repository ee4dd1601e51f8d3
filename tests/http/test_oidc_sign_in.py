"""Sign in to the console with an issuer on this machine, and what attackers try on the way back."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import httpx2
import pytest
from starlette.testclient import TestClient

from infra.http.app import create_app
from infra.platform.errors import Forbidden, Invalid, Unavailable
from infra.platform.settings import Settings, SettingsError
from infra.service.access.oidc import Issuer
from infra.service.access.oidc_sign_in import VALID_S, SignIn
from infra.service.access.tokens import read_owner_token
from tests.http.apart import Apart, apart
from tests.http.conftest import PATIENCE_S
from tests.http.console import CONSOLE, Page
from tests.http.issuer import CLIENT, FORGED, SECRET, Served, serving, signed_with_public_key

pytestmark = pytest.mark.broker
HOME, SIGN_IN, SESSIONS = f"{CONSOLE}/projects", f"{CONSOLE}/sign-in", f"{CONSOLE}/sessions"
START = f"{SIGN_IN}/issuer"
CALLBACK = "http://localhost/console/sign-in/callback"
ADDRESSES = itertools.count(1)


def saying(**more: Any) -> Callable[[Served, dict[str, Any]], str]:
    """A token with other claims, key or algorithm."""
    return lambda issuer, claims: issuer.token(**claims | more)


WRONG: dict[str, Callable[[Served, dict[str, Any]], str]] = {
    "another nonce": saying(nonce="another"),
    "no nonce": saying(nonce=None),
    "another audience": saying(aud="elsewhere"),
    "no audience": saying(aud=None),
    "several audiences": saying(aud=[CLIENT, "elsewhere"]),
    "another party": saying(azp="elsewhere"),
    "another issuer": saying(iss="https://evil.example"),
    "expired": saying(exp=time.time() - 120),
    "without an end": saying(exp=None),
    "without a beginning": saying(iat=None),
    "of tomorrow": saying(iat=time.time() + 86_400),
    "no subject": saying(sub=None),
    "alg none": saying(key=None, algorithm="none"),
    "another key": saying(key=FORGED),
    "unknown key": saying(key=FORGED, kid="two"),
    "public key as secret": lambda issuer, claims: signed_with_public_key(issuer.token(**claims)),
    "no token": lambda issuer, claims: "a.b.c",
}


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.fixture
def issuer(served: Served) -> Served:
    """As it begins, in each test."""
    for name, value in vars(Served(url=served.url)).items():
        setattr(served, name, value)
    return served


@pytest.fixture(scope="module")
def one(
    installation: Settings, served: Served, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Apart]:
    """A web process that signs in with the issuer."""
    home = tmp_path_factory.mktemp("issuer")
    secret = home / "secret"
    secret.write_text(SECRET + "\n")
    named = {"oidc_issuer": served.url, "oidc_client_id": CLIENT, "oidc_client_secret_file": secret}
    with apart(installation, home, **named) as made:
        yield made


@pytest.fixture
def settings(one: Apart) -> Settings:
    return one.settings


@pytest.fixture
def client(one: Apart, issuer: Served) -> TestClient:
    return browser_at(one)


def browser_at(process: Apart | Settings) -> TestClient:
    """A browser without a session, at a web process that runs, or at a new one."""
    app = create_app(process) if isinstance(process, Settings) else process.app
    address = f"10.0.0.{next(ADDRESSES)}"  # of its own, since strangers share the rate of one
    origin = {"origin": "http://localhost"}
    return TestClient(app, "http://localhost", headers=origin, client=(address, 1))


def go(client: TestClient, **asked: str) -> str:
    """To the issuer, where somebody says yes; the address that it leads the browser back to."""
    there = client.get(START, params=asked, follow_redirects=False)
    assert there.status_code == 303, there.text
    back = httpx.get(there.headers["location"], timeout=PATIENCE_S)
    assert back.headers["location"].startswith(CALLBACK)
    return back.headers["location"]


def changed(address: str, **answer: str | None) -> str:
    """The address that the issuer leads back to, with another answer."""
    said = dict(parse_qsl(urlsplit(address).query)) | answer
    return f"{CALLBACK}?{urlencode({name: it for name, it in said.items() if it is not None})}"


def sign_in(client: TestClient, **asked: str) -> httpx2.Response:
    return client.get(go(client, **asked), follow_redirects=False)


def check_refused(client: TestClient, answer: httpx2.Response, words: str, status: int = 403):
    """It is one sentence on the sign-in page, and there is no session."""
    page = Page(answer.text)
    assert answer.status_code == status and words in page.text, answer.text
    assert page.all("input") and "Sign in to Cairn" in page.text
    assert client.get(HOME).url.path == SIGN_IN


def test_who_the_issuer_knows_is_signed_in_by_name(client: TestClient, issuer: Served, one: Apart):
    page = Page(client.get(f"{SIGN_IN}?next={SESSIONS}").text)
    named = f"Sign in with {urlsplit(issuer.url).netloc}"
    (way,) = [it["href"] for it in page.all("a") if it["href"].startswith(START)]
    assert named in page.text and "next=%2Fconsole%2Fsessions" in way
    back = sign_in(client, next=SESSIONS)
    assert (back.status_code, back.headers["location"]) == (303, SESSIONS)
    kept = [it.partition(";")[0] for it in back.headers.get_list("set-cookie") if "Max-Age=0" in it]
    assert [it.partition("=")[0].endswith("_flow") for it in kept] == [True]
    shown = Page(client.get(SESSIONS).text)
    assert "all sessions of ana" in shown.text and "Signed in as ana, product manager" in shown.text
    elsewhere = browser_at(one.settings)
    elsewhere.cookies.update(dict(client.cookies))
    assert elsewhere.get(HOME).url.path == HOME
    out = client.post(f"{CONSOLE}/sign-out", data=shown.fields(f"{CONSOLE}/sign-out"))
    assert out.url.path == SIGN_IN and client.get(HOME).url.path == SIGN_IN
    audited = "SELECT DISTINCT operation FROM audit_log WHERE actor = 'ana' ORDER BY 1"
    assert one.rows(audited) == [("console_sign_in",), ("console_sign_out",)]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"state": "A" * 43}, "This answers another sign-in"),
        ({"state": None}, "This answers another sign-in"),
        ({"state": "é"}, "This answers another sign-in"),
        ({"iss": "https://evil.example"}, "Another issuer has answered"),
        ({"error": "access_denied", "code": None}, "has not signed you in (access_denied)"),
        ({"error": "<script>alert(1)</script>"}, "has not signed you in (no reason)"),
        ({"code": None}, "The issuer has sent no code"),
        ({"code": "made up"}, "does not take its code again"),
    ],
    ids=["state", "stateless", "accented", "issuer", "denied", "hostile", "codeless", "invented"],
)
def test_an_answer_that_is_not_the_issuers_to_this_browser_is_refused(
    client: TestClient, answer: dict[str, str | None], words: str
):
    check_refused(client, client.get(changed(go(client), **answer)), words)


def test_an_answer_of_another_browser_or_a_second_time_is_refused(
    client: TestClient, issuer: Served, one: Apart
):
    address = go(client)
    flow = dict(client.cookies)
    other = browser_at(one)
    check_refused(other, other.get(address), "not begun in this browser")
    go(other)  # it has begun a sign-in of its own
    check_refused(other, other.get(address), "This answers another sign-in")
    assert client.get(address, follow_redirects=False).status_code == 303
    again = browser_at(one)
    again.cookies.update(flow)
    check_refused(again, again.get(address), "does not take its code again")
    issuer.takes_codes_twice = True
    address = go(client)
    flow = dict(client.cookies)
    assert client.get(address, follow_redirects=False).status_code == 303
    again.cookies.clear()
    again.cookies.update(flow)
    again.cookies.delete(next(name for name in flow if name.count("_") == 1))
    check_refused(again, again.get(address), "finished before", 409)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_token_that_the_issuer_has_not_made_for_this_sign_in_is_refused(
    client: TestClient, issuer: Served, wrong: str
):
    issuer.make = lambda claims: WRONG[wrong](issuer, claims)
    check_refused(client, sign_in(client), "What the issuer says of you is not valid here")


def test_a_key_that_the_issuer_has_changed_is_found_at_once(settings: Settings, issuer: Served):
    client = browser_at(settings)
    assert sign_in(client).status_code == 303
    issuer.keys = {"two": FORGED}
    issuer.make = lambda claims: issuer.token(FORGED, "two", **claims)
    assert sign_in(client).status_code == 303
    issuer.make = None  # with the key that it has taken back
    client.cookies.clear()
    check_refused(client, sign_in(client), "is not valid here")


def test_an_issuer_that_names_itself_has_to_do_so(settings: Settings, issuer: Served):
    client = browser_at(settings)
    issuer.says = {"authorization_response_iss_parameter_supported": True}
    check_refused(client, sign_in(client), "Another issuer has answered")
    named = changed(go(client), iss=issuer.url)
    assert client.get(named, follow_redirects=False).status_code == 303


def test_who_has_no_role_is_not_let_in(settings: Settings, issuer: Served):
    ruled = settings.model_copy(
        update={"oidc_role_claim": "groups", "oidc_rules": "admins = owner *; the shop = pm prj_1"}
    )
    client = browser_at(ruled)
    for groups, found in (
        (["cats", "the shop"], "product manager"),
        (["the shop", "admins"], "owner"),
    ):
        issuer.make = lambda claims, told=groups: issuer.token(groups=told, **claims)
        sign_in(client)
        assert f"Signed in as ana, {found}" in Page(client.get(SESSIONS).text).text
    client.cookies.clear()
    issuer.make = lambda claims: issuer.token(groups=["cats"], cairn_role="owner", **claims)
    check_refused(client, sign_in(client), "no role of Cairn in its claim groups")
    for wrong in ("admins", "admins=king *", "admins=owner", "=owner *", "a=owner *;;b=pm *"):
        with pytest.raises(SettingsError, match="CAIRN_OIDC_RULES"):
            Issuer(settings.model_copy(update={"oidc_rules": wrong}))


@pytest.mark.parametrize(
    ("says", "answers"),
    [
        ({"token_endpoint": "http://10.0.0.1/token"}, {}),
        ({"jwks_uri": "http://localhost:PORT/keys"}, {}),
        ({"authorization_endpoint": "javascript:alert(1)"}, {}),
        ({"authorization_endpoint": ""}, {}),
        ({"issuer": "https://evil.example"}, {}),
        ({}, {"/keys": b"[" * 100_000}),
        ({}, {"/keys": json.dumps(Served().document("/keys")).encode() + b" " * 300_000}),
        ({}, {"/.well-known/openid-configuration": b"no document"}),
    ],
    ids=["token", "keys", "browser", "missing", "another", "nested", "large", "text"],
)
def test_an_issuer_that_cannot_be_trusted_is_away(
    settings: Settings, issuer: Served, says: dict[str, str], answers: dict[str, bytes]
):
    port = str(urlsplit(issuer.url).port)  # its own, by another name
    issuer.says = {name: value.replace("PORT", port) for name, value in says.items()}
    issuer.answers = answers
    known = SignIn(settings, Issuer(settings))
    for _ in range(3):
        with pytest.raises(Unavailable, match="does not answer as it should"):
            asyncio.run(known.begin(CALLBACK, HOME))
    assert len(issuer.asked) <= 2  # it is not asked again for every stranger


def test_without_the_issuer_a_token_still_signs_in(settings: Settings, issuer: Served):
    issuer.says = {"issuer": "https://evil.example"}
    client = browser_at(settings)
    answer = client.get(START, params={"next": SESSIONS})
    check_refused(client, answer, "does not answer as it should", 503)
    form = Page(client.get(SIGN_IN, params={"next": SESSIONS}).text).fields()
    assert Page(answer.text).fields()["next"] == SESSIONS
    sent = form | {"token": read_owner_token(settings)}
    assert client.post(SIGN_IN, data=sent).url.path == SESSIONS


@pytest.mark.parametrize(
    ("body", "words", "status"),
    [
        (b" " * 300_000, "does not answer as it should", 503),
        (b"[]", "does not take its code again", 403),
        (b'{"id_token": 1}', "does not take its code again", 403),
    ],
    ids=["too large", "a list", "a number"],
)
def test_an_answer_without_a_token_signs_nobody_in(
    client: TestClient, issuer: Served, body: bytes, words: str, status: int
):
    issuer.answers = {"/token": body}
    check_refused(client, sign_in(client), words, status)


def test_a_wrong_secret_is_told_to_who_runs_cairn(
    settings: Settings, issuer: Served, tmp_path: Path
):
    wrong = Settings.from_env({"CAIRN_OIDC_CLIENT_SECRET": "hunter2"})
    assert "hunter2" not in repr(wrong)
    changes = {"oidc_client_secret": wrong.oidc_client_secret}
    client = browser_at(settings.model_copy(update=changes))
    check_refused(client, sign_in(client), "does not take the client", 503)
    missing = settings.model_copy(update={"oidc_client_secret_file": tmp_path / "none"})
    with pytest.raises(Invalid, match="CAIRN_OIDC_CLIENT_SECRET_FILE"):
        create_app(missing)


def test_a_sign_in_ends_after_ten_minutes_and_its_cookie_cannot_be_made(
    settings: Settings, issuer: Served
):
    now = [1_000_000.0]
    known = SignIn(settings, Issuer(settings), lambda: now[0])

    def answer(cookie: str) -> None:
        asyncio.run(known.finish(cookie, {}, CALLBACK))

    _, cookie = asyncio.run(known.begin(CALLBACK, HOME))
    with pytest.raises(Forbidden, match="answers another"):
        answer(cookie)
    for forged in ("", cookie[:-1], "A" + cookie[1:]):
        with pytest.raises(Forbidden, match="not begun"):
            answer(forged)
    now[0] += VALID_S
    with pytest.raises(Forbidden, match="ten minutes ago"):
        answer(cookie)


def test_without_a_client_nobody_is_asked(settings: Settings, issuer: Served):
    client = browser_at(settings.model_copy(update={"oidc_client_id": None}))
    assert not [it for it in Page(client.get(SIGN_IN).text).all("a") if START in it["href"]]
    assert client.get(START).status_code == 404
    assert client.get(f"{CALLBACK}?code=1&state=1").status_code == 404
    assert not issuer.asked
