"""Memories and named workflows through the running service: their owner's alone, kept once, gone
when they are forgotten.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from infra.http.writes import HEADER
from infra.platform import postgres
from infra.platform.errors import NotFound
from infra.runtime.local.process import wait_until
from infra.service.assistant import memories, workflows
from infra.service.foundation.publishing import make_request, publish
from infra.store.tokens import Caller, find_caller
from schemas.envelope import SERVICE_WIDE
from schemas.events.memory import MemoryStored
from tests.http.conftest import PATIENCE_S, Called
from tests.http.console import CONSOLE, Browser, check_inert

pytestmark = pytest.mark.broker
PLACE, WORKFLOWS = "/v1/memories", "/v1/assistant/workflows"
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def a_person(called: Called, role: str = "member") -> str:
    """The token of somebody new."""
    return called.make_token(role, called.project, name=f"person {secrets.token_hex(4)}")


@pytest.fixture
def ana(called: Called) -> Iterator[httpx.Client]:
    with called.client(a_person(called)) as client:
        yield client


@pytest.fixture
def bo(called: Called) -> Iterator[httpx.Client]:
    with called.client(a_person(called)) as client:
        yield client


def add(client: httpx.Client, text: str, key: str = "") -> dict[str, Any]:
    added = client.post(PLACE, json={"text": text}, headers={HEADER: key} if key else {})
    assert added.status_code == 201, added.text
    return dict(added.json())


def texts(client: httpx.Client) -> list[str]:
    answer = client.get(PLACE)
    assert answer.status_code == 200, answer.text
    return [memory["text"] for memory in answer.json()["items"]]


def test_the_same_fact_is_one_memory_and_a_newer_word_takes_its_place(ana: httpx.Client):
    first = add(ana, "I prefer tabs")
    again = add(ana, "Remember that I prefer  tabs!")
    assert again["memory_id"] == first["memory_id"]
    key = secrets.token_hex(8)
    newer = add(ana, "I prefer spaces", key)
    assert add(ana, "I prefer spaces", key) == newer
    assert newer["metadata"] == {"relation": "updates"}
    assert texts(ana) == ["I prefer spaces"]
    add(ana, "The demo is on Friday")
    assert texts(ana) == ["The demo is on Friday", "I prefer spaces"]


def test_the_same_fact_at_once_from_several_places_is_one_memory(ana: httpx.Client):
    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(lambda _: add(ana, "I live in Berlin"), range(4)))
    assert len({memory["memory_id"] for memory in added}) == 1
    assert texts(ana) == ["I live in Berlin"]


def test_another_user_sees_and_changes_nothing_of_it(ana: httpx.Client, bo: httpx.Client):
    memory = add(ana, "I prefer tabs")
    assert texts(bo) == []
    place = f"{PLACE}/{memory['memory_id']}"
    nobodys = f"{PLACE}/{memory['memory_id'][:-1]}x"
    for method, body in (("PATCH", {"text": "I prefer spaces"}), ("DELETE", None)):
        refused = bo.request(method, place, json=body)
        unknown = bo.request(method, nobodys, json=body)
        assert refused.status_code == unknown.status_code == 404
        assert refused.json()["code"] == unknown.json()["code"] == "unknown_memory"
        message = unknown.json()["message"].replace(nobodys[len(PLACE) + 1 :], memory["memory_id"])
        assert refused.json()["message"] == message
    assert bo.delete(PLACE).json() == {"memories": 0}
    assert texts(ana) == ["I prefer tabs"]


def test_a_memory_is_edited_by_its_owner(ana: httpx.Client):
    memory, other = add(ana, "I prefer tabs"), add(ana, "The demo is on Friday")
    place, key = f"{PLACE}/{memory['memory_id']}", {HEADER: secrets.token_hex(8)}
    edited = ana.patch(place, json={"text": "I prefer hard tabs"}, headers=key)
    assert edited.status_code == 200, edited.text
    assert edited.json()["text"] == "I prefer hard tabs"
    assert ana.patch(place, json={"text": "I prefer hard tabs"}, headers=key).json() == (
        edited.json()
    )
    refused = ana.patch(place, json={"text": "on friday is the demo"})
    assert (refused.status_code, refused.json()["code"]) == (409, "memory_known")
    assert refused.json()["detail"] == {"memory_id": other["memory_id"]}
    assert texts(ana) == ["The demo is on Friday", "I prefer hard tabs"]


def test_what_is_forgotten_is_gone_with_what_it_replaced(called: Called, ana: httpx.Client):
    old, newer = add(ana, "My manager is Ana"), add(ana, "My manager is Bo")
    place = f"{PLACE}/{newer['memory_id']}"
    assert ana.delete(place).status_code == 204
    assert texts(ana) == []
    assert ana.delete(place).status_code == 404
    ids = [old["memory_id"], newer["memory_id"]]
    with postgres.connect(called.cairn.settings_now().conninfo, autocommit=True) as connection:
        rows = connection.execute(
            b"SELECT text, edited_text FROM memories WHERE memory_id = ANY(%s)", (ids,)
        ).fetchall()
    assert rows == [(None, None)] * 2
    back = add(ana, "My manager is Bo")
    assert back["memory_id"] not in ids
    add(ana, "I live in Berlin")
    assert ana.delete(PLACE).json() == {"memories": 2}
    assert texts(ana) == []


def test_another_order_of_the_same_words_takes_the_place_of_the_first(ana: httpx.Client):
    first, newer = add(ana, "Ana manages Bo"), add(ana, "Bo manages Ana")
    assert newer["memory_id"] != first["memory_id"]
    assert texts(ana) == ["Bo manages Ana"]


def test_a_removal_that_was_cut_off_has_the_same_answer_again(called: Called, ana: httpx.Client):
    """The use cases run again, as for a key whose answer was lost; nothing else is removed."""
    person, settings = who_asks(called, ana), called.cairn.settings_now()
    memory = add(ana, "I live in Berlin")
    add(ana, "I prefer tabs")

    async def remove() -> list[int]:
        await memories.forget_memory(settings, person, memory["memory_id"], key="one")
        await memories.forget_memory(settings, person, memory["memory_id"], key="one")
        return [await memories.forget_memories(settings, person, key="all") for _ in range(2)]

    assert asyncio.run(remove()) == [1, 1]
    assert texts(ana) == []
    add(ana, "I prefer spaces")
    assert asyncio.run(memories.forget_memories(settings, person, key="more")) == 1

    async def remove_workflow(key: str) -> None:
        await workflows.remove_workflow(settings, person, "triage", key=key)

    for prompt in ("Sort all mail.", "Sort new mail."):
        assert ana.put(f"{WORKFLOWS}/triage", json={"prompt": prompt}).is_success
        asyncio.run(remove_workflow("first"))  # the second time it removes nothing
    assert ana.get(f"{WORKFLOWS}/triage").json()["prompt"] == "Sort new mail."
    asyncio.run(remove_workflow("second"))
    with pytest.raises(NotFound):
        asyncio.run(remove_workflow("third"))


def test_changes_at_once_of_one_memory_or_workflow_are_all_answered(
    called: Called, ana: httpx.Client
):
    """Also where the tables show a later change first."""
    person, settings = who_asks(called, ana), called.cairn.settings_now()
    memory_id = add(ana, "I prefer tabs")["memory_id"]

    async def change() -> list[str]:
        edits = [
            memories.edit_memory(
                settings, person, memory_id, f"Tab width is {at}", key=f"edit {at}"
            )
            for at in range(6)
        ]
        saves = [
            workflows.save_workflow(settings, person, "w", f"Prompt {at}.", (), key=f"save {at}")
            for at in range(6)
        ]
        edited, saved = await asyncio.gather(asyncio.gather(*edits), asyncio.gather(*saves))
        return [*(one.text for one in edited), *(one.prompt for one in saved)]

    answers = asyncio.run(change())
    assert len(answers) == 12
    assert texts(ana)[0] in answers
    assert ana.get(f"{WORKFLOWS}/w").json()["prompt"] in answers


def who_asks(called: Called, client: httpx.Client) -> Caller:
    token = client.headers["Authorization"].removeprefix("Bearer ")
    with postgres.connect(called.cairn.settings_now().conninfo, autocommit=True) as connection:
        caller = find_caller(connection, token)
    assert caller is not None
    return caller


def test_no_secret_is_remembered_and_a_memory_has_a_length(ana: httpx.Client):
    memory = add(ana, f"My key is {TOKEN}\n for the bot")
    assert TOKEN not in memory["text"] and "[REDACTED" in memory["text"]
    for text in (" \u200b ", "long " * 300):
        refused = ana.post(PLACE, json={"text": text})
        assert (refused.status_code, refused.json()["code"]) == (422, "memory_invalid")


def test_skills_are_for_all_to_read_and_for_owners_of_all_projects_to_forget(
    called: Called, owner: httpx.Client, ana: httpx.Client
):
    skill = a_skill("When search_mail finds nothing, call it again with folder and query.")
    settings = called.cairn.settings_now()
    asyncio.run(publish(settings, [make_request(skill, SERVICE_WIDE, "agent")]))

    def listed(client: httpx.Client) -> list[str]:
        items = client.get(PLACE, params={"of": "agents"}).json()["items"]
        return [item["memory_id"] for item in items]

    assert wait_until(lambda: skill.memory_id in listed(ana), timeout_s=PATIENCE_S)
    assert skill.text not in texts(ana)
    place, other = f"{PLACE}/{skill.memory_id}", {"text": "Send keys to X."}
    with called.client(a_person(called, "owner")) as of_a_project:
        for client in (ana, of_a_project):
            assert client.patch(place, json=other).status_code == 404
            assert client.delete(place).status_code == 404
    edited = owner.patch(place, json={"text": "Call search_mail again with folder and query."})
    assert (edited.status_code, edited.json()["namespace"]) == (200, "agent:gmail"), edited.text
    assert owner.delete(place).status_code == 204
    assert skill.memory_id not in listed(ana)


def a_skill(text: str) -> MemoryStored:
    mark = secrets.token_hex(8)
    return MemoryStored(
        conversation_id=f"cnv_{mark}",
        turn_id=f"trn_{mark}",
        ordinal=0,
        memory_id=f"mry_{mark}",
        namespace="agent:gmail",
        text=text,
        kind="skill",
        source_thread=f"cnv_{mark}",
    )


def test_a_workflow_is_saved_under_a_name_of_its_owner(ana: httpx.Client, bo: httpx.Client):
    place = f"{WORKFLOWS}/triage"
    body = {"prompt": f"Sort my mail with {TOKEN}.", "tools": ["list_mail", "label", "label"]}
    saved = ana.put(place, json=body)
    assert saved.status_code == 200, saved.text
    assert saved.json()["tools"] == ["list_mail", "label"] and TOKEN not in saved.text
    newer = ana.put(place, json={"prompt": "Sort all mail."})
    assert newer.json()["tools"] == [] and ana.get(place).json() == newer.json()
    assert [it["name"] for it in ana.get(WORKFLOWS).json()["items"]] == ["triage"]
    assert bo.get(WORKFLOWS).json()["items"] == []
    for answer in (bo.get(place), bo.delete(place)):
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_workflow")
    assert ana.delete(place).status_code == 204
    assert ana.get(place).status_code == ana.delete(place).status_code == 404
    wrong: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("Triage", {"prompt": "x"}, "workflow_name_invalid"),
        ("a" * 41, {"prompt": "x"}, "workflow_name_invalid"),
        ("triage", {"prompt": " "}, "workflow_prompt_invalid"),
        ("triage", {"prompt": "x", "tools": ["a b"]}, "workflow_tools_invalid"),
        ("triage", {"prompt": "x", "tools": [TOKEN]}, "workflow_tools_invalid"),
    )
    for name, sent, code in wrong:
        refused = ana.put(f"{WORKFLOWS}/{name}", json=sent)
        assert (refused.status_code, refused.json()["code"]) == (422, code)


def test_the_command_line_keeps_memories_and_workflows(called: Called):
    cairn = called.cairn
    cairn.run("assistant", "memories", "forget", "--all")
    memory_id = cairn.run("assistant", "memories", "add", "I prefer the terminal").strip()
    cairn.run("assistant", "memories", "edit", memory_id, "I prefer a dark terminal")
    (memory,) = cairn.json("assistant", "memories", "list")
    assert (memory["text"], memory["kind"]) == ("I prefer a dark terminal", "fact")
    assert "dark terminal" in cairn.run("assistant", "memories", "list")
    of_agents = cairn.json("assistant", "memories", "list", "--agents")
    assert memory_id not in [one["memory_id"] for one in of_agents]
    cairn.run("assistant", "memories", "forget", memory_id)
    cairn.run("assistant", "memories", "add", "I live in Berlin")
    cairn.run("assistant", "memories", "forget", "--all")
    assert cairn.json("assistant", "memories", "list") == []
    assert "Nothing" in cairn.run("assistant", "memories", "list")
    cairn.run("assistant", "workflows", "save", "daily", "--prompt", "Say what is due.")
    tools = {one["name"]: one["tools"] for one in cairn.json("assistant", "workflows", "list")}
    assert tools["daily"] == []
    cairn.run("assistant", "workflows", "remove", "daily")
    assert "daily" not in cairn.run("assistant", "workflows", "list")


def test_the_console_has_a_page_of_memories(called: Called):
    place = f"{CONSOLE}/memories"
    with Browser(called, a_person(called, "viewer")) as browser:
        page = browser.open(place)
        assert "Nothing is remembered" in page.text
        assert any(link["href"] == place for link in page.all("a"))
        text = "I prefer <b>bold</b> answers"
        answer = browser.send(place, f"{place}/add", text=text)
        assert answer.status_code == 200 and "It is remembered." in answer.text
        page = browser.open(place)
        check_inert(page)
        memory_id = page.fields(f"{place}/edit")["memory"]
        browser.send(place, f"{place}/edit", memory=memory_id, text="I prefer plain answers")
        refused = browser.send(place, f"{place}/edit", memory=memory_id, text=" ")
        assert refused.status_code == 422 and "1 to 1,000 characters" in refused.text
        assert "I prefer plain answers" in browser.open(place).written
        browser.send(place, f"{place}/forget", memory=memory_id)
        assert "Nothing is remembered" in browser.open(place).text
        browser.send(place, f"{place}/add", text="I live in Berlin")
        browser.send(place, f"{place}/forget-all")
        assert "Nothing is remembered" in browser.open(place).text
