"""What a client changes over HTTP: once for each key, by the right role, and written down."""

from __future__ import annotations

import io
import secrets
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from infra.local.process import wait_until
from tests.http.conftest import Called

pytestmark = pytest.mark.broker
Ask = Callable[..., Any]
PATIENCE_S = 120
PAGE = "# Gate\n\n## Requirements\n\n- The gate must keep its records for ten years.\n"


def keyed(key: str = "") -> dict[str, str]:
    return {"idempotency-key": key or secrets.token_hex(8)}


def atoms_of(client: httpx.Client, project: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/v1/projects/{project}/atoms").json()["items"]
    return found


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
    follow = f"/v1/projects/{project}/ingestions/{done.json()['trigger_key']}"
    assert wait_until(lambda: owner.get(follow).json()["settled"], timeout_s=PATIENCE_S)
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
    assert sent.status_code in (200, 202)
    assert owner.post(path, json=more, headers=key).json() == sent.json()
    follow = f"/v1/projects/{gate}/ingestions/{sent.json()['trigger_key']}"
    assert wait_until(lambda: owner.get(follow).json()["settled"], timeout_s=PATIENCE_S)
    paths = {each["path"] for each in owner.get(path).json()["items"]}
    assert paths == {"a/gate.md", "b.md"}


def test_an_archive_is_read(owner: httpx.Client, gate: str):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        content = b"# Handbook\n\nThe office must close at six.\n"
        entry = tarfile.TarInfo("handbook/office.md")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    path, kind = f"/v1/projects/{gate}/archives", {"content-type": "application/octet-stream"}
    sent = owner.post(
        path, params={"name": "handbook.tar.gz"}, content=packed.getvalue(), headers=kind | keyed()
    )
    assert (sent.status_code, sent.json()["listed"]) == (202, 1), sent.text
    for name in ("../x.tar.gz", "x.exe", "a\nb.zip"):
        refused = owner.post(path, params={"name": name}, content=b"x", headers=kind | keyed())
        assert (refused.status_code, refused.json()["code"]) == (422, "archive_name_invalid")
    damaged = owner.post(path, params={"name": "x.zip"}, content=b"no zip", headers=kind | keyed())
    assert damaged.status_code == 409


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
    assert recorded.status_code in (200, 202)
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
    refused = owner.get(events, params={"target": atom["atom_id"]}).json()["items"][-1]
    nothing = owner.post(f"{events}/{refused['hitl_event_id']}/undo", json={}, headers=keyed())
    assert (nothing.status_code, nothing.json()["code"]) == (409, "not_undoable")
    assert "cannot be taken back: it changed nothing." in nothing.json()["message"]
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
    bad = owner.post(f"{path}/{first['atom_id']}/verify", json={}, headers=keyed("a b"))
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
    assert refused["detail"]["decision"]["outcome"] == "refused"
    seen = ask("/changes", since_seq=0, window=2_000)
    assert {each["target_id"] for each in seen["decided"]} >= {card["contradiction_id"]}


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
        proposal_id = proposed.json()["decision_id"]
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
    answer = f"/proposals/{proposed['decision_id']}/decision"
    no = {"decision": "decline"}
    theirs = f"/v1/projects/{called.project}"
    assert owner.post(theirs + answer, json=no, headers=keyed()).status_code == 404
    ours = f"/v1/projects/{gate}{answer}"
    assert owner.post(ours, json=no, headers=keyed(), params=waiting).status_code == 422
    said = no | {"rationale": "the other place is older"}
    declined = owner.post(ours, json=said, headers=keyed(), params=waiting).json()
    assert (declined["outcome"], declined["proposed_by"]) == ("declined", "leo")


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
    assert all(each["citations"][0]["snippet"] for each in whole["came"])
    atom = atoms_of(owner, gate)[0]
    assert atom["atom_id"] in {each["atom_id"] for each in whole["came"]}
    assert {each["artifact_type"] for each in whole["written"]} >= {"prd"}
    gone = owner.post(
        f"/v1/projects/{gate}/atoms/{atom['atom_id']}/dismiss",
        json={"rationale": "not any more"},
        headers=keyed(),
        params={"wait": True},
    )
    assert gone.status_code == 200
    later = owner.get(path, params={"since_seq": whole["head_seq"]}).json()
    assert [each["atom_id"] for each in later["went"]] == [atom["atom_id"]]
    assert [each["action"] for each in later["decided"]] == ["atom_dismissal"]
    assert later["came"] == []
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
    chosen = ranked["fields"]["owned"]["priority"]
    assert (ranked["fields"]["priority"], chosen["reason"]) == ("must", "Promised")
    assert (chosen["decided_by"] != "", chosen["atom_ids"]) == (True, [atom])

    held = owner.post(sprints, json={"goal": "Open the gate"}, headers=keyed())
    assert held.status_code == 201, held.text
    sprint = f"{sprints}/{held.json()['artifact_id']}"
    closing = {"is_closed": True, "expected_version": held.json()["version"]}
    closed = owner.patch(sprint, json=closing, headers=keyed()).json()
    assert closed["fields"]["owned"]["is_closed"]
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
    ):
        made = owner.post(f"{root}/{path}", json=body, headers=keyed())
        assert made.status_code == 201, made.text

    asked = {"message": "Redistribute the load of the team"}
    turn = owner.post(f"{root}/chat", json=asked, headers=keyed()).json()

    (record,) = owner.get(f"{root}/rebalances").json()["items"]
    recorded = record["rebalance_id"]
    assert f"recorded as {recorded}." in turn["answer"]["content"]
    assert owner.get(f"{root}/rebalances/{recorded}").json() == record
    elsewhere = owner.get(f"/v1/projects/{called.other}/rebalances/{recorded}")
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "unknown_rebalance")
