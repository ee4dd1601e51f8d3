"""Sessions of the console over several web processes: begun, used, listed, ended, forgotten."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from infra.http.app import create_app
from infra.platform import postgres
from infra.platform.settings import Settings
from infra.runtime.local.http_address import address_file
from infra.runtime.local.process import wait_until
from infra.service.access.sessions import create_console_link, create_link
from infra.service.access.tokens import read_owner_token
from infra.service.upkeep.cleanup import forget_all
from infra.store.sessions import redeem_link
from tests.http.apart import Apart, apart
from tests.http.console import CONSOLE, Page

pytestmark = pytest.mark.broker
HOME, SIGN_IN, SESSIONS = f"{CONSOLE}/projects", f"{CONSOLE}/sign-in", f"{CONSOLE}/sessions"
ADDRESSES = itertools.count(1)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SLOWLY = "UPDATE console_sessions SET seen_at = now() - interval '%s minutes'"


@pytest.fixture(scope="module")
def one(installation: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    """A web process; ``browser`` makes more, and browsers of each."""
    with apart(installation, tmp_path_factory.mktemp("sessions")) as made:
        yield made


@pytest.fixture(autouse=True)
def nobody_is_signed_in(one: Apart) -> None:
    one.rows("DELETE FROM console_sessions")


def browser(process: Apart | Settings, copied: TestClient | None = None) -> TestClient:
    """A browser at a web process that runs, or at a new one; with the cookies of another."""
    app = create_app(process) if isinstance(process, Settings) else process.app
    address = f"10.0.0.{next(ADDRESSES)}"  # of its own, since strangers share the rate of one
    origin = {"origin": "http://localhost"}
    client = TestClient(app, "http://localhost", headers=origin, client=(address, 1))
    client.headers["user-agent"] = FIREFOX
    client.cookies.update(dict(copied.cookies) if copied else {})
    return client


def signed_in(one: Apart) -> TestClient:
    client = browser(one)
    answer = redeem(client, token=read_owner_token(one.settings))
    assert answer.url.path == HOME, answer.text
    return client


def redeem(client: TestClient, **fields: str) -> httpx2.Response:
    form = Page(client.get(SIGN_IN, params={"code": fields.get("code", "")}).text).fields()
    return client.post(SIGN_IN, data=form | fields)


def send(client: TestClient, path: str, **fields: str) -> httpx2.Response:
    form = Page(client.get(SESSIONS).text).fields(path)
    return client.post(path, data=form | fields)


def is_open(client: TestClient) -> bool:
    return client.get(HOME).url.path == HOME


def session_cookie(client: TestClient) -> str:
    """Empty when the browser has none."""
    named = re.compile(r"cairn_[0-9a-f]{8}")
    return next((it for name, it in client.cookies.items() if named.fullmatch(name)), "")


def test_a_session_ends_in_every_process_and_is_over_after_a_restart(one: Apart):
    here = signed_in(one)
    copy = browser(one, here)
    elsewhere = browser(one.settings, here)
    assert is_open(here) and is_open(copy) and is_open(elsewhere)
    assert send(here, f"{CONSOLE}/sign-out").url.path == SIGN_IN
    assert not is_open(copy)  # at once where it was ended
    assert not is_open(browser(one.settings, copy))  # a process that has just begun
    assert wait_until(lambda: not is_open(elsewhere), timeout_s=5)
    assert not session_cookie(here)


def test_a_cookie_is_stored_as_its_hash(one: Apart):
    client = signed_in(one)
    cookie = session_cookie(client)
    (stored,) = one.rows("SELECT s::text FROM console_sessions s")
    assert len(cookie) == 43 and cookie not in str(stored)
    assert read_owner_token(one.settings) not in str(stored)
    forged = browser(one)
    forged.cookies.update({name: "A" * 43 for name in client.cookies})
    assert not is_open(forged)


@pytest.mark.parametrize(
    "over",
    [
        "UPDATE console_sessions SET expires_at = now()",
        SLOWLY % 121,
        "UPDATE api_tokens SET expires_at = now()",
        "UPDATE api_tokens SET revoked_at = now()",
    ],
)
def test_a_session_ends_by_itself_and_with_its_token(one: Apart, over: str):
    client = signed_in(one)
    one.app.state.api.callers.forget()
    one.rows(over)
    assert not is_open(client)
    one.rows("UPDATE api_tokens SET expires_at = NULL, revoked_at = NULL")


def test_a_revoked_token_ends_its_sessions_at_once_where_it_was_revoked(one: Apart):
    made = one.client.post("/v1/tokens", json={"name": "ana", "role": "viewer"}).json()
    client = browser(one)
    redeem(client, token=made["token"])
    assert is_open(client)
    one.client.delete(f"/v1/tokens/{made['token_id']}")
    assert not is_open(client)


def test_use_is_noted_every_few_minutes(one: Apart):
    client = signed_in(one)
    (begun,) = one.rows("SELECT seen_at FROM console_sessions")
    one.app.state.api.callers.forget()
    assert is_open(client)
    assert one.rows("SELECT seen_at FROM console_sessions") == [begun]
    one.rows(SLOWLY % 10)
    one.app.state.api.callers.forget()
    assert is_open(client)
    assert one.rows("SELECT seen_at > %s FROM console_sessions", *begun) == [(True,)]


def test_what_was_looked_up_before_an_end_is_not_believed_after_it(one: Apart):
    """A request that waits for the database while another one signs out."""
    client, callers = signed_in(one), one.app.state.api.callers
    callers.forget()
    waits = "SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
    waits += " WHERE NOT l.granted AND d.datname = current_database()"
    with ThreadPoolExecutor(1) as pool:
        with postgres.connect(one.settings.conninfo) as held:
            held.execute("LOCK TABLE console_sessions")
            asked = pool.submit(is_open, client)
            assert wait_until(lambda: one.rows(waits) != [], timeout_s=10)
            callers.forget()
        assert asked.result()
    one.rows("UPDATE console_sessions SET ended_at = now()")
    assert not is_open(client)


def test_a_link_signs_in_once_in_whichever_process(one: Apart):
    address_file(one.settings).parent.mkdir(exist_ok=True)
    address_file(one.settings).write_text('{"url": "http://localhost"}')
    code = (create_console_link(one.settings) or "").partition("?code=")[2]
    first, second = browser(one.settings), browser(one)
    assert redeem(first, code=code).url.path == HOME and is_open(first)
    again = redeem(second, code=code)
    assert again.status_code == 401 and "This link was used already" in again.text
    assert redeem(second, code="nonsense").status_code == 401
    late = link(one)
    one.rows("UPDATE console_links SET expires_at = now()")
    assert redeem(second, code=late).status_code == 401


def test_of_many_who_send_a_link_at_the_same_time_one_is_signed_in(one: Apart):
    code = link(one)

    def send_it(_: int) -> bool:
        with postgres.connect(one.settings.conninfo, autocommit=True) as connection:
            return redeem_link(connection, code) is not None

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(send_it, range(6))) == 1


def test_sessions_are_listed_and_ended_one_by_one_or_all(one: Apart):
    made = one.client.post("/v1/tokens", json={"name": "ben", "role": "viewer"}).json()
    here, there, owner = browser(one), browser(one), signed_in(one)
    redeem(here, token=made["token"]), redeem(there, token=made["token"])
    page = Page(here.get(SESSIONS).text)
    assert page.text.count("Firefox on Linux") == 2 and page.text.count("this one") == 2
    (row,) = one.rows("SELECT max(session_id), min(session_id) FROM console_sessions")
    theirs = send(here, f"{SESSIONS}/end", session=str(row[1]))
    assert theirs.status_code == 404 and is_open(owner)
    told = send(here, f"{SESSIONS}/end", session=page.fields(f"{SESSIONS}/end")["session"])
    assert "That session is over." in told.text
    assert is_open(here) and not is_open(there)
    redeem(there, token=made["token"])
    assert send(here, f"{SESSIONS}/end-all").url.path == SIGN_IN
    assert not is_open(here) and not is_open(there) and is_open(owner)


def test_an_owner_of_all_projects_ends_sessions_of_others(one: Apart):
    made = one.client.post("/v1/tokens", json={"name": "eve", "role": "viewer"}).json()
    other, owner = browser(one), signed_in(one)
    redeem(other, token=made["token"])
    page = Page(owner.get(SESSIONS).text)
    assert "eve" in page.text
    send(owner, f"{SESSIONS}/end", session=page.fields(f"{SESSIONS}/end")["session"])
    assert not is_open(other) and is_open(owner)


def test_a_sign_in_is_audited_and_ends_what_the_browser_had(one: Apart):
    client = signed_in(one)
    copy = browser(one, client)
    assert redeem(client, code=link(one)).url.path == HOME
    assert is_open(client) and not is_open(copy)
    written = "SELECT count(*) FROM audit_log"
    written += " WHERE operation = 'console_sign_in' AND code = 'done' AND actor <> ''"
    ((before,),) = one.rows(written)
    assert redeem(browser(one), token="cairn_wrong").status_code == 401
    assert one.rows(written) == [(before,)]
    signed_in(one)
    assert one.rows(written) != [(before,)]


def test_without_its_database_the_console_says_so_and_signs_nobody_out(one: Apart, tmp_path: Path):
    client = signed_in(one)
    away = one.settings.model_copy(update={"database_url": "postgresql://a@127.0.0.1:1/none"})
    answer = browser(away, client).get(HOME)
    assert answer.status_code == 503 and "The database does not answer" in Page(answer.text).text
    assert "set-cookie" not in answer.headers and answer.headers["retry-after"]
    part = browser(away, client).get(HOME, headers={"hx-request": "true"})
    assert part.status_code == 503
    assert is_open(client)


def test_sessions_and_links_that_are_over_are_removed(one: Apart):
    tables = one.app.state.api.tables
    asyncio.run(forget_all(one.settings, tables))
    client, _ = signed_in(one), link(one)
    assert asyncio.run(forget_all(one.settings, tables)) == 0 and is_open(client)
    for table in ("console_sessions", "console_links"):
        one.rows(f"UPDATE {table} SET expires_at = now()")
    assert asyncio.run(forget_all(one.settings, tables)) == 2
    assert not one.rows("SELECT FROM console_sessions") + one.rows("SELECT FROM console_links")


def link(one: Apart) -> str:
    with postgres.connect(one.settings.conninfo, autocommit=True) as connection:
        ((token_id,),) = connection.execute("SELECT token_id FROM api_tokens LIMIT 1").fetchall()
        return create_link(connection, token_id)
