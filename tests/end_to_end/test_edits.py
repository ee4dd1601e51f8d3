"""A person edits the PRD, sees what is read out of it, and meets another who was faster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.runtime.local.process import wait_until

pytestmark = pytest.mark.broker
OWN = "A strike of the drivers leaves parcels in the depot for weeks."
UNREAD = "See above."
PATIENCE_S = 60.0


def prd_of(backbone: Any) -> dict[str, Any]:
    (prd,) = backbone.cairn.json("show", "prd", "--project", backbone.project, "--format", "json")
    return dict(prd)


def section_of(prd: dict[str, Any], section_id: str) -> dict[str, Any]:
    (found,) = [one for one in prd["sections"] if one["section_id"] == section_id]
    return dict(found)


def wait_for_backing(backbone: Any) -> dict[str, Any]:
    """The PRD once the person's sentence cites what was read out of it."""

    def is_backed() -> bool:
        own = section_of(prd_of(backbone), "risks")["statements"][1]
        assert own["text"] == OWN
        return bool(own["backed_by"])

    assert wait_until(is_backed, timeout_s=PATIENCE_S), prd_of(backbone)
    return prd_of(backbone)


def test_an_edit_keeps_citations_is_read_as_a_source_and_names_its_author(backbone, tmp_path: Path):
    before = prd_of(backbone)
    risks = section_of(before, "risks")
    kept = risks["statements"][0]
    page = tmp_path / "risks.md"
    page.write_text(f"# Risks\n\n- {kept['text']}\n- {OWN}\n- {UNREAD}\n")
    ask = ("edit", "prd", "--project", backbone.project, "--section", "risks", "--as", "ana")
    version = ("--expected-version", str(before["version"]), "--idempotency-key", "first-edit")

    (edit,) = backbone.cairn.json(*ask, "--file", str(page), *version)

    assert (edit["refusal"], edit["version"]) == (None, before["version"] + 1)
    after = wait_for_backing(backbone)
    section = section_of(after, "risks")
    assert (section["state"], section["edited_by"]) == ("edited", "ana")
    first, own, unread = section["statements"]
    assert first["citations"] == kept["citations"]
    assert (own["written_by"], unread["written_by"], first["written_by"]) == ("ana", "ana", None)
    assert [one["places"] for one in own["citations"]] == [["prd/risks.md:3"]]
    assert unread["citations"] == []
    assert [one for one in after["sections"] if one["section_id"] != "risks"] == [
        one for one in before["sections"] if one["section_id"] != "risks"
    ]
    shown = backbone.cairn.run("show", "prd", "--project", backbone.project, "--section", "risks")
    assert f"{UNREAD} (uncited)" in shown and "edited by ana" in shown

    (again,) = backbone.cairn.json(*ask, "--file", str(page), *version)
    assert again == edit
    late = ("--expected-version", str(before["version"]))
    backbone.cairn.run(*ask, "--file", str(page), *late, exit_code=1)
    backbone.cairn.run(*ask, "--decline-suggestion", exit_code=1)
    backbone.cairn.run(*ask, exit_code=2)
    assert prd_of(backbone)["version"] == after["version"]
