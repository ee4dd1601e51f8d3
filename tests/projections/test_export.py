"""An export opens without a server, leads from every statement to its quote, and does nothing."""

from __future__ import annotations

import asyncio
import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from infra.cli.export import MARKER, write_export
from infra.client.models.views import Export
from infra.http.export.site import build_site
from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.reading.exporting import ExportedProject, read_export
from projections.read.atoms import Atom, Quote
from tests.projections.builders import PROJECT, a_contradiction, an_atom
from tests.projections.conftest import ReadModel
from tests.projections.log import Story
from tests.projections.test_folding import projected

ATTACK = (
    "<script>alert(1)</script><img src=//x.test onerror=alert(2)> \"' &lt; \x02atm_1\x03 \u202egpj"
)
TEXT = (
    f"First line.\n\nCallers use\nJWT \U0001f511 tokens, {ATTACK}.\n\nCallers use cookies.\nLast."
)
MEGABYTE = 1_000_000
MANY = 1_500  # pages are filled by bytes: more atoms show nothing else
OUR_TAGS = {"script": {"src", "defer"}, "img": {"src", "alt"}}


@dataclass
class Page(HTMLParser):
    """What a browser would take a page for."""

    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    marked: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    _row: str = ""
    _line: int = 0
    _in_mark: bool = False

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.tags.append((tag, told))
        if tag == "li" and (told.get("id") or "").startswith("evd_"):
            self._row = str(told["id"])
        if "data-no" in told:
            self._line = int(str(told["data-no"]))
        self._in_mark = tag == "mark"

    def handle_data(self, data: str) -> None:
        if self._in_mark:
            self.marked.setdefault(self._row, []).append((self._line, data))

    def handle_endtag(self, tag: str) -> None:
        self._in_mark = False

    def values(self, *names: str) -> list[str]:
        return [str(told[name]) for _, told in self.tags for name in names if name in told]


def parsed(html: bytes) -> Page:
    page = Page()
    page.feed(html.decode())
    page.close()
    return page


def pages_of(site: dict[str, bytes]) -> dict[str, Page]:
    return {name: parsed(html) for name, html in site.items() if name.endswith(".html")}


def a_hostile_story() -> Story:
    story = Story()
    story.project()
    story.requested(["docs/<i>auth</i>.md"])
    chunks = story.source("docs/<i>auth</i>.md", TEXT)
    story.run_started()
    story.planned(chunks)
    tokens = an_atom(chunks[1], story.run, f"Tokens {ATTACK}", kind="decision", body=ATTACK)
    cookies = an_atom(chunks[2], story.run, "Callers use cookies", kind="requirement")
    story.read(chunks[1], tokens)
    story.read(chunks[2], cookies, contradictions=[a_contradiction(tokens, cookies, story.seq + 1)])
    story.committed()
    story.published(story.stopped(), tokens, cookies)
    return story


def as_answered(project: ExportedProject) -> Export:
    files = {name: content.decode() for name, content in build_site(project).items()}
    seq = project.position.ledger_seq
    return Export(project_id=project.project_id, ledger_seq=seq, files=files)


def exported(model: ReadModel) -> ExportedProject:
    return asyncio.run(read_export(Settings(database_url=model.conninfo), PROJECT))


@pytest.fixture
def project(model: ReadModel) -> ExportedProject:
    return exported(model.fold(projected(a_hostile_story())))


def test_every_link_leads_to_something_inside(project: ExportedProject):
    site = build_site(project)
    pages = pages_of(site)
    for name, page in pages.items():
        ids = page.values("id")
        assert [each for each, count in Counter(ids).items() if count > 1] == []
        for target in page.values("href", "src"):
            file, _, anchor = target.partition("#")
            assert (file or name) in site, target
            assert not anchor or anchor in pages[file or name].values("id"), target
    citations = [target for target in pages["prd.html"].values("href") if "#atm_" in target]
    assert sorted(citations) == sorted(f"ledger.html#{atom.atom_id}" for atom in project.atoms)


def test_what_a_source_says_is_text_and_does_nothing(project: ExportedProject):
    site = build_site(project)
    for page in pages_of(site).values():
        for tag, told in page.tags:
            assert set(told) <= OUR_TAGS.get(tag, set(told))
            assert not {name for name in told if name.startswith("on") or name == "style"}
        (policy,) = page.values("content")[:1]
        assert policy.startswith("default-src 'none'")
        assert [tag for tag, _ in page.tags if tag == "i"] == []
    for name, content in site.items():
        if name.endswith((".html", ".js")):
            assert not {"\u202e", "\x02", "\x03"} & set(content.decode())
    ElementTree.fromstring(site["badge.svg"])
    index = site["index.js"].decode()
    (rows,) = [json.loads(index[index.index("([") + 1 : index.rindex("]") + 1])]
    assert {row[3].partition("#")[2] for row in rows} >= {atom.atom_id for atom in project.atoms}


def test_every_quote_is_marked_where_it_stands(project: ExportedProject):
    marked = parsed(build_site(project)["ledger.html"]).marked
    quotes = {quote.evidence_id: quote for atom in project.atoms for quote in atom.evidence}
    assert marked.keys() == quotes.keys()
    for evidence_id, pieces in marked.items():
        snippet = quotes[evidence_id].snippet
        shown = "\n".join(text for _, text in pieces)
        for spelled, written in (
            ("[U+202E]", "\u202e"),
            ("[U+0002]", "\x02"),
            ("[U+0003]", "\x03"),
        ):
            shown = shown.replace(spelled, written)
        assert shown == snippet
        first = quotes[evidence_id].line_start
        assert [line for line, _ in pieces] == list(range(first, first + len(pieces)))


def test_a_quote_that_its_source_no_longer_says_is_shown_and_not_marked(model: ReadModel):
    model.fold(projected(a_hostile_story()))
    model.connection.execute("UPDATE ledger_evidence SET char_start = char_start + 1")
    project = exported(model)
    assert project.excerpts == {}
    ledger = build_site(project)["ledger.html"]
    assert parsed(ledger).marked == {}
    assert b"<blockquote>Callers use cookies." in ledger


def test_the_same_ledger_makes_the_same_bytes_and_tells_its_place(model: ReadModel):
    records = projected(a_hostile_story())
    first = build_site(exported(model.fold(records)))
    assert build_site(exported(model.emptied().fold(records, batch=3))) == first
    told = json.loads(first["index.json"])
    assert told["ledger_seq"] == 3
    assert told["ledger_time"].encode() in first["prd.html"]
    assert (told["statements"], told["sources"], told["open_contradictions"]) == (2, 1, 1)
    assert (
        b"2 statements \xc2\xb7 1 source cited \xc2\xb7 1 open contradiction" in first["badge.svg"]
    )


def test_a_project_without_anything_is_exported_too(model: ReadModel):
    story = Story()
    story.project()
    site = build_site(exported(model.fold(projected(story))))
    assert b"PRD not written" in site["badge.svg"]
    assert b"Nothing here" in site["ledger.html"]


def test_what_speaks_of_people_is_not_exported(model: ReadModel):
    model.fold(projected(a_hostile_story()))
    assert [each.artifact_type for each in exported(model).documents] == ["prd"]
    for kind in ("report", "sprint_plan"):
        model.connection.execute("UPDATE artifacts SET artifact_type = %s", (kind,))
        assert list(exported(model).documents) == []


def test_a_folder_is_replaced_only_if_it_is_an_export_of_the_same_project(
    project: ExportedProject, tmp_path: Path
):
    out, answered = tmp_path / "new" / "site", as_answered(project)
    write_export(answered, out)
    (out / "ledger.html").write_text("edited")
    write_export(answered, out)
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.name != MARKER} == (
        build_site(project)
    )
    assert [path.name for path in out.parent.iterdir()] == ["site"]
    with pytest.raises(Invalid, match="another project"):
        write_export(answered.model_copy(update={"project_id": "prj_other"}), out)
    (out / "mine.txt").write_text("mine")
    with pytest.raises(Invalid, match=r"mine\.txt"):
        write_export(answered, out)
    with pytest.raises(Invalid, match="no folder"):
        write_export(answered, out / "mine.txt")
    assert (out / "mine.txt").read_text() == "mine"


def test_a_large_ledger_is_divided_into_pages_below_a_megabyte(project: ExportedProject):
    many = replace(project, atoms=[renamed(project.atoms[-1], n) for n in range(MANY)])
    site = build_site(replace(many, documents=[], contradictions=[]))
    sizes = {name: len(content) for name, content in site.items()}
    assert max(sizes.values()) < MEGABYTE
    ledger = [name for name in site if name.startswith("ledger") and name.endswith(".html")]
    assert len(ledger) > 1
    assert sum(site[name].count(b"<article ") for name in ledger) == MANY
    last = parsed(site[f"ledger-{len(ledger)}.html"])
    assert f"atm_{MANY - 1}" in last.values("id")
    assert f"ledger-{len(ledger)}.html#atm_{MANY - 1}" in b"".join(site.values()).decode()


def renamed(atom: Atom, number: int) -> Atom:
    def moved(quote: Quote) -> Quote:
        return quote.model_copy(update={"evidence_id": f"evd_{number}"})

    quotes = [moved(quote) for quote in atom.evidence]
    return atom.model_copy(update={"atom_id": f"atm_{number}", "evidence": quotes})
