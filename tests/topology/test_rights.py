"""What each process may do on a broker follows the table of topics, and the page says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.platform.settings import Settings
from infra.service.upkeep.rights import (
    DEAD_LETTERS,
    GROUPS,
    PARTS,
    as_command,
    rights_of,
    written_by,
)
from schemas.topics import TOPICS

PAGE = Path(__file__).parents[2] / "infra" / "CLUSTER.md"
EVERYWHERE = "all stages"


def row(process: str) -> str:
    """The row of the page's table."""

    def listed(names: tuple[str, ...], otherwise: str) -> str:
        return ", ".join(f"`{name}`" for name in names) or otherwise

    written = listed(tuple(written_by([process])), "nothing")
    return f"| {process} | {written} | {listed(GROUPS.get(process, ()), 'none')} |"


@pytest.mark.parametrize("process", PARTS)
def test_the_page_lists_what_a_process_may_do(process: str) -> None:
    assert row(process) in PAGE.read_text().splitlines()


def test_every_producer_of_a_topic_runs_in_a_process() -> None:
    named = {part for topic in TOPICS for part in topic.producers} - {EVERYWHERE}
    assert named - {part for parts in PARTS.values() for part in parts} - {"operators"} == set()


def test_who_writes_anything_may_write_dead_letters() -> None:
    for process, parts in PARTS.items():
        assert (DEAD_LETTERS in written_by([process])) == bool(parts)


def test_an_account_of_several_processes_has_the_rights_of_each() -> None:
    together = set(rights_of(Settings(), list(PARTS)))
    assert together == {each for process in PARTS for each in rights_of(Settings(), [process])}


def test_only_who_starts_everything_may_make_topics() -> None:
    makers = {
        process
        for process in PARTS
        if any("Create" in each.operations for each in rights_of(Settings(), [process]))
    }
    assert makers == {"commands"}


def test_a_right_is_told_as_a_line_of_kafkas_tool() -> None:
    (line,) = [
        as_command(right, "ana")
        for right in rights_of(Settings(topic_prefix="yard"), ["projector"])
        if right.kind == "topic"
    ]
    assert line.endswith("--operation Read --topic 'yard.' --resource-pattern-type prefixed")
    assert "--allow-principal 'User:ana'" in line
