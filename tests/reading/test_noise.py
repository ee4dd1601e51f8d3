"""What a reader of the ledger would call noise never becomes an atom."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from tests.reading.documents import a_chunk, sure

SILENT = {
    "heading": "# The service must be fast and reliable under load\n",
    "setext heading": "The service must be fast\n========================\n",
    "fenced code": "```\nThe server must be started before the client is started.\n```\n",
    "indented code": "Text follows soon.\n\n    the_server must be started first\n",
    "table of contents": "- [The service must start](#a)\n- [The store must hold](#b)\n",
    "badges": "[![Build](https://x.org/b.svg)](https://x.org) [![Docs](https://x.org/d.svg)](y)\n",
    "link definition": "[spec]: https://example.org/the-server-must-be-reachable-for-all-clients\n",
    "front matter": "---\ntitle: The server must be fast\nowner: the platform team is here\n---\n",
    "html comment": "<!-- The server must be restarted after each change of settings. -->\n",
    "html remains": '<p align="center"><img src="the-server.png"></p>\n',
    "licence": "Licensed under the Apache License, Version 2.0; keep this notice.\n",
    "change bullet": "- Bump protobuf from 3.1.0 to 3.2.0\n- fix: parser must not fail (#12)\n",
    "transcript": "$ server --must-start\n> the server must be started first\n$ ls -la\n",
    "file tree": "├── src            the sources must be here\n└── docs           the documents\n",
    "instruction": "To run the server, open a terminal and enter the following command.\n",
    "pointer": "See the design document for a description of how the server is built.\n",
    "announcement": "The configuration of the server consists of the following:\n",
    "chatter": "I think my server is a good candidate for the next experiment with clusters.\n",
    "pronoun": "It stores the settings of the cluster in a table of the database.\n",
    "references": "## References\n\n- The server is described in a book that everyone must read\n",
    "changelog section": "## Changelog\n\n- The server must now be started with a flag\n",
    "rejected option": "## Alternatives considered\n\nThe server stores its data in Redis.\n",
    "faq": "## FAQ\n\nWhat does the server store in its own database tables?\n",
    "absent risk": "## Risks\n\nThere are no known risks or failures of this change.\n",
    "unbalanced": "(The server must be started by the precondition on the length(bc).).\n",
    "no verb": "## Decision\n\nEvaluation plan of a Policy within a policy scope.\n",
    "open end": "The server must define the predicate of all blocks to hold iff.\n",
    "pointing": "The VerifyToTarget is the main function and uses the following functions.\n",
    "notation": "The Server must hold | C_V(t) - t | below the bound of the network.\n",
    "nothing open": "## Open questions\n\nThe author has no open questions on the store.\n",
    "no question": "## Open questions\n\n- data-plane-spi as a separate module of it\n",
    "wish": "Client applications may want to correct formal errors and failures of requests.\n",
    "plot": "The transactions processed per minute are the gradient of this plot.\n",
    "no subject": "- will be refactored to take the context of the caller as input\n",
    "scene": "Alice uses the default timeout of 3s and proposes a block in each round.\n",
    "numbered stand-ins": "The server must send tx1 to all of its peers before tx2 is sent.\n",
    "letters": "The server p must accept the value v in the round r of its peers.\n",
    "order to a reader": "Configure the Server to use the certificates of the PKI in `pem`.\n",
    "order after a condition": "For the basics of the Server, head over to the guide of PKI.\n",
    "described field": "The Locale to use when the Server determines the first day of a week.\n",
    "about a text": "The Developer Guide provides a comprehensive reference of the Server.\n",
    "announced list": "## Goals\n\nThe full slate of the goals of this year is as follows.\n",
    "table head": "| Name of the field that must be set | Meaning of it |\n|---|---|\n",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_no_atom_comes_from(text):
    assert sure(a_chunk(text, start=0)) == []


@pytest.mark.parametrize(
    "path",
    [
        "CHANGELOG.md",
        "LICENSE",
        ".github/pull_request_template.md",
        "rfcs/0000-template-protocol.md",
        "docs/notes/v1.5.0.md",
        "notes/sorter-1.2.0.md",
        "release-notes/spring.md",
        "notes/golden/all.md",
    ],
)
def test_documents_that_state_nothing_about_the_project_are_not_read(path):
    assert extract(a_chunk("The server must answer every request in time.\n", path)) == []


def test_notes_of_a_day_are_read():
    text = "The server must answer every request in time.\n"
    assert extract(a_chunk(text, "notes/2024-05-01-sync.md")) != []


CODE = """// Copyright 2020 The Authors. The software must keep this notice.

/**
 * Returns the server that must be used for requests of this tenant.
 *
 * @param tenant the tenant that must be known to the registry of servers
 * @return the server that is used
 */
Server find(String tenant) {
    // if (tenant == null) { throw new IllegalArgumentException("must be set"); }
    String text = "the server must be started before use";
    return servers.get(tenant);
}
"""


def test_code_strings_tags_and_licence_headers_are_not_statements():
    assert extract(a_chunk(CODE, "src/Find.java", source_type="code", anchor_type="function")) == []


def test_a_statement_made_twice_in_a_chunk_is_one_atom():
    sentence = "The broker must keep records for at least seven days.\n"
    assert len(extract(a_chunk(f"{sentence}\n{sentence}"))) == 1


def test_data_without_comments_is_not_read():
    text = '{"note": "the server must be started before the client"}\n'
    assert extract(a_chunk(text, "data.json", source_type="config", anchor_type="entry")) == []


def test_a_chunk_that_begins_inside_a_code_fence_reads_only_what_follows_it():
    text = "the server must be started here\n```\n\nThe broker must keep records for seven days.\n"
    (atom,) = extract(a_chunk(text))
    assert atom.title == "The broker must keep records for seven days"


TASKS = "## Tasks\n\n- [ ] Tag the release branch\n- Announce the release to all users\n"


def test_the_steps_of_a_handbook_are_nobodys_open_tasks():
    assert extract(a_chunk(TASKS, "docs/handbook/release.md")) == []
    assert len(extract(a_chunk(TASKS, "docs/plan.md"))) == 2


OURS = "We will store all reports of the Depot in PostgreSQL.\n"


def test_we_are_those_who_make_the_project_only_where_they_speak_of_themselves():
    assert sure(a_chunk(OURS, "docs/guide/storing.md")) == []
    (atom,) = extract(a_chunk(OURS, "docs/adr/storing.md"))
    assert atom.kind == "decision"


def test_what_is_so_already_is_no_decision():
    text = "Currently we use Amino in all parts of the Tracker instead of JSON.\n"
    assert sure(a_chunk(text, "docs/adr/coding.md")) == []


MEMBER = """/**
 * Creates a new registry of parcels for the given depot and its scanners.
 */
static ParcelRegistry of(Depot depot) { return new ParcelRegistry(depot); }
"""


def test_a_members_comment_says_nothing_of_its_type():
    chunk = a_chunk(
        MEMBER,
        "src/ParcelRegistry.java",
        source_type="code",
        anchor_type="class",
        headings=("ParcelRegistry",),
    )
    assert extract(chunk) == []


def test_praise_is_no_risk():
    text = "## Positive\n\nThe new error messages might make failures of the Server visible.\n"
    assert "risk" not in {atom.kind for atom in extract(a_chunk(text))}


def test_what_is_called_harmless_is_no_risk():
    text = "## Drawbacks\n\nThe cache may fail at a restart, but that is not a problem.\n"
    assert "risk" not in {atom.kind for atom in extract(a_chunk(text))}


@pytest.mark.parametrize("end", ["-->", "--->", "  -->"])
def test_what_ends_in_a_comment_that_began_in_the_chunk_before_is_not_read(end: str) -> None:
    hidden = "The Depot must keep every label of each lane."
    said = "The Sorter must write each label."
    text = f"{hidden}\n{end}\n\n{said}\n"
    assert [it.title for it in extract(a_chunk(text))] == [said[:-1]]
    shown = f"{hidden}\n\n```mermaid\nA --> B\n```\n\n<!-- more\n-->\n\n{said}\n"
    assert [it.title for it in extract(a_chunk(shown))] == [hidden[:-1], said[:-1]]
