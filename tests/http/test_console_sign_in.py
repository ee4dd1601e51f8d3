"""Who has signed in to the console, for how long, and what a session and its cookie open."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from infra.http.app import create_app
from infra.platform.settings import Settings
from tests.http.conftest import PATIENCE_S, Called
from tests.http.console import CONSOLE, Browser, Page

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def home(shown: str) -> str:
    return f"{CONSOLE}/projects/{shown}"


def test_without_a_session_every_page_leads_to_the_sign_in_and_back(called: Called, home: str):
    with httpx.Client(
        base_url=called.url, headers={"origin": called.url}, timeout=PATIENCE_S
    ) as stranger:
        answer = stranger.get(f"{home}/ledger?kind=claim")
        assert answer.status_code == 303
        assert answer.headers["location"].startswith(f"{CONSOLE}/sign-in?next=%2Fconsole%2F")
        assert stranger.get(home, headers={"authorization": f"Bearer {called.token}"}).is_redirect
        assert stranger.get("/").headers["location"] == f"{CONSOLE}/projects"
        form = Page(stranger.get(answer.headers["location"]).text).fields()
        back = stranger.post(f"{CONSOLE}/sign-in", data=form | {"token": called.token})
        assert back.headers["location"] == f"{home}/ledger?kind=claim"
        cookie = next(it for it in back.headers.get_list("set-cookie") if "Max-Age=43200" in it)
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie
        assert called.token not in cookie


@pytest.mark.parametrize(
    "next_place",
    [
        "https://evil.example",
        "//evil.example",
        "/v1/tokens",
        "/console/../v1/tokens",
        "/console/%2e%2e/v1/tokens",
        "/console/\\evil.example",
    ],
)
def test_a_sign_in_leads_to_no_other_place(called: Called, next_place: str):
    with httpx.Client(
        base_url=called.url, headers={"origin": called.url}, timeout=PATIENCE_S
    ) as stranger:
        form = Page(stranger.get(f"{CONSOLE}/sign-in").text).fields()
        sent = form | {"token": called.token, "next": next_place}
        answer = stranger.post(f"{CONSOLE}/sign-in", data=sent)
        assert answer.headers["location"] == f"{CONSOLE}/projects"


def test_a_wrong_token_and_a_form_of_another_session_are_refused(called: Called, home: str):
    with Browser(called, "cairn_wrong") as wrong:
        assert wrong.signed_in.status_code == 401
        asked = wrong.client.get(f"{CONSOLE}/sign-in?next={home}/runs")
        sent = Page(asked.text).fields() | {"token": "cairn_wrong"}
        again = Page(wrong.client.post(f"{CONSOLE}/sign-in", data=sent).text)
        assert again.fields()["next"] == f"{home}/runs"
    with Browser(called) as one, Browser(called) as other:
        theirs = other.open(home).fields()["mark"]
        for mark in ("", theirs, "é"):
            answer = one.send(home, f"{CONSOLE}/sign-out", mark=mark)
            assert answer.status_code == 403, answer.text
        assert one.client.get(home).url.path == home
        json = one.client.post(f"{CONSOLE}/sign-out", json=one.open(home).fields())
        assert json.status_code == 400
        kept = dict(one.client.cookies)
        assert one.send(home, f"{CONSOLE}/sign-out").url.path == f"{CONSOLE}/sign-in"
        late = one.client.post(f"{home}/views/save", data={}, headers={"referer": f"{home}/ledger"})
        assert late.url.params["next"] == f"{home}/ledger"  # a form that is sent after the session
        assert one.client.get(home).url.path == f"{CONSOLE}/sign-in"
        assert httpx.get(
            called.url + home, cookies=kept, timeout=PATIENCE_S
        ).is_redirect  # the session is over


def test_a_session_opens_no_api_and_ends_with_its_token(called: Called, shown: str):
    token = called.make_token("viewer", shown, name="Revoked soon")
    with Browser(called, token) as viewer, called.client() as owner:
        home = f"{CONSOLE}/projects/{shown}"
        atom = next(
            it["href"] for it in viewer.open(f"{home}/ledger").all("a") if "atm_" in it["href"]
        ).partition("?")[0]
        assert not viewer.open(atom).all("textarea")
        refused = viewer.send(home, f"{atom}/decide", decision="verify")
        assert refused.status_code == 403
        assert viewer.client.get(f"{home}/audit").status_code == 403
        assert viewer.client.get(f"{CONSOLE}/projects/{called.project}").status_code == 404
        assert viewer.client.get(f"/v1/projects/{shown}/atoms").status_code == 401
        tokens = owner.get("/v1/tokens", params={"limit": 200}).json()["items"]
        mine = next(it for it in tokens if it["name"] == "Revoked soon")
        assert owner.delete(f"/v1/tokens/{mine['token_id']}").status_code < 300
        assert viewer.client.get(home).url.path == f"{CONSOLE}/sign-in"


def test_under_tls_no_neighbouring_host_can_set_a_cookie_of_the_console(tmp_path: Path):
    settings = Settings(home=tmp_path, database_url="postgresql://nobody@127.0.0.1:1/none")
    client = TestClient(
        create_app(settings), "https://localhost", headers={"origin": "https://localhost"}
    )
    (cookie,) = client.get(f"{CONSOLE}/sign-in").headers.get_list("set-cookie")
    assert cookie.startswith("__Host-cairn_") and "Domain" not in cookie
    assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))


def test_a_live_stream_ends_with_its_session(called: Called, home: str):
    with Browser(called) as one, Browser(called) as other:
        with one.client.stream("GET", f"{home}/live") as answer:
            told = other.open(f"{CONSOLE}/sessions").fields(f"{CONSOLE}/sessions/end")
            assert other.client.post(f"{CONSOLE}/sessions/end", data=told).status_code == 200
            answer.read()  # to its end
        assert one.client.get(home).url.path == f"{CONSOLE}/sign-in"
