"""What a client changes over HTTP: once for each key, by the right role, and written down."""

from __future__ import annotations

import io
import secrets
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest

from infra.runtime.local.process import wait_until
from tests.http.conftest import Called, audited

pytestmark = pytest.mark.broker
Ask = Callable[..., Any]
PATIENCE_S = 120
PAGE = "# Gate\n\n## Requirements\n\n- The gate must keep its records for ten years.\n"


def keyed(key: str = "") -> dict[str, str]:
    return {"idempotency-key": key or secrets.token_hex(8)}


def atoms_of(client: httpx.Client, project: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/v1/projects/{project}/atoms").json()["items"]
    return found


def followed(client: httpx.Client, sent: httpx.Response) -> dict[str, Any]:
    """The status of what was sent, at its address, when it has ended."""
    last: dict[str, Any] = {}

    def has_ended() -> bool:
        last.update(client.get(sent.headers["location"]).json())
        results = {"refused": 0} | last["results"]  # of all documents that were listed
        assert sum(results.values()) >= last["listed"] + results["refused"], last
        return last["state"] in ("done", "refused", "failed", "cancelled")

    assert wait_until(has_ended, timeout_s=PATIENCE_S), last
    return last


def packed(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    return content.getvalue()


@pytest.fixture(scope="module")
def gate(called: Called, owner: httpx.Client) -> str:
    """A project with one document, made and read over HTTP alone."""
    name = f"Gate {secrets.token_hex(4)}"
    made = owner.post("/v1/projects", json={"name": name}, headers=keyed())
    assert made.status_code == 201, made.text
    project = str(made.json()["project_id"])
    body = {"kind": "documents", "root": "gate", "documents": [{"path": "a/gate.md", "text": PAGE}]}
    path = f"/v1/projects/{project}/sources"
    done = owner.post(path, json=body, headers=keyed(), params={"wait": True})
    assert done.status_code in (200, 202), done.text
    assert followed(owner, done)["state"] == "done"
    return project


def test_a_project_is_created_once_for_each_key(owner: httpx.Client):
    key, name = secrets.token_hex(8), f"Once {secrets.token_hex(4)}"
    first = owner.post("/v1/projects", json={"name": name}, headers=keyed(key))
    again = owner.post("/v1/projects", json={"name": name}, headers=keyed(key))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    other = owner.post("/v1/projects", json={"name": name + "!"}, headers=keyed(key))
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    taken = owner.post("/v1/projects", json={"name": name}, headers=keyed())
    assert (taken.status_code, taken.json()["code"]) == (409, "project_name_taken")


def test_documents_are_read_and_what_is_not_sent_again_stays(owner: httpx.Client, gate: str):
    (atom, *_) = atoms_of(owner, gate)
    assert atom["evidence"][0]["path"] == "a/gate.md"
    path = f"/v1/projects/{gate}/sources"
    more = {
        "kind": "documents",
        "root": "gate",
        "documents": [{"path": "b.md", "text": "# B\n\nPasswords must be hashed with argon2.\n"}],
    }
    key = keyed()
    sent = owner.post(path, json=more, headers=key)
    assert sent.status_code == 202
    assert sent.headers["location"] == sent.json()["url"]
    assert owner.post(path, json=more, headers=key).json() == sent.json()
    assert followed(owner, sent)["results"] == {"ingested": 1}
    paths = {each["path"] for each in owner.get(path).json()["items"]}
    assert paths == {"a/gate.md", "b.md"}
    again = owner.post(path, json=more, headers=keyed())
    assert followed(owner, again)["results"] == {"unchanged": 1}


def test_many_notes_are_taken_at_once_and_each_has_its_result(called: Called, owner: httpx.Client):
    made = owner.post("/v1/projects", json={"name": f"Notes {secrets.token_hex(4)}"}).json()
    note = "# Note {0}\n\nThe archive must keep the ticket of cabinet {0} for {0} days.\n"
    documents = [{"path": f"note-{n}.md", "text": note.format(n)} for n in range(150)]
    body = {"kind": "documents", "root": "notes", "documents": documents, "lane": "preview"}
    path = f"/v1/projects/{made['project_id']}/sources"
    sent = owner.post(path, json=body, headers=keyed())
    assert sent.status_code == 202, sent.text
    assert sent.json()["state"] in ("waiting", "recording")  # nothing of it is read yet
    status = followed(owner, sent)
    assert (status["state"], status["listed"]) == ("done", 150)
    assert status["results"] == {"ingested": 150}
    page = owner.get(status["documents_url"], params={"limit": 1_000}).json()["items"]
    assert {each["path"] for each in page} == {each["path"] for each in documents}


def test_one_document_that_cannot_be_taken_refuses_itself_alone(owner: httpx.Client, gate: str):
    documents = [
        {"path": "c.md", "text": "# C\n\nThe gate must be locked at night.\n"},
        {"path": "../secret.md", "text": "x"},
        {"path": "c.md", "text": "again"},
        {"path": "c.md/under.md", "text": "x"},
        {"path": "d.md"},
        "no document",
    ]
    body = {"kind": "documents", "root": "more", "documents": documents}
    sent = owner.post(f"/v1/projects/{gate}/sources", json=body, headers=keyed())
    assert sent.status_code == 202, sent.text
    status = followed(owner, sent)
    assert status["results"] == {"ingested": 1, "refused": 5}
    refused = [(each["index"], each["reason"]) for each in status["unread"]]
    assert refused == [
        (1, "path_invalid"),
        (2, "path_repeated"),
        (3, "path_conflicts"),
        (4, "document_invalid"),
        (5, "document_invalid"),
    ]
    assert all(each["message"] for each in status["unread"])


def test_an_archive_is_read(owner: httpx.Client, gate: str):
    content = packed({"handbook/office.md": b"# Handbook\n\nThe office must close at six.\n"})
    path, kind = f"/v1/projects/{gate}/archives", {"content-type": "application/octet-stream"}

    def send(name: str, content: bytes, key: dict[str, str] | None = None) -> httpx.Response:
        headers = kind | (key or keyed())
        return owner.post(path, params={"name": name}, content=content, headers=headers)

    sent = send("handbook.tar.gz", content)
    assert sent.status_code == 202, sent.text
    status = followed(owner, sent)
    assert (status["results"], status["root"]) == ({"ingested": 1}, "handbook")
    for name in ("../x.tar.gz", "x.exe", "a\nb.zip"):
        refused = send(name, b"x")
        assert (refused.status_code, refused.json()["code"]) == (422, "archive_name_invalid")
    for name in ("x.zip", "x.tar.gz", "x.tar", "x.tar.xz", "x.tar.bz2"):
        refused = send(name, b"no archive at all")
        assert (refused.status_code, refused.json()["code"]) == (422, "archive_broken")
        assert name in refused.json()["message"]


def test_an_archive_that_is_cut_off_is_refused_and_its_key_is_free(owner: httpx.Client, gate: str):
    whole = packed({f"cut/{n}.md": secrets.token_bytes(2_000).hex().encode() for n in range(9)})
    path, kind = f"/v1/projects/{gate}/archives", {"content-type": "application/octet-stream"}
    key = keyed()
    asked = {"name": "cut.tar.gz", "root": "cut"}
    cut = owner.post(path, params=asked, content=whole[: len(whole) // 2], headers=kind | key)
    assert cut.status_code == 202, cut.text
    status = followed(owner, cut)
    problem = status["problem"]
    assert (status["state"], problem["status"]) == ("refused", 422)
    assert problem["code"] == "archive_broken"
    assert problem["message"].startswith("cut.tar.gz cannot be read as an archive")
    mended = owner.post(path, params=asked, content=whole, headers=kind | key)
    assert mended.status_code == 202, mended.text
    assert followed(owner, mended)["state"] == "done"
    waited = owner.post(
        path, params=asked | {"wait": True}, content=whole[:-100], headers=kind | keyed()
    )
    assert (waited.status_code, waited.json()["code"]) == (422, "archive_broken")


def test_a_request_that_is_refused_does_not_use_up_its_key(owner: httpx.Client, gate: str):
    path, key = f"/v1/projects/{gate}/sources", keyed()
    body = {"kind": "documents", "root": "keys", "documents": [{"path": "/x.md", "text": "x"}]}
    for wrong in (body, body | {"lane": "none"}, body | {"limits": {"no": 1}}):
        assert owner.post(path, json=wrong, headers=key).status_code == 422
    mended = body | {"documents": [{"path": "x.md", "text": "The lamp must be lit.\n"}]}
    sent = owner.post(path, json=mended, headers=key)
    assert sent.status_code == 202, sent.text
    again = owner.post(path, json=body, headers=key)
    assert (again.status_code, again.json()["code"]) == (422, "idempotency_key_reused")


def test_a_repository_is_fetched_after_the_answer(owner: httpx.Client, gate: str):
    body = {"kind": "repository", "address": "https://127.0.0.1:9/nobody/there.git"}
    sent = owner.post(f"/v1/projects/{gate}/sources", json=body, headers=keyed())
    assert sent.status_code == 202, sent.text
    assert sent.json()["state"] in ("waiting", "recording")  # nothing of it is read yet
    job = f"/v1/projects/{gate}/jobs/{sent.json()['job_id']}"

    def look() -> dict[str, Any]:
        return dict(owner.get(sent.json()["url"]).json())

    assert wait_until(lambda: look()["problem"] is not None, timeout_s=PATIENCE_S)
    assert look()["state"] in ("retrying", "recording", "refused", "failed")
    assert "127.0.0.1" in look()["problem"]["message"]
    owner.post(f"{job}/cancel", headers=keyed())


@pytest.mark.parametrize("path", ["../a.md", "/etc/passwd", "a//b", "a/./b", ".git/config", "a\\b"])
def test_no_document_leaves_its_root(owner: httpx.Client, gate: str, path: str):
    body = {"kind": "documents", "root": "gate", "documents": [{"path": path, "text": "x"}]}
    refused = owner.post(f"/v1/projects/{gate}/sources", json=body, headers=keyed())
    assert (refused.status_code, refused.json()["code"]) == (422, "path_invalid")


@pytest.mark.parametrize("address", ["/etc", "file:///etc", ".", "git@host:x/y", "http://x/y.git"])
def test_no_address_names_a_place_of_the_machine(owner: httpx.Client, gate: str, address: str):
    body = {"kind": "repository", "address": address}
    refused = owner.post(f"/v1/projects/{gate}/sources", json=body, headers=keyed())
    assert (refused.status_code, refused.json()["code"]) == (422, "address_invalid")


def test_a_decision_is_recorded_and_answered(called: Called, owner: httpx.Client, gate: str):
    (atom, *_) = atoms_of(owner, gate)
    path = f"/v1/projects/{gate}/atoms/{atom['atom_id']}"
    key = keyed()
    recorded = owner.post(f"{path}/verify", json={}, headers=key)
    assert recorded.status_code == 202
    address = recorded.headers["location"]
    assert address == recorded.json()["url"]
    assert wait_until(lambda: owner.get(address).json()["state"] == "applied", timeout_s=60)
    assert owner.post(f"{path}/verify", json={}, headers=key).json() == recorded.json()
    assert owner.get(address).json()["answer"]["action"] == "atom_verification"
    assert owner.get(f"{address}x").status_code == 404
    with called.client(called.make_token("pm", gate, name="ana")) as ana:
        dismissed = ana.post(
            f"{path}/dismiss", json={"rationale": "no gate"}, headers=keyed(), params={"wait": True}
        )
        assert dismissed.status_code == 200, dismissed.text
        answer = dismissed.json()
        assert (answer["outcome"], answer["actor_id"], answer["actor_role"]) == (
            "applied",
            "ana",
            "pm",
        )
        late = ana.post(f"{path}/dismiss", json={"rationale": "again"}, params={"wait": True})
        assert (late.status_code, late.json()["code"]) == (409, "not_live")
        stale = {"rationale": "back to it", "expected_revision": 1}
        refused = ana.post(f"{path}/reinclude", json=stale, params={"wait": True})
        assert (refused.status_code, refused.json()["code"]) == (409, "stale_revision")
        back = ana.post(f"{path}/reinclude", json={}, headers=keyed(), params={"wait": True})
        assert back.status_code == 200
    events = owner.get(f"/v1/projects/{gate}/hitl-events", params={"target": atom["atom_id"]})
    told = [(each["action"], each["outcome"]) for each in events.json()["items"]]
    assert told[0] == ("atom_verification", "applied")
    assert told[-1] == ("atom_reinclusion", "applied")


def test_a_decision_is_taken_back_by_its_id_and_only_while_it_is_the_last(
    called: Called, owner: httpx.Client, gate: str
):
    (atom, *_) = atoms_of(owner, gate)
    waiting = {"wait": True}
    path = f"/v1/projects/{gate}/atoms/{atom['atom_id']}/dismiss"
    done = owner.post(path, json={"rationale": "no gate"}, headers=keyed(), params=waiting).json()
    events = f"/v1/projects/{gate}/hitl-events"
    undo = f"{events}/{done['hitl_event_id']}/undo"
    back = owner.post(undo, json={}, headers=keyed(), params=waiting)
    assert back.status_code == 200, back.text
    assert (back.json()["action"], back.json()["outcome"]) == ("atom_reinclusion", "applied")
    assert atom["atom_id"] in {each["atom_id"] for each in atoms_of(owner, gate)}
    late = owner.post(undo, json={}, headers=keyed(), params=waiting)
    assert (late.status_code, late.json()["code"]) == (409, "decided_since")
    answered = back.json()
    named = f"atom_reinclusion by {answered['actor_id']} ({answered['hitl_event_id']})"
    assert late.json()["message"].endswith(f"since then: {named}."), late.text
    last = owner.get(events, params={"target": atom["atom_id"]}).json()["items"][-1]
    assert last["hitl_event_id"] == answered["hitl_event_id"]  # what is refused at once is no event
    verify = f"/v1/projects/{gate}/atoms/{atom['atom_id']}/verify"
    for floor in (0.93, 0.95):
        body = {"floor": floor}
        pinned = owner.post(verify, json=body, headers=keyed(), params=waiting).json()
    undo = f"{events}/{pinned['hitl_event_id']}/undo"
    before = owner.post(undo, json={}, headers=keyed(), params=waiting).json()
    (record,) = before["after_state"]["atoms"]
    assert (before["action"], record["confidence_floor"]) == ("atom_verification", 0.93)
    theirs = f"/v1/projects/{called.other}/hitl-events"
    for unknown_id in (pinned["hitl_event_id"], pinned["hitl_event_id"][:-1] + "x"):
        unknown = owner.post(f"{theirs}/{unknown_id}/undo", json={}, headers=keyed())
        assert unknown.status_code == 404
        told = "The project has nothing called {}."
        assert unknown.json()["message"] == told.format(unknown_id)


def test_the_same_key_with_another_body_is_refused(owner: httpx.Client, gate: str):
    first, *_, last = atoms_of(owner, gate)
    key = keyed()
    path = f"/v1/projects/{gate}/atoms"
    done = owner.post(f"{path}/{first['atom_id']}/verify", json={}, headers=key)
    assert done.status_code in (200, 202)
    for other in (
        owner.post(f"{path}/{first['atom_id']}/verify", json={"rationale": "x"}, headers=key),
        owner.post(f"{path}/{last['atom_id']}/verify", json={}, headers=key),
    ):
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    bad = owner.post(f"{path}/{first['atom_id']}/verify", json={}, headers=keyed("a\tb"))
    assert bad.json()["code"] == "key_invalid"


def test_of_two_decisions_at_once_one_wins_and_the_other_is_told(
    owner: httpx.Client, called: Called, ask: Ask
):
    (card,) = ask("/contradictions")["items"]
    path = f"/v1/projects/{called.project}/contradictions/{card['contradiction_id']}/decision"

    def decide(side: str) -> httpx.Response:
        body = {
            "decision": "resolve",
            "resolution_kind": side,
            "rationale": "the security review chose it",
            "expected_revision": card["revision"],
        }
        return owner.post(path, json=body, headers=keyed(), params={"wait": True})

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(decide, ("a_wins", "b_wins")))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    (refused,) = [answer.json() for answer in answers if answer.status_code == 409]
    assert refused["code"] in ("stale_revision", "not_open")
    seen = ask("/changes", since_seq=0, window=2_000)
    assert {each["target_id"] for each in seen["decided"]} >= {card["contradiction_id"]}


def test_what_is_known_to_be_refused_is_refused_at_once_and_is_no_event(
    owner: httpx.Client, called: Called, gate: str
):
    atom, *_ = atoms_of(owner, gate)
    path = f"/v1/projects/{gate}/atoms/{atom['atom_id']}"
    events = f"/v1/projects/{gate}/hitl-events"
    before = owner.get(events, params={"target": atom["atom_id"]}).json()["items"]
    key = keyed()
    for act, body, status, code in (
        ("reinclude", {}, 409, "not_dismissed"),
        ("dismiss", {}, 422, "rationale_missing"),
        ("dismiss", {"rationale": "  "}, 422, "rationale_missing"),
        ("verify", {"expected_revision": 0}, 409, "stale_revision"),
    ):
        refused = owner.post(f"{path}/{act}", json=body, headers=key)
        assert (refused.status_code, refused.json()["code"]) == (status, code), refused.text
        assert "location" not in refused.headers
    assert owner.get(events, params={"target": atom["atom_id"]}).json()["items"] == before

    first = owner.post(f"{path}/dismiss", json={"rationale": "no gate"}, headers=key)
    assert first.status_code == 202, first.text  # the refusals have not used the key up
    meanwhile = owner.post(f"{path}/verify", json={}, headers=keyed())
    assert meanwhile.status_code == 409, meanwhile.text
    assert meanwhile.json()["code"] in ("stale_revision", "not_live")
    back = owner.post(f"{path}/reinclude", json={}, headers=keyed(), params={"wait": True})
    assert back.status_code == 200, back.text
    assert owner.get(first.headers["location"]).json()["state"] == "applied"


def test_a_project_gets_another_name_and_keeps_its_id(called: Called, owner: httpx.Client):
    first, second = f"First {secrets.token_hex(4)}", f"Second {secrets.token_hex(4)}"
    made = owner.post("/v1/projects", json={"name": first}, headers=keyed()).json()
    path = f"/v1/projects/{made['project_id']}"
    renamed = owner.patch(path, json={"name": second}, headers=keyed())
    assert (renamed.status_code, renamed.json()["name"]) == (200, second), renamed.text
    assert renamed.json()["project_id"] == made["project_id"]
    assert called.cairn.run("project", "rename", second, first) == ""
    assert owner.get(path).json()["name"] == first
    assert owner.post("/v1/projects", json={"name": second}, headers=keyed()).status_code == 201
    taken = owner.patch(path, json={"name": second}, headers=keyed())
    assert (taken.status_code, taken.json()["code"]) == (409, "project_name_taken")
    with called.client(called.make_token("member", made["project_id"])) as member:
        assert member.patch(path, json={"name": "Mine"}).status_code == 403


def test_a_deleted_project_answers_as_one_that_does_not_exist(called: Called, owner: httpx.Client):
    name, key = f"Gone {secrets.token_hex(4)}", keyed()
    project = owner.post("/v1/projects", json={"name": name}, headers=key).json()["project_id"]
    path = f"/v1/projects/{project}"
    body = {"kind": "documents", "root": "gone", "documents": [{"path": "g.md", "text": PAGE}]}
    sent = owner.post(f"{path}/sources", json=body, headers=keyed())
    assert followed(owner, sent)["state"] == "done"
    (atom, *_) = atoms_of(owner, project)
    planned = {"work": "sprint report", "when": "every monday at 09:00"}
    scheduled = owner.post(f"{path}/schedules", json=planned, headers=keyed())
    assert scheduled.status_code == 201, scheduled.text
    wrong = owner.delete(path, params={"name": name.lower()}, headers=keyed())
    assert (wrong.status_code, wrong.json()["code"]) == (422, "confirmation_wrong")
    with called.client(called.make_token("pm", project)) as pm:
        assert pm.delete(path, params={"name": name}).status_code == 403
        assert pm.get(path).status_code == 200

        done = owner.delete(path, params={"name": name}, headers=keyed("delete-it"))

        assert done.status_code == 204, done.text
        absent = owner.get(f"/v1/projects/prj_{'0' * 32}").json()["code"]
        for client in (owner, pm):
            for part in ("", "/atoms", f"/atoms/{atom['atom_id']}", "/sources", "/jobs", "/audit"):
                answer = client.get(path + part)
                assert (answer.status_code, answer.json()["code"]) == (404, absent), part
        assert owner.get("/v1/projects", params={"name": name}).json()["items"] == []
        assert pm.get("/v1/projects").json()["items"] == []
    assert owner.delete(path, params={"name": name}).status_code == 404
    called.cairn.run("atoms", "--project", name, exit_code=1)
    called.cairn.run("trace", atom["atom_id"], exit_code=1)
    again = owner.post("/v1/projects", json={"name": name + "!"}, headers=key)
    assert (again.status_code, again.json()["code"]) == (422, "idempotency_key_reused")
    assert owner.post("/v1/projects", json={"name": name}, headers=keyed()).status_code == 201

    (row,) = [each for each in audited(owner) if each["key"] == "delete-it"]
    assert (row["operation"], row["project_id"], row["code"]) == ("delete_project", project, "done")
    settings = called.cairn.settings_now()

    def count(table: str, condition: str) -> int:
        with psycopg.connect(settings.conninfo) as tables:
            query = f"SELECT count(*) FROM cairn.{table} WHERE project_id = %s AND {condition}"
            return int((tables.execute(query.encode(), (project,)).fetchone() or [0])[0])

    # What was under way may still make a key or a job; the upkeep ends both within its turn.
    assert count("vault_keys", "true")
    assert wait_until(lambda: not count("vault_keys", "wrapped IS NOT NULL"), timeout_s=60)
    left = "status IN ('queued', 'leased', 'failed')"
    assert wait_until(lambda: not count("orchestration_jobs", left), timeout_s=60)
    assert wait_until(lambda: not count("scheduled_work", "status <> 'removed'"), timeout_s=60)


def test_nothing_of_another_project_is_decided(called: Called, owner: httpx.Client, gate: str):
    (theirs, *_) = atoms_of(owner, called.project)
    for token in (called.token, called.make_token("owner", gate)):
        with called.client(token) as client:
            path = f"/v1/projects/{gate}/atoms/{theirs['atom_id']}/verify"
            refused = client.post(path, json={}, headers=keyed())
            assert (refused.status_code, refused.json()["code"]) == (404, "unknown_id")


def test_a_member_proposes_and_a_product_manager_answers(
    called: Called, owner: httpx.Client, gate: str
):
    (*_, atom) = atoms_of(owner, gate)
    home, waiting = f"/v1/projects/{gate}", {"wait": True}
    dismiss = f"{home}/atoms/{atom['atom_id']}/dismiss"
    why = {"rationale": "the customer has dropped it"}
    with called.client(called.make_token("member", gate, name="mia")) as member:
        proposed = member.post(dismiss, json=why, headers=keyed(), params=waiting)
        assert (proposed.status_code, proposed.json()["proposed"]) == (202, True)
        proposal_id = proposed.json()["hitl_event_id"]
        again = member.post(dismiss, json=why, headers=keyed(), params=waiting)
        assert (again.status_code, again.json()["code"]) == (409, "already_proposed")
        (proposal,) = member.get(f"{home}/proposals").json()["items"]
        told = f"mia proposes to dismiss “{atom['title']}” because “{why['rationale']}”."
        assert (proposal["proposal_id"], proposal["summary"]) == (proposal_id, told)
        answer = f"{home}/proposals/{proposal_id}/decision"
        refused = member.post(answer, json={"decision": "accept"}, headers=keyed())
        assert (refused.status_code, refused.json()["code"]) == (403, "role_not_allowed")
        queued = owner.get(f"{home}/waiting").json()["items"]
        assert (proposal_id, told) in {(it["target_id"], it["detail"]) for it in queued}
        body = {"floor": 0.91}
        verify = dismiss.replace("/dismiss", "/verify")
        assert owner.post(verify, json=body, headers=keyed(), params=waiting).status_code == 200
        assert member.get(f"{home}/proposals/{proposal_id}").json()["changed"]
        with called.client(called.make_token("pm", gate, name="ana")) as leader:
            yes = {"decision": "accept"}
            late = leader.post(answer, json=yes, headers=keyed(), params=waiting)
            assert (late.status_code, late.json()["code"]) == (409, "stale_revision")
            assert "since it was proposed" in late.json()["message"]
            revision = member.get(f"{home}/proposals/{proposal_id}").json()["revision"]
            made = leader.post(
                answer, json=yes | {"expected_revision": revision}, headers=keyed(), params=waiting
            ).json()
        assert (made["actor_id"], made["proposed_by"]) == ("ana", "mia")
        assert (made["outcome"], made["undoable"]) == ("applied", True)
        known = member.get(f"{home}/proposals", params={"state": "all"}).json()["items"][0]
        assert (known["state"], known["answered_by"]) == ("accepted", "ana")
        listed = member.get(f"{home}/hitl-events").json()["items"][-1]
        assert listed["summary"].startswith("ana dismissed “")
        source = {"kind": "repository", "address": "https://example.org/x.git"}
        assert member.post(f"{home}/sources", json=source).status_code == 403
    owner.post(dismiss.replace("/dismiss", "/reinclude"), json={}, headers=keyed(), params=waiting)


def test_a_proposal_is_of_its_project_and_declining_needs_a_reason(
    called: Called, owner: httpx.Client, gate: str
):
    (atom, *_) = atoms_of(owner, gate)
    waiting = {"wait": True}
    with called.client(called.make_token("member", gate, name="leo")) as member:
        path = f"/v1/projects/{gate}/atoms/{atom['atom_id']}/dismiss"
        body = {"rationale": "it is said elsewhere"}
        proposed = member.post(path, json=body, headers=keyed(), params=waiting).json()
    answer = f"/proposals/{proposed['hitl_event_id']}/decision"
    no = {"decision": "decline"}
    theirs = f"/v1/projects/{called.project}"
    assert owner.post(theirs + answer, json=no, headers=keyed()).status_code == 404
    ours = f"/v1/projects/{gate}{answer}"
    assert owner.post(ours, json=no, headers=keyed(), params=waiting).status_code == 422
    said = no | {"rationale": "the other place is older"}
    declined = owner.post(ours, json=said, headers=keyed(), params=waiting).json()
    assert (declined["outcome"], declined["proposed_by"]) == ("declined", "leo")
    late = owner.post(ours, json=said, headers=keyed(), params=waiting)
    assert (late.status_code, late.json()["code"]) == (409, "not_waiting")


def test_a_member_withdraws_what_they_have_proposed_and_nothing_else(
    called: Called, owner: httpx.Client, gate: str
):
    (atom, *_) = atoms_of(owner, gate)
    home, waiting = f"/v1/projects/{gate}", {"wait": True}
    with (
        called.client(called.make_token("member", gate, name="eva")) as eva,
        called.client(called.make_token("member", gate, name="tom")) as tom,
    ):
        body = {"rationale": "it is said twice"}
        path = f"{home}/atoms/{atom['atom_id']}/dismiss"
        proposed = eva.post(path, json=body, headers=keyed(), params=waiting).json()
        back = f"{home}/proposals/{proposed['hitl_event_id']}/withdrawal"
        for other in (tom, owner):
            refused = other.post(back, json={}, headers=keyed())
            assert (refused.status_code, refused.json()["code"]) == (403, "not_own_proposal")
        elsewhere = back.replace(gate, called.project)
        assert owner.post(elsewhere, json={}, headers=keyed()).status_code == 404
        key = keyed()
        made, again = (eva.post(back, json={}, headers=key, params=waiting) for _ in range(2))
        assert (made.status_code, made.json()["outcome"]) == (200, "withdrawn")
        assert again.json() == made.json()
        late = eva.post(back, json={}, headers=keyed())
        assert (late.status_code, late.json()["code"]) == (409, "not_waiting")
        found = eva.get(f"{home}/proposals", params={"state": "withdrawn"}).json()["items"]
        assert [it["proposal_id"] for it in found] == [proposed["hitl_event_id"]]
    queued = owner.get(f"{home}/waiting").json()["items"]
    assert proposed["hitl_event_id"] not in {it["target_id"] for it in queued}


def test_runs_are_ended_and_resumed_by_those_who_may(called: Called, owner: httpx.Client, ask: Ask):
    (run, *_) = ask("/ingestion-runs")["items"]
    path = f"/v1/projects/{called.project}/ingestion-runs/{run['run_id']}"
    ended = owner.post(f"{path}/cancel", json={"reason": "enough"})
    assert (ended.status_code, ended.json()["code"]) == (409, "run_ended")
    assert owner.post(f"{path}/accept-removals").json()["code"] == "no_removals_held"
    with called.client(called.make_token("operator")) as operator:
        resumed = operator.post(f"{path}/resume", json={"retry_poison": True}, headers=keyed())
        assert resumed.status_code == 202, resumed.text
        assert operator.post(f"{path}/accept-removals").status_code == 403


def test_every_write_is_in_the_audit_log(called: Called, owner: httpx.Client, gate: str):
    key = secrets.token_hex(8)
    with called.client(called.make_token("pm", gate, name="eve")) as eve:
        refused = eve.post(
            f"/v1/projects/{gate}/atoms/atm_none/verify",
            json={},
            headers=keyed(key) | {"x-correlation-id": "audit-1"},
        )
        assert refused.status_code == 404
    page = owner.get(f"/v1/projects/{gate}/audit", params={"limit": 1000}).json()
    (row,) = [each for each in page["items"] if each["key"] == key]
    assert (row["actor"], row["role"], row["operation"]) == ("eve", "pm", "verify_atom")
    assert (row["status"], row["code"], row["correlation_id"]) == (404, "unknown_id", "audit-1")
    assert {each["project_id"] for each in page["items"]} == {gate}


def test_the_feed_tells_what_came_and_what_went_with_its_places(owner: httpx.Client, gate: str):
    path = f"/v1/projects/{gate}/changes"
    whole = owner.get(path, params={"since_seq": 0}).json()
    assert whole["to_seq"] == whole["head_seq"]
    assert all(each["citations"][0]["snippet"] for each in whole["added"])
    atom = atoms_of(owner, gate)[0]
    assert atom["atom_id"] in {each["atom_id"] for each in whole["added"]}
    assert {each["artifact_type"] for each in whole["written"]} >= {"prd"}
    gone = owner.post(
        f"/v1/projects/{gate}/atoms/{atom['atom_id']}/dismiss",
        json={"rationale": "not any more"},
        headers=keyed(),
        params={"wait": True},
    )
    assert gone.status_code == 200
    later = owner.get(path, params={"since_seq": whole["head_seq"]}).json()
    assert [each["atom_id"] for each in later["removed"]] == [atom["atom_id"]]
    assert [each["action"] for each in later["decided"]] == ["atom_dismissal"]
    assert later["added"] == []
    parts = owner.get(path, params={"since_seq": 0, "window": 1}).json()
    assert (parts["to_seq"], parts["head_seq"] > 1) == (1, True)
    assert owner.get(path, params={"since_seq": 10**9}).status_code == 404


def test_the_tools_of_the_assistant_are_listed_for_everybody(called: Called, owner: httpx.Client):
    listed = {one["name"]: one for one in owner.get("/v1/agents/tools").json()}

    assert len(listed) >= 32
    assert listed["delete_task"]["confirm"]
    assert listed["create_task"]["arguments"]["required"] == ["title"]
    with called.client(called.make_token("viewer", called.project)) as viewer:
        assert len(viewer.get("/v1/agents/tools").json()) == len(listed)


def test_a_task_of_a_person_is_made_changed_and_deleted(
    called: Called, owner: httpx.Client, gate: str
):
    path = f"/v1/projects/{gate}/tasks"
    wanted = {"title": "Oil the gate", "sections": {"solutions": ["Use the grease of the depot"]}}
    made = owner.post(path, json=wanted, headers=keyed())
    assert made.status_code == 201, made.text
    task = f"{path}/{made.json()['artifact_id']}"
    of_a_task = wanted | {"feature_id": made.json()["artifact_id"]}
    foreign = owner.post(path, json=of_a_task, headers=keyed())
    assert (foreign.status_code, foreign.json()["code"]) == (404, "unknown_feature")
    changed = owner.patch(
        task, json={"status": "done", "expected_version": 1}, headers=keyed()
    ).json()
    assert (changed["version"], changed["fields"]["status"]) == (2, "done")
    late = owner.patch(task, json={"status": "todo", "expected_version": 1}, headers=keyed())
    assert (late.status_code, late.json()["code"]) == (409, "stale_version")
    with called.client(called.make_token("viewer", gate)) as viewer:
        assert viewer.post(path, json=wanted, headers=keyed()).status_code == 403
    gone = owner.delete(task, params={"expected_version": 2}, headers=keyed())
    assert gone.status_code == 204
    listed = owner.get(f"/v1/projects/{gate}/artifacts", params={"type": "task"}).json()["items"]
    assert "Oil the gate" not in [one["title"] for one in listed]


def test_a_feature_and_a_sprint_of_a_person_are_made_ranked_closed_and_deleted(
    called: Called, owner: httpx.Client, gate: str
):
    features, sprints = f"/v1/projects/{gate}/features", f"/v1/projects/{gate}/sprints"
    wanted = {"title": "Gate by post", "priority": "could"}
    made = owner.post(features, json=wanted, headers=keyed())
    assert made.status_code == 201, made.text
    feature = f"{features}/{made.json()['artifact_id']}"
    atom = atoms_of(owner, gate)[0]["atom_id"]
    why = {"priority": "must", "reason": "Promised", "priority_atom_ids": [atom]}
    ranked = owner.patch(feature, json=why | {"expected_version": 1}, headers=keyed()).json()
    chosen = ranked["fields"]["user_edited"]["priority"]
    assert (ranked["fields"]["priority"], chosen["reason"]) == ("must", "Promised")
    assert (chosen["decided_by"] != "", chosen["atom_ids"]) == (True, [atom])

    held = owner.post(sprints, json={"goal": "Open the gate"}, headers=keyed())
    assert held.status_code == 201, held.text
    sprint = f"{sprints}/{held.json()['artifact_id']}"
    closing = {"is_closed": True, "expected_version": held.json()["version"]}
    closed = owner.patch(sprint, json=closing, headers=keyed()).json()
    assert closed["fields"]["user_edited"]["is_closed"]
    with called.client(called.make_token("member", gate)) as member:
        assert member.post(features, json=wanted, headers=keyed()).status_code == 403
        assert member.patch(sprint, json=closing, headers=keyed()).status_code == 403
    for path, version in ((feature, ranked["version"]), (sprint, closed["version"])):
        gone = owner.delete(path, params={"expected_version": version}, headers=keyed())
        assert gone.status_code == 204, gone.text


def test_how_work_lies_on_a_team_is_recorded_for_whoever_may_read_it(
    called: Called, owner: httpx.Client, gate: str
):
    root = f"/v1/projects/{gate}"
    for path, body in (
        ("members", {"name": "Ana", "capacity_points": 10}),
        ("tasks", {"title": "Oil the hinge", "estimate_points": 8}),
        ("sprints", {"goal": "Open the gate"}),
        ("members", {"name": "Ben", "capacity_points": 10}),
    ):
        made = owner.post(f"{root}/{path}", json=body, headers=keyed())
        assert made.status_code == 201, made.text
    (ana,) = [it for it in owner.get(f"{root}/members").json() if it["name"] == "Ana"]
    for title, points in (("Grease the lock", 5), ("Paint the post", 4)):
        body = {"title": title, "estimate_points": points, "assignee_id": ana["member_id"]}
        made = owner.post(f"{root}/tasks", json=body, headers=keyed())
        assert made.status_code == 201, made.text

    asked = {"message": "Redistribute the load of the team"}
    turn = owner.post(f"{root}/chat", json=asked, headers=keyed()).json()

    (record,) = owner.get(f"{root}/rebalances").json()["items"]
    recorded = record["rebalance_id"]
    assert f"recorded as {recorded}." in turn["answer"]["content"]
    assert turn["answer"]["author"] == "assigner"
    assert all(one["score_delta"] > 0 for one in record["moves"])
    assert owner.get(f"{root}/rebalances/{recorded}").json() == record
    elsewhere = owner.get(f"/v1/projects/{called.other}/rebalances/{recorded}")
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "unknown_rebalance")
