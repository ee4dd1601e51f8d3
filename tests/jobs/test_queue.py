"""The queue against a real PostgreSQL: order, leases, attempts, keys."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from infra.platform.errors import Conflict, NotFound
from infra.store.jobs import lease as leases
from infra.store.jobs.lease import Lease, LeaseLost, claim
from infra.store.jobs.queue import cancel, enqueue, retry
from schemas.ids import job_id
from tests.jobs.builders import ANA, OTHER_PROJECT, PROJECT, TYPES, a_job, put, take
from tests.jobs.conftest import Database, connected

pytestmark = pytest.mark.broker

PAST = datetime(2026, 1, 1, tzinfo=UTC)


def test_jobs_start_by_priority_then_due_time_then_age(database: Database):
    wanted = {
        "urgent, due later": {"priority": "urgent", "run_after": PAST + timedelta(hours=1)},
        "urgent, due first": {"priority": "urgent", "run_after": PAST},
        "background": {"priority": "background", "run_after": PAST},
        "scheduled": {"priority": "scheduled", "run_after": PAST},
        "scheduled, younger": {"priority": "scheduled", "run_after": PAST},
    }
    ids = {put(database.connection, **given): name for name, given in wanted.items()}
    assert [ids[take(database.connection).job_id] for _ in wanted] == [
        "urgent, due first",
        "urgent, due later",
        "scheduled",
        "scheduled, younger",
        "background",
    ]
    assert claim(database.connection, "worker-1", TYPES) is None


def test_many_jobs_of_one_project_do_not_hold_up_those_of_another(database: Database):
    many = [put(database.connection, run_after=PAST) for _ in range(40)]
    few = [put(database.connection, project_id=OTHER_PROJECT, run_after=PAST) for _ in range(5)]
    urgent = put(database.connection, priority="urgent", run_after=PAST)

    assert take(database.connection).job_id == urgent
    started = [take(database.connection).job_id for _ in range(11)]
    assert [one for one in started if one in few] == few
    assert [one for one in started if one in many] == many[:6]
    rest = [take(database.connection).job_id for _ in range(34)]
    assert rest == many[6:]


def test_of_two_projects_the_one_that_has_waited_longer_is_next(database: Database):
    for project in (PROJECT, OTHER_PROJECT, PROJECT, OTHER_PROJECT):
        put(database.connection, project_id=project, run_after=PAST)
    turns = []
    for _ in range(4):
        lease = take(database.connection)
        turns.append(lease.project_id)
        leases.succeed(database.connection, lease, {})
    assert turns == [PROJECT, OTHER_PROJECT] * 2


def test_a_job_starts_neither_before_its_time_nor_at_a_worker_that_cannot_do_it(
    database: Database,
):
    put(database.connection, run_after=datetime.now(UTC) + timedelta(hours=1))
    put(database.connection, job_type="replay")
    assert claim(database.connection, "worker-1", ["report"]) is None


def test_jobs_with_one_serial_key_are_done_one_after_the_other(database: Database):
    first = put(database.connection, serial_key="talk")
    second = put(database.connection, serial_key="talk", priority="urgent")
    other = put(database.connection, serial_key="another talk", priority="background")

    lease = take(database.connection)
    assert lease.job_id == first
    assert take(database.connection).job_id == other
    assert claim(database.connection, "worker-1", TYPES) is None

    leases.fail(database.connection, lease, "Error", "it failed", is_retriable=True)
    assert claim(database.connection, "worker-1", TYPES) is None  # the first one is not over
    database.make_due(first)
    leases.succeed(database.connection, take(database.connection), {})
    assert take(database.connection).job_id == second


def test_a_job_whose_time_has_not_come_holds_up_none_with_its_serial_key(database: Database):
    put(database.connection, serial_key="talk", run_after=datetime.now(UTC) + timedelta(hours=6))
    now = put(database.connection, serial_key="talk")

    assert take(database.connection).job_id == now


def test_two_workers_on_one_job_get_one_lease(database: Database):
    for _ in range(10):
        put(database.connection)

    def work(number: int) -> list[Lease]:
        with connected(database.settings) as own:
            found = iter(lambda: claim(own, f"worker-{number}", TYPES), None)
            return list(found)

    with ThreadPoolExecutor(4) as pool:
        taken = [each.job_id for found in pool.map(work, range(4)) for each in found]
    assert len(taken) == len(set(taken)) == 10
    assert {row["lease_epoch"] for row in database.rows("SELECT * FROM orchestration_jobs")} == {1}


def test_concurrent_enqueues_with_one_key_give_one_job(database: Database):
    new = a_job(key="once")

    def put_again(_: int) -> tuple[str, bool]:
        with connected(database.settings) as own:
            return enqueue(own, new, ANA)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(put_again, range(16)))
    assert {found for found, _ in answers} == {job_id("prj_1", "report", "once")}
    assert sum(is_new for _, is_new in answers) == 1
    assert database.facts(answers[0][0]) == ["enqueued"]


def test_a_key_is_of_one_project_and_type(database: Database):
    others = [{}, {"project_id": "prj_2"}, {"job_type": "replay"}]
    assert len({put(database.connection, key="same", **given) for given in others}) == 3


def test_a_key_is_free_again_once_its_job_is_dead(database: Database):
    first = put(database.connection, key="again")
    leases.fail(database.connection, take(database.connection), "Invalid", "", is_retriable=False)
    second = put(database.connection, key="again")
    assert second != first
    with pytest.raises(Conflict) as refused:
        retry(database.connection, first, ANA)
    assert refused.value.code == "job_replaced"
    leases.succeed(database.connection, take(database.connection), {})
    assert enqueue(database.connection, a_job(key="again"), ANA) == (second, False)


def test_pauses_double_up_to_a_limit_and_the_last_failure_is_the_end(database: Database):
    job = put(database.connection, max_attempts=9)
    for attempt in range(1, 9):
        leases.fail(database.connection, take(database.connection), "E", "no", is_retriable=True)
        row = database.job(job)
        pause_s = (row["run_after"] - row["updated_at"]).total_seconds()
        assert row["status"] == "failed" and row["attempt_count"] == attempt
        assert min(0.9 * 5 * 2 ** (attempt - 1), 270) <= pause_s
        assert pause_s <= min(1.1 * 5 * 2 ** (attempt - 1), 300)
        assert claim(database.connection, "worker-1", TYPES) is None
        database.make_due(job)
    leases.fail(database.connection, take(database.connection), "E", "no", is_retriable=True)
    row = database.job(job)
    assert (row["status"], row["attempt_count"], row["last_error"]) == ("dead", 9, "no")
    assert row["finished_at"] and row["lease_owner"] is None
    assert database.facts(job) == [
        "enqueued",
        *["claimed", "attempt_failed"] * 8,
        "claimed",
        "dead",
    ]


def test_pauses_are_not_all_alike(database: Database):
    jobs = [put(database.connection) for _ in range(8)]
    for _ in jobs:
        leases.fail(database.connection, take(database.connection), "E", "", is_retriable=True)
    rows = [database.job(job) for job in jobs]
    assert len({row["run_after"] - row["updated_at"] for row in rows}) > 1


def test_what_would_fail_again_is_dead_at_once(database: Database):
    job = put(database.connection)
    leases.fail(database.connection, take(database.connection), "Invalid", "", is_retriable=False)
    assert database.job(job)["status"] == "dead"
    assert database.facts(job) == ["enqueued", "claimed", "dead"]


def test_a_late_result_under_an_old_lease_is_refused(database: Database):
    job = put(database.connection)
    late = take(database.connection, "slow")
    database.let_lease_run_out(job)
    assert leases.expire(database.connection) == 1
    current = take(database.connection, "quick")
    assert (current.epoch, current.attempt) == (2, 2)
    before = database.job(job)
    for write in (
        lambda: leases.succeed(database.connection, late, {"by": "slow"}),
        lambda: leases.fail(database.connection, late, "E", "", is_retriable=True),
        lambda: leases.renew(database.connection, late),
    ):
        with pytest.raises(LeaseLost):
            write()
    leases.give_up(database.connection, late)
    assert database.job(job) == before
    leases.succeed(database.connection, current, {"by": "quick"})
    assert database.job(job)["result"] == {"by": "quick"}
    facts = ["enqueued", "claimed", "lease_expired", "claimed", "succeeded"]
    assert database.facts(job) == facts


def test_a_lease_lasts_while_it_is_renewed(database: Database):
    job = put(database.connection)
    lease = take(database.connection)
    database.let_lease_run_out(job)
    leases.renew(database.connection, lease, progress={"done": 3})
    assert leases.expire(database.connection) == 0
    assert database.job(job)["progress"] == {"done": 3}


def test_a_job_that_kills_its_workers_is_dead_in_the_end(database: Database):
    job = put(database.connection, max_attempts=2)
    for _ in range(2):
        take(database.connection)
        database.let_lease_run_out(job)
        leases.expire(database.connection)
    assert database.job(job)["status"] == "dead"
    assert database.facts(job)[-2:] == ["lease_expired", "dead"]


def test_a_worker_that_stops_gives_its_job_back_without_using_up_an_attempt(database: Database):
    put(database.connection, max_attempts=1)
    leases.give_up(database.connection, take(database.connection))
    again = take(database.connection)
    assert (again.attempt, again.epoch) == (1, 2)


@pytest.mark.parametrize("runs", [False, True])
def test_a_cancelled_job_is_done_by_nobody(database: Database, runs: bool):
    job = put(database.connection)
    lease = take(database.connection) if runs else None
    assert cancel(database.connection, job, ANA)
    assert not cancel(database.connection, job, ANA)
    assert claim(database.connection, "worker-1", TYPES) is None
    if lease:
        with pytest.raises(LeaseLost):
            leases.succeed(database.connection, lease, {})
    assert database.job(job)["status"] == "cancelled"
    assert database.facts(job)[-1] == "cancelled"


def test_what_has_ended_is_not_cancelled_and_what_waits_is_not_retried(database: Database):
    job = put(database.connection)
    with pytest.raises(Conflict, match="queued"):
        retry(database.connection, job, ANA)
    leases.succeed(database.connection, take(database.connection), {})
    with pytest.raises(Conflict, match="succeeded"):
        cancel(database.connection, job, ANA)
    for change in (cancel, retry):
        with pytest.raises(NotFound):
            change(database.connection, "job_none", ANA)


@pytest.mark.parametrize("end", ["failed", "dead", "cancelled"])
def test_a_retried_job_has_all_its_attempts_and_new_facts(database: Database, end: str):
    job = put(database.connection, max_attempts=3)
    lease = take(database.connection)
    if end == "cancelled":
        cancel(database.connection, job, ANA)
    else:
        leases.fail(database.connection, lease, "E", "", is_retriable=end == "failed")
    assert database.job(job)["status"] == end
    retry(database.connection, job, ANA)
    row = database.job(job)
    assert (row["status"], row["attempt_count"], row["last_error"]) == ("queued", 0, None)
    assert take(database.connection).epoch == 3
    ids = database.rows("SELECT event_id FROM outbox")
    assert len({each["event_id"] for each in ids}) == len(ids) == 5


def test_facts_stand_with_the_change_or_not_at_all(database: Database):
    with pytest.raises(RuntimeError), database.connection.transaction():
        job = put(database.connection)
        raise RuntimeError
    assert database.rows("SELECT * FROM orchestration_jobs") == []
    assert database.facts(job) == []
