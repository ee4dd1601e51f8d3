"""Sessions of the `api` driver outlive the process that has held them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from agents.development.drivers.api import ApiDriver, ApiSettings
from agents.development.drivers.events import EventWriter
from agents.development.drivers.failures import DriverFailed
from agents.development.drivers.pricing import Pricing
from agents.models.prices import PriceTable
from infra.service.development.posting import HttpClient
from infra.service.development.session_files import FileSessions
from tests.development.drivers import NOW, Files, in_loop
from tests.development.stand_ins.chat_server import chat_server


@in_loop
async def test_another_driver_goes_on_in_the_session(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(chat_server("good"))

        def a_driver() -> ApiDriver:
            events = EventWriter("wfl_1", "developer", lambda: NOW)
            pricing = Pricing(PriceTable({}), "nobody", NOW.date)
            settings = ApiSettings("m", "k", server.url)
            sessions = FileSessions(tmp_path / "sessions")
            return ApiDriver(HttpClient(), settings, events, pricing, Files(), sessions=sessions)

        first = await a_driver().prompt("One")
        second = await a_driver().prompt("Two", session_id=first.session_id)
        assert second.text == "Done after 1 earlier prompts: One"
        (file,) = (tmp_path / "sessions").iterdir()
        assert file.stat().st_mode & 0o777 == 0o600
        file.write_text('{"not": "a list"}')
        with pytest.raises(DriverFailed, match="no session"):
            await a_driver().prompt("Three", session_id=first.session_id)


@pytest.mark.parametrize("session", ["../../outside", "", "a/b", "\ud800", "x" * 5_000])
@in_loop
async def test_no_id_leads_out_of_the_folder(tmp_path: Path, session: str) -> None:
    sessions = FileSessions(tmp_path / "sessions")
    assert await sessions.load(session) is None
    await sessions.save(session, [{"role": "user", "content": "hello"}])
    assert await sessions.load(session) == [{"role": "user", "content": "hello"}]
    assert [path.parent.name for path in tmp_path.rglob("*.json")] == ["sessions"]
