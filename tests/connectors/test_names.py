"""Names of roots, folders, files and items are free of secrets before anything is made of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from connectors.connector import Item, Listing, Notice, SourceUnavailable, redact_listing
from connectors.feeder import FeedOrder, FeedReport, InFlightWindow, feed
from connectors.publishing import publish_items, redact_item
from connectors.recognise import open_source
from connectors.service_items import DeletedItem, Remark, ServiceItem
from schemas.codec import encode
from schemas.envelope import Actor, Envelope
from schemas.events.source import SourceRevised
from tests.connectors.memory_broker import MemoryBroker
from tests.connectors.redactors import REDACTOR
from tests.hygiene.builders import MIXED

FIRST, SECOND = "gh" + "p_" + MIXED[:36], "gh" + "p_" + MIXED[5:41]
NAME = partial(REDACTOR.name, "prj_demo")
AT = datetime(2026, 1, 1, tzinfo=UTC)
ORDER = FeedOrder("prj_demo", "key-1", Actor(type="human", id="ada"), AT)


def a_folder(tmp_path: Path, name: str = "shop") -> Path:
    folder = tmp_path / name
    for path in (
        f"keys/{FIRST}.md",
        f"keys/{SECOND}.md",
        f"{FIRST}/notes.md",
        f"{SECOND}/notes.md",
        "README.md",
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"What stands in {len(path)}: {path == 'README.md'}.\n")
    return folder


def listed(folder: Path) -> Listing:
    told: list[str] = []
    return redact_listing(open_source(str(folder), None, folder.parent, told.append).list(), NAME)


def facts_of(listing: Listing) -> list[Envelope]:
    log: list[Envelope] = []

    async def publish(facts: Sequence[Envelope]) -> None:
        log.extend(facts)

    async def run() -> FeedReport:
        return await feed(
            listing,
            ORDER,
            publish=publish,
            encrypt=lambda content, owner: ("key", b""),
            last_accepted={},
            window=InFlightWindow(max_records=10**6, max_bytes=10**9),
        )

    asyncio.run(run())
    return log


def test_no_name_of_file_or_folder_reaches_a_record(tmp_path: Path) -> None:
    with listed(a_folder(tmp_path, f"of-{FIRST}")) as listing:
        facts = facts_of(listing)
    written = b"".join(encode(fact.recorded(AT)) for fact in facts)
    assert b"[REDACTED:GITHUB_TOKEN:1]" in written
    assert FIRST.encode() not in written
    assert SECOND.encode() not in written


def test_files_whose_names_differ_by_a_secret_only_stay_two(tmp_path: Path) -> None:
    with listed(a_folder(tmp_path)) as listing:
        paths = [item.path for item in listing.items]
    one, two = NAME(FIRST), NAME(SECOND)
    assert one.startswith("[REDACTED:GITHUB_TOKEN:1]~") and one != two
    assert sorted(paths) == sorted(
        ["README.md", *(path for it in (one, two) for path in (f"keys/{it}.md", f"{it}/notes.md"))]
    )


def test_another_file_beside_it_does_not_rename_a_file(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    with listed(folder) as listing:
        before = {item.path for item in listing.items}
    (folder / "keys" / f"{FIRST[:-1]}Z.md").write_text("# Another\n")
    with listed(folder) as listing:
        assert before < {item.path for item in listing.items}


def test_the_same_files_have_the_same_ids_wherever_they_are_read(tmp_path: Path) -> None:
    ids = []
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        with listed(a_folder(tmp_path / place)) as listing:
            ids.append(
                [it.event.source for it in facts_of(listing) if isinstance(it.event, SourceRevised)]
            )
    assert ids[0] == ids[1]
    assert len({source.source_id for source in ids[0]}) == 5


def test_a_name_that_looks_redacted_already_keeps_its_own_source() -> None:
    literal = "[REDACTED:GITHUB_TOKEN:1].md"
    items = tuple(Item(path, 0, bytes) for path in (f"{FIRST}.md", literal))
    named = redact_listing(Listing("shop", True, items), NAME)
    assert {it.path for it in named.items} == {literal, f"{NAME(FIRST)}.md"}


def test_of_two_files_with_one_redacted_name_the_later_is_left_out_with_a_notice() -> None:
    paths = (f"{FIRST}.md", f"{NAME(FIRST)}.md")
    named = redact_listing(Listing("shop", True, tuple(Item(it, 0, bytes) for it in paths)), NAME)
    assert [it.path for it in named.items] == [paths[1]]
    assert named.notices == (Notice(paths[1], "duplicate_name"),)


def test_another_project_sees_another_name() -> None:
    assert REDACTOR.name("prj_demo", FIRST) != REDACTOR.name("prj_other", FIRST)


@pytest.mark.parametrize(
    "name",
    [
        f"keys/{FIRST}/{SECOND}.md",
        f"password={MIXED[:14]}.txt",
        f"https://ana:{MIXED[:14]}@db.example/x",
        f"AKIA{MIXED[:16].upper()}",
        f"{FIRST}_and_{SECOND}",
        f"xoxb-123456789012-123456789012-{MIXED[:24]}_{MIXED[5:41]}",
    ],
)
def test_a_redacted_name_stays_as_it_is(name: str) -> None:
    assert NAME(name) != name
    assert NAME(NAME(name)) == NAME(name)
    assert REDACTOR.text(NAME(name)) == NAME(name)
    assert REDACTOR.text(REDACTOR.text(name)) == REDACTOR.text(name)


def test_notices_removals_and_what_cannot_be_read_name_no_secret() -> None:
    def fetch() -> bytes:
        raise SourceUnavailable(f"/tmp/{FIRST}.md cannot be read.")

    items = (Item(f"{FIRST}.md", 0, fetch),)
    notices = (Notice(f"{FIRST}/link", "link"),)
    listing = Listing("shop", False, items, notices, removed=(f"old-{FIRST}",))
    named = redact_listing(listing, NAME)
    with pytest.raises(SourceUnavailable) as refused:
        named.items[0].read()
    assert FIRST not in f"{named.notices}{named.removed}{refused.value}"


def test_ordinary_names_are_left_alone() -> None:
    paths = ["src/tokens/refresh_token.py", "docs/secret-management.md", "a/3f786850e387550f.js"]
    listing = Listing("shop", True, tuple(Item(path, 0, bytes) for path in paths))
    named = redact_listing(listing, NAME)
    assert {it.path for it in named.items} == set(paths)


def test_the_title_of_an_item_reaches_no_record() -> None:
    broker = MemoryBroker()
    item = ServiceItem(
        "jira",
        "lab.example/LAB",
        "LAB-1",
        "issue",
        f"DB password={MIXED[:14]} printed in the wiki",
        (Remark("1", "ana", None, AT, "The service must mask tokens."),),
        AT,
        "1",
        about=f"about {FIRST}",
    )
    asyncio.run(publish_items([item], ORDER, broker.publisher()))
    written = repr(broker.__dict__)
    assert "REDACTED:SECRET_VALUE:1" in written
    assert MIXED[:14] not in written
    assert FIRST not in written


def test_an_address_in_a_chats_title_reaches_no_record() -> None:
    broker = MemoryBroker()
    said = (Remark("1", "p_1", None, AT, "The service must mask tokens."),)
    thread = ServiceItem(
        "slack", "slack/T1/C1", "1.1", "chat_thread", "#ana.brown@example.com, 2026", said, AT, "1"
    )
    asyncio.run(publish_items([thread], ORDER, broker.publisher()))
    written = repr(broker.__dict__)
    assert "#[EMAIL:1], 2026" in written
    assert "ana.brown" not in written


def test_an_item_and_its_deletion_have_one_address() -> None:
    said = (Remark("1", "ana", None, AT, "Text."),)
    path = f"LAB-1/attachments/9/{FIRST}.md"
    item = ServiceItem("jira", "jira/x/LAB", path, "doc", "notes", said, AT, "1")
    gone = DeletedItem("jira", "jira/x/LAB", path, AT)
    redacted = [redact_item(each, "prj_demo", REDACTOR) for each in (item, gone)]
    assert FIRST not in redacted[0].path
    assert redacted[0].path == redacted[1].path
    assert redacted == [redact_item(each, "prj_demo", REDACTOR) for each in redacted]
