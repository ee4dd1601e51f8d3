"""Every command asks over HTTP: it prints the same with and without CAIRN_URL, byte for byte."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stdout
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from infra.cli import build
from infra.cli.commands import ONLY_HERE
from infra.platform.errors import Forbidden, Invalid, Refusal
from infra.platform.settings import Settings, SettingsError
from infra.runtime.local.process import wait_until
from tests.http.conftest import Called

LOOKS = 20  # at what other tests, or facts on their way into the tables, may change meanwhile
READS = [
    "project list",
    "project list --json",
    "atoms",
    "atoms --json",
    "agents turns --json",
    "assistant providers",
    "assistant providers --json",
    "workflow list",
    "workflow list --json",
    "workflow metrics",
    "workflow metrics --json",
    "atoms --kind risk --order age --limit 3 --json",
    "atoms --as-of-seq 3 --json",
    "atoms --as-of 2100-01-01T00:00 --json",
    "contradictions --json",
    "contradictions --cards",
    "contradictions --as-of 2100-01-01T00:00 --json",
    "contradictions --as-of-seq 3 --json",
    "merges",
    "merges --json",
    "waiting --json",
    "rejections",
    "rejections --json",
    "sources",
    "sources --skipped --json",
    "coverage",
    "coverage --json",
    "coverage --as-of-seq 3",
    "coverage --as-of 2100-01-01T00:00 --json",
    "explain README.md --json",
    "search parcels",
    "search parcels --json",
    "next-batch --json",
    "runs",
    "runs --json",
    "runs deltas --json",
    "show prd",
    "show prd --more",
    "show prd --json",
    "show prd --as-of 2100-01-01T00:00",
    "show features",
    "show features --json",
    "show tasks",
    "show sprint --json",
    "show report",
    "costs",
    "costs --by model --json",
    "budgets list",
]


class Terminal:
    """Runs commands in this process: on the service's machine, or with an address and a token."""

    def __init__(self, called: Called) -> None:
        self._called = called

    def here(self, *arguments: str) -> tuple[str, int]:
        return self.run({"CAIRN_HOME": str(self._called.cairn.home)}, arguments)

    def elsewhere(self, *arguments: str, token: str | None = None) -> tuple[str, int]:
        environ = {
            "CAIRN_URL": self._called.url,
            "CAIRN_TOKEN": self._called.token if token is None else token,
            "CAIRN_HOME": str(self._called.folder.parent / "nothing here"),
        }
        return self.run(environ, arguments)

    def run(self, environ: dict[str, str], arguments: Sequence[str]) -> tuple[str, int]:
        """Standard output and the exit code. Raises what the command raises."""
        out = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out):
            for name in ("CAIRN_KAFKA_BOOTSTRAP", "CAIRN_DATABASE_URL", "CAIRN_URL"):
                patch.delenv(name, raising=False)
            for name, value in environ.items():
                patch.setenv(name, value)
            try:
                build()(args=list(arguments), prog_name="cairn")
            except SystemExit as ended:
                return out.getvalue(), int(ended.code or 0)
        return out.getvalue(), 0

    def same(self, *arguments: str) -> str:
        """What the command prints, which must be the same here and over HTTP.

        The service is shared, so a state may change between the two. A difference counts when
        the command prints here after it what it printed before it.
        """
        for _ in range(LOOKS):
            here = self.here(*arguments)
            there = self.elsewhere(*arguments)
            if here == there or here == self.here(*arguments):
                break
        assert here == there
        assert here[1] == 0
        return here[0]


@pytest.fixture
def terminal(called: Called) -> Terminal:
    return Terminal(called)


@pytest.mark.parametrize("command", READS)
def test_a_read_prints_the_same_here_and_over_http(terminal: Terminal, command: str):
    arguments = command.split()
    if arguments[0] != "project":
        arguments += ["--project", "Parcel"]
    terminal.same(*arguments)


def test_ids_lead_to_their_project_over_http(terminal: Terminal):
    atoms, _ = terminal.here("atoms", "--project", "Parcel", "--json")
    atom_id = json.loads(atoms.splitlines()[0])["atom_id"]
    for command in (["trace", atom_id], ["trace", atom_id, "--json"], ["trace", atom_id, "--why"]):
        terminal.same(*command)
    runs, _ = terminal.here("runs", "--project", "Parcel", "--json")
    report = ["runs", "report", json.loads(runs.splitlines()[0])["run_id"]]
    terminal.same(*report)


def test_an_export_and_a_comment_are_made_over_http_as_here(terminal: Terminal, tmp_path: Path):
    for name, run in (("here", terminal.here), ("elsewhere", terminal.elsewhere)):
        assert run("export", "--project", "Parcel", "--out", str(tmp_path / name))[1] == 0
    made = {
        name: {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("here", "elsewhere")
    }
    assert made["here"] == made["elsewhere"]
    diff = tmp_path / "change.diff"
    diff.write_text("--- a/README.md\n+++ b/README.md\n@@ -1,9 +0,0 @@\n" + "-\n" * 9)
    comment = ("pr-comment", "--project", "Parcel", "--diff", str(diff))
    assert "README.md:" in terminal.same(*comment)


def test_status_tells_the_same_installation_over_http(terminal: Terminal):
    told, _ = terminal.here("status", "--json")
    heard, code = terminal.elsewhere("status", "--json")
    here, elsewhere = json.loads(told), json.loads(heard)
    assert code == 0
    for name in ("home", "versions", "http", "topic_prefix", "partitions", "running"):
        assert here[name] == elsewhere[name]


@pytest.fixture(scope="module")
def packed(called: Called) -> dict[str, Any]:
    """A project whose folder was packed and sent: what the command told of it."""
    terminal = Terminal(called)
    project = terminal.elsewhere("project", "create", "Packed")[0].strip()
    ingest = ("ingest", str(called.folder), "--project", project, "--wait", "--json")
    printed, code = terminal.elsewhere(*ingest)
    told = json.loads(printed)
    assert (code, told["project_id"]) == (0, project)
    return dict(told)


def test_a_folder_is_read_over_http_as_it_is_here(
    terminal: Terminal, called: Called, packed: dict[str, Any]
):
    assert packed["root"] == called.folder.name
    assert packed["complete"] and packed["feed"]["fed"] == packed["feed"]["listed"] > 0
    assert [run["status"] for run in packed["runs"]] == ["stopped", "stopped"]
    for command, fields in (
        (["sources"], ("root", "path", "state", "reason")),
        (["atoms", "--status", "all", "--min-confidence", "0.6"], ("kind", "title", "body")),
    ):
        here = _rows(terminal, "Parcel", command, fields)
        there = _rows(terminal, packed["project_id"], command, fields)
        assert there and there <= here


def test_people_decide_edit_judge_and_report_over_http(
    terminal: Terminal, tmp_path: Path, packed: dict[str, Any]
):
    project = ("--project", packed["project_id"])

    def tell(*command: str) -> str:
        printed, code = terminal.elsewhere(*command)
        assert code == 0, command
        return printed

    def rows(*command: str) -> list[Any]:
        """As they are on the machine of the service."""
        printed, _ = terminal.here(*command, *project, "--json")
        return [json.loads(line) for line in printed.splitlines()]

    why = ("--rationale", "the security review has settled it")
    card = rows("contradictions")[0]["contradiction_id"]
    tell("resolve", card, "--a-wins", *why)
    assert card not in {one["contradiction_id"] for one in rows("contradictions")}
    atom = rows("atoms", "--kind", "claim")[0]["atom_id"]
    tell("dismiss", atom, *why)
    assert atom not in {one["atom_id"] for one in rows("atoms")}
    tell("reinclude", atom)
    assert atom in {one["atom_id"] for one in rows("atoms")}

    page = tmp_path / "risks.md"
    page.write_text("# Risks\n\n- Depots of the harbour may lose their power for days.\n")
    tell("edit", "prd", *project, "--section", "risks", "--file", str(page))
    assert "Depots of the harbour" in terminal.here("show", "prd", *project)[0]
    judged = json.loads(tell("quality", "run", *project, "--json"))
    assert judged["quality_run_id"] in {one["quality_run_id"] for one in rows("quality", "list")}
    shown = ("quality", "show", judged["quality_run_id"], *project, "--json")
    terminal.same(*shown)

    tell("members", "add", "Ada", *project, "--skill", "backend:4", "--capacity", "20")
    tell("plan", *project, "--start", "2026-05-04")
    report = json.loads(tell("report", "forecast", *project, "--as-of", "2026-05-06", "--json"))
    assert [one["artifact_id"] for one in rows("show", "report")] == [report["artifact_id"]]


def test_a_run_that_has_ended_and_a_pipeline_are_told_over_http_as_here(
    terminal: Terminal, packed: dict[str, Any]
):
    run_id, codes = packed["runs"][0]["run_id"], []
    for run in (terminal.here, terminal.elsewhere):
        with pytest.raises(Refusal) as refused:
            run("runs", "cancel", run_id)
        codes.append(refused.value.code)
    assert codes[0] == codes[1]
    assert terminal.elsewhere("runs", "resume", run_id)[1] == 0
    project = ("--project", packed["project_id"])
    pipeline = terminal.elsewhere("onboard", "start", *project)[0].strip()
    assert terminal.elsewhere("onboard", "cancel", pipeline)[1] == 0
    show = ("onboard", "show", pipeline, "--json")
    assert wait_until(lambda: "cancelled" in terminal.here(*show)[0], timeout_s=60)
    for command in (["show", pipeline, "--json"], ["list", *project, "--json"]):
        told = terminal.same("onboard", *command)
        assert pipeline in told and "cancelled" in told


def _rows(terminal: Terminal, project: str, command: list[str], fields: Sequence[str]) -> set[Any]:
    printed, _ = terminal.here(*command, "--project", project, "--json")
    rows = map(json.loads, printed.splitlines())
    return {tuple(row[field] for field in fields) for row in rows}


def test_a_decision_prints_the_same_here_and_over_http(terminal: Terminal):
    printed, _ = terminal.here("atoms", "--project", "Parcel", "--kind", "risk", "--json")
    atom_id = json.loads(printed.splitlines()[0])["atom_id"]
    decided = []
    for run in (terminal.here, terminal.elsewhere):
        decided.append((run("verify", atom_id), run("unverify", atom_id)))
    assert decided[0] == decided[1]
    assert decided[0][0][1] == 0
    undone = []
    for run in (terminal.here, terminal.elsewhere):
        verified = json.loads(run("verify", atom_id, "--json")[0])
        undone.append(run("undo", verified["hitl_event_id"]))
    assert undone[0] == undone[1]
    assert (undone[0][1], "no longer verified" in undone[0][0]) == (0, True)
    with pytest.raises(Refusal) as refused:
        terminal.elsewhere("unverify", atom_id, "--json")
    assert refused.value.code == "not_verified"


def test_members_and_plans_are_told_over_http_as_here(terminal: Terminal):
    project = terminal.here("project", "create", "Planned")[0].strip()
    away = ["--skill", "testing:4", "--capacity", "8", "--away", "2027-01-01..2027-01-05"]
    terminal.elsewhere("members", "add", "Ada", "-p", project, *away)
    terminal.elsewhere("members", "update", "Ada", "-p", project, "--role", "developer")
    terminal.elsewhere("plan", "-p", project, "--velocity", "20")
    listing = ["members", "list", "-p", project]
    for command in (listing, [*listing, "--json"]):
        assert "Ada" in terminal.same(*command)
    terminal.elsewhere("members", "remove", "Ada", "-p", project)
    assert "Ada" not in terminal.here("members", "list", "-p", project)[0]
    terminal.same("jobs", "list")


def test_schedules_and_hours_are_told_over_http_as_here(terminal: Terminal):
    project = terminal.here("project", "create", "Scheduled")[0].strip()
    hours = ["project", "settings", "-p", project]
    terminal.elsewhere(*hours, "--timezone", "Europe/Berlin", "--quiet", "22:00-07:00")
    assert "quiet hours: 22:00 to 07:00" in terminal.same(*hours)

    weekly = ["--every", "monday", "--at", "09:00", "--work", "report sprint"]
    add = ["schedules", "add", "-p", project, *weekly, "--idempotency-key", "weekly"]
    schedule_id = terminal.elsewhere(*add)[0].strip()
    assert terminal.here(*add)[0].strip() == schedule_id
    listing = ["schedules", "list", "-p", project]
    for command in (listing, [*listing, "--json"]):
        terminal.same(*command)
    (told,) = [json.loads(line) for line in terminal.here(*listing, "--json")[0].splitlines()]
    assert (told["job_type"], told["payload"]) == ("report", {"report_type": "sprint"})
    due = datetime.fromisoformat(told["next_run_at"]).astimezone(ZoneInfo("Europe/Berlin"))
    assert f"{due:%A %H:%M}" == "Monday 09:00"

    terminal.elsewhere("schedules", "update", schedule_id, "-p", project, "--title", "Weekly")
    assert "Weekly" in terminal.here(*listing)[0]
    job_ids = set()
    for run in (terminal.here, terminal.elsewhere):
        now = ["schedules", "run", schedule_id, "-p", project, "--idempotency-key", run.__name__]
        job_ids.add(run(*now)[0].strip())
    cron = ["schedules", "update", schedule_id, "-p", project, "--cron", "30 6 * * tue,fri UTC"]
    changed = json.loads(terminal.elsewhere(*cron, "--json")[0])
    due = datetime.fromisoformat(changed["next_run_at"])
    assert (f"{due:%H:%M}", due.weekday() in (1, 4)) == ("06:30", True)
    report = [
        "report",
        "--payload",
        '{"report_type": "sprint", "as_of": "2026-11-01"}',
        "-p",
        project,
    ]
    for run in (terminal.here, terminal.elsewhere):
        put = ["jobs", "enqueue", *report, "--idempotency-key", f"put-{run.__name__}"]
        job_ids.add(run(*put)[0].strip())
    assert len(job_ids) == 4
    listed = [json.loads(line) for line in terminal.same("jobs", "list", "--json").splitlines()]
    assert job_ids <= {each["job_id"] for each in listed}
    terminal.same("dlq", "list")
    terminal.elsewhere("schedules", "remove", schedule_id, "-p", project)
    assert "Weekly" not in terminal.here(*listing)[0]
    with pytest.raises(Refusal, match="There is no schedule"):
        terminal.elsewhere("schedules", "remove", schedule_id, "-p", project)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("atoms --project Unknown", "unknown_project"),
        ("trace atm_0000", "unknown_id"),
    ],
)
def test_what_cannot_be_answered_over_http_is_refused(terminal: Terminal, command: str, code: str):
    with pytest.raises(Refusal) as refused:
        terminal.elsewhere(*command.split())
    assert refused.value.code == code


def test_a_token_that_is_none_is_refused(terminal: Terminal):
    with pytest.raises(Refusal) as refused:
        terminal.elsewhere("atoms", "--project", "Parcel", token="no token")
    assert refused.value.code == "unauthenticated"


@pytest.mark.parametrize("name", sorted(ONLY_HERE))
def test_a_command_of_the_machine_is_wrong_use_where_a_service_elsewhere_is_named(name: str):
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setenv("CAIRN_URL", "https://cairn.example")
        build()(args=[name], prog_name="cairn")
    assert ended.value.code == 2


@pytest.mark.parametrize(
    "url", ["cairn.example", "ftp://cairn.example", "https://me:secret@cairn.example"]
)
def test_an_address_that_is_none_is_named_without_what_it_says(url: str):
    with pytest.raises(SettingsError, match="CAIRN_URL") as refused:
        Settings.from_env({"CAIRN_URL": url})
    assert "secret" not in str(refused.value)


def test_a_token_may_stand_in_a_file(terminal: Terminal, called: Called, tmp_path: Path):
    file = tmp_path / "token"
    file.write_text(f"{called.token}\n")
    known = {"CAIRN_URL": called.url, "CAIRN_HOME": str(tmp_path), "CAIRN_TOKEN_FILE": str(file)}
    assert terminal.run(known, ["project", "list"]) == terminal.here("project", "list")
    file.unlink()
    with pytest.raises(Invalid, match="CAIRN_TOKEN_FILE"):
        terminal.run(known, ["project", "list"])
    with pytest.raises(Invalid, match="CAIRN_TOKEN"):
        terminal.run({"CAIRN_URL": called.url}, ["project", "list"])


def test_all_connectors_of_a_project_are_removed_with_one_key(terminal: Terminal):
    of_project = ("--project", terminal.here("project", "create", "Two doors")[0].strip())
    for target in ("acme/front", "acme/back"):
        secret = ("--credential", "webhook=env:CONNECTOR_HOOK")
        added = terminal.here(
            "connector", "add", "github", target, *secret, "--no-check", *of_project
        )
        assert added[1] == 0
    removed = ("connector", "remove", "all", *of_project, "--idempotency-key", "both-doors")
    assert terminal.elsewhere(*removed) == ("", 0)
    assert terminal.here("connector", "list", *of_project, "--json") == ("", 0)


def test_the_owner_decides_on_behalf_of_others_and_the_audit_keeps_both_names(
    terminal: Terminal, called: Called
):
    atom = json.loads(
        terminal.here("atoms", "-p", "Parcel", "--kind", "claim", "--json")[0].splitlines()[0]
    )["atom_id"]
    why = ("--rationale", "the courier has asked for it")
    as_bo = ("--as", "Bø", "--role", "member")
    told = json.loads(terminal.elsewhere("dismiss", atom, *why, *as_bo, "--json")[0])
    assert (told["outcome"], told["actor_id"], told["actor_role"]) == ("proposed", "Bø", "member")
    with called.client() as owner:
        rows = owner.get(f"/v1/projects/{called.project}/audit", params={"limit": 1000}).json()
        me = owner.get("/v1/me").json()["name"]
    (row,) = [each for each in rows["items"] if each["actor"] == "Bø"]
    assert (row["spoken_by"], row["role"], row["operation"]) == (me, "member", "dismiss_atom")
    assert terminal.here("withdraw", told["hitl_event_id"], *as_bo)[1] == 0


def test_nobody_but_the_owner_of_the_installation_speaks_for_others(
    terminal: Terminal, called: Called
):
    member = called.make_token("member", called.project)
    for another in (member, called.make_token("owner")):
        for option in (("--role", "owner"), ("--as", "ana")):
            with pytest.raises(Forbidden) as refused:
                terminal.elsewhere("verify", "atm_0000", *option, token=another)
            assert refused.value.code == "may_not_speak_for_others"


def test_only_the_owner_of_the_installation_names_files_of_its_machine(called: Called):
    folder = {"kind": "folder", "path": str(called.folder)}
    with called.client(called.make_token("owner")) as another:
        for path, body in (
            (f"/v1/projects/{called.project}/sources", folder),
            ("/v1/models", {"name": "mine"}),
            ("/v1/jobs", {"job_type": "rebuild"}),
        ):
            answered = another.post(path, json=body)
            assert (answered.status_code, answered.json()["code"]) == (403, "token_of_home_needed")
